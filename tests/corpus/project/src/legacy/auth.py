"""The old login."""


def login(name: str) -> bool:
    return name == "admin"
