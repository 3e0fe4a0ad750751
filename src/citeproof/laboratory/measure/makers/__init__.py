"""Benchmarks made from real records: a work is cited in a style, and spoiled by rule in a known way.

Nothing here may import `compare` or `judge`: what makes the questions knows nothing of who answers them.
"""
