"""How a document becomes references: `extractors` finds them, `parse` reads their fields."""
