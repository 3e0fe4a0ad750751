"""Where checkpoints go that their own operator cannot take back; one file each."""
