"""Do a benchmark's errors come in the kinds and shares of real ones?"""
