"""What the formats of XML articles share: a safe tree, the sentences that cite, printed lists."""
