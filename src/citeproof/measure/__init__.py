"""What `citeproof bench` needs."""
