"""The APIs that the loopback world serves, one file each."""
