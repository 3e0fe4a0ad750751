"""Lists about works: their homes, and the compact files that they are compiled into."""
