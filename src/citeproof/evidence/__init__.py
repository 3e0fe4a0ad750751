"""How a reference becomes lookups: live `sources`, the local `index`, and `retrieve`, which asks them."""
