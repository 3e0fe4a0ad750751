"""The room of executors: who checks the documents of a batch."""
