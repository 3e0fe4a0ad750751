"""The user's own references, spoiled in known ways and checked: how much of it is caught here."""
