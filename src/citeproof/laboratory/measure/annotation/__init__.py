"""Labels by people: two of them, blind; what they agree on becomes a benchmark."""
