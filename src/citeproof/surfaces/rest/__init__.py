"""The REST door: FastAPI over the same functions that the command line calls. Needs the extra `[server]`."""
