"""Damaged inputs for every parser and extractor: `python -m tests.fuzz`, or `make fuzz`."""
