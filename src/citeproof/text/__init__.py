"""Pure functions on text: identifiers, titles, names, dates, venues, LaTeX, Unicode. No network, no disk."""
