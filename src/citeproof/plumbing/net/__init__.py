"""The one way to the network: polite, bounded, recorded."""
