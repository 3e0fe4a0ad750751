"""The lists that are known, one file each: name, home, licence, limit of age, and how it is read."""
