"""Claims: sentences with the references that are to support them."""
