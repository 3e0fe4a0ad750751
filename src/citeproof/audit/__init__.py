"""Beside the path: observes, never decides. What was shown is in a tree that anybody can verify."""
