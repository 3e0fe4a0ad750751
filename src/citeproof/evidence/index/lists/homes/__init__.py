"""The lists that are known, one file for each publisher: home, licence, limit of age, and how it is read."""
