"""What `bench/pdf_corpus.py` makes its papers of: works, prose, typesetting and gold."""
