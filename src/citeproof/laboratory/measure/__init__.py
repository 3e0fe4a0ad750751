"""Benchmarks: made, run, scored, compared and drawn; what `citeproof bench` calls."""
