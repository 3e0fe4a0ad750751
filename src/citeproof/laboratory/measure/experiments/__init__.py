"""Experiments with language models: a model that classifies citations by itself, and parts switched off."""
