"""What the formats of running text share: lines, entries, sentences that cite."""
