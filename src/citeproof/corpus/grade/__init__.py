"""GRADE levels of sources: reading them, computing them, and the language each of them allows."""
