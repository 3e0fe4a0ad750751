"""Language models behind one Protocol; nothing of this is imported unless `--llm` names a model."""
