"""The paths of seven users, typed into a real terminal; what its screen shows is compared."""
