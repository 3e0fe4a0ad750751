"""The REST interface: FastAPI over the functions of the command line. Needs the extra `[server]`."""
