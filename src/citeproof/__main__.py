"""`python -m citeproof` is `citeproof`."""

from citeproof.surfaces.cli.main import main

if __name__ == "__main__":
    main()
