"""Figures and tables of a work: their captions, and where their images are."""
