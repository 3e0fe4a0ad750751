"""What the formats of bibliographic records share: their fields as claims, their lists of items."""
