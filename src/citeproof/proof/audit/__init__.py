"""The audit log: observes the path, never decides. What was shown is in a tree that anybody can verify."""
