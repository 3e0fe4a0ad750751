"""Disk, network, processes and the clock: what every room uses and none decides with."""
