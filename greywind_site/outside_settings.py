"""What the settings of servers outside have in common. Needs no Django."""

from urllib.parse import urlsplit


def check_address(url: str, *, of: str) -> None:
    """Raise ValueError unless `url` begins with https:// or http:// and names a host; `of` says whose it is."""
    address = urlsplit(url)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError(f"the url of {of} begins with https:// or http:// and names a host")
