"""Unpacks the archives of a file of pins into a directory, each below the name of its file."""

import hashlib
import io
import sys
import tarfile
import urllib.request
from pathlib import Path

PATIENCE_S = 60


def fetch(digest: str, address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        content = answer.read()
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        sys.exit(f"{address} has the digest {found}, not {digest}")
    return content


def main(pins: str, place: str) -> None:
    for line in Path(pins).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        digest, address = line.split()
        content = fetch(digest, address)
        directory = Path(place) / address.rsplit("/", 1)[1]
        directory.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            archive.extractall(directory, filter="data")


main(*sys.argv[1:])
