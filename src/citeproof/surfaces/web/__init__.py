"""The web page: what a person sees of the same jobs, reports and decisions that every other interface has."""
