"""What a person or a program gets: `reporters`, the one serialiser, and `fix`."""
