"""What the formats of word processors share: a manuscript's paragraphs, codes and printed lists."""
