"""How lookups become a verdict: `compare`, `judge`, `review` by a model, and `checks` of integrity."""
