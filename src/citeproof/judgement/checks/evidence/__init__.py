"""What checks may know, and what several of them share. The modules here are no checks."""
