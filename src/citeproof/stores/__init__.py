"""What outlives a run: answers of the network, kept by content."""
