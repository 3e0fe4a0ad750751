"""What is asked about a reference: one file for each live source, the snapshots and the memory."""
