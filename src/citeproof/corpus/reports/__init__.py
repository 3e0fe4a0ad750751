"""What a run over corpus documents has to tell, as rows, figures, cells and JSON: `reporters` writes it."""
