"""What upstreams call a work, one shape a file, each turned into a `Record`; pure."""
