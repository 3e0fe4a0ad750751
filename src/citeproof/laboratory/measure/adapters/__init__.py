"""Files of other benchmarks and other tools, brought into our words: one small file a shape."""
