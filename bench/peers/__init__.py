"""Other open tools and citeproof on the same items, in the same loopback world, in one run."""
