"""Holds what was answered to the schemas that Piton publishes."""

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator


class Shapes:
    """Checks by the schemas below a directory, such as `docs/generated/schema`."""

    def __init__(self, directory: str):
        self.directory = Path(directory)

    def answer(self, tool: str, value) -> None:
        """Raises unless `value` fits what `tool` answers."""
        self.validator(f"tools/{tool}.output.json").validate(value)

    def envelope(self, value) -> None:
        """Raises unless `value` is an envelope."""
        self.validator("envelope.json").validate(value)

    @cache
    def validator(self, file: str) -> Draft202012Validator:
        return Draft202012Validator(json.loads((self.directory / file).read_text()))
