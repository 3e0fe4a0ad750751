"""Many documents checked as one resumable run: inputs, ledger, executors, outputs."""
