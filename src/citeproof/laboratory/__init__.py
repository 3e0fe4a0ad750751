"""What measures citeproof: benchmarks (`measure`), and a world of registries on loopback (`testing`)."""
