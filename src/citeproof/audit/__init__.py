"""Beside the path: observes, never decides. What was shown stands in a tree that anybody can verify."""
