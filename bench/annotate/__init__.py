"""Citations labelled by people: what they are shown, what they say, and what two of them agree on."""
