"""Benchmarks of claims: quotations and sentences cut from texts, some of them damaged."""
