"""`python -m citeproof` is `citeproof`; so is the command itself.

Python puts the current folder, which may be a stranger's project, first among those that it imports from
(`-m`, or a PYTHONPATH with an empty part). It is taken out before anything else is imported. What Python
itself imports before this file runs is beyond us: `python -I -m citeproof` keeps that safe too.
"""

import gc
import os
import site
import sys


def _forget_working_folder() -> None:
    """Import nothing from the current folder, unless packages are installed in it."""
    try:
        here = os.getcwd()  # noqa: PTH109 - pathlib would be imported from there
    except OSError:
        return
    installed = {*site.getsitepackages(), site.getusersitepackages(), os.path.dirname(os.__file__)}  # noqa: PTH120
    sys.path[:] = [
        folder
        for folder in sys.path
        if folder in installed or os.path.abspath(folder or here) != here  # noqa: PTH100 - as above
    ]


_forget_working_folder()
gc.disable()  # until the command is loaded: what is imported is no garbage

from citeproof.surfaces.cli.main import main  # noqa: E402 - only now is it safe to import

if __name__ == "__main__":
    main()
