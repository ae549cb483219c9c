"""The outcomes of a campaign in a file of JSON lines, from which the next run of the same campaign goes on."""

import json
import zlib
from pathlib import Path

SOURCES = ["include", "test", "examples/programs/algorithms"]


def checksum_of_sources():
    """A number that changes with the headers and their tests."""
    sum_of = 0
    for path in sorted(path for folder in SOURCES for path in Path(folder).rglob("*.[ch]pp")):
        sum_of = zlib.crc32(path.read_bytes(), zlib.crc32(str(path).encode(), sum_of))
    return f"{sum_of:08x}"


class Campaign:
    def __init__(self, path, drawn_by, outcomes):
        """Reads the outcomes that the file has. Raises ValueError if it is not the file of this campaign."""
        self.outcomes, self.file = {}, None
        if not path:
            return
        head = {"format": "collsched mutants", "version": 1, **drawn_by, "sources": checksum_of_sources()}
        try:
            self.file = open(path, "a+", encoding="utf-8")  # noqa: SIM115
        except OSError as wrong:
            raise ValueError(f"--file: got {path}, expected a file in a folder that can be written; {wrong.strerror}") from wrong
        self.file.seek(0)
        try:
            text = self.file.read()
            whole = text[:text.rfind("\n") + 1]  # the last line may be a part of one
            lines = [json.loads(line) for line in whole.splitlines()]
            if lines and lines[0] != head or text and not lines or any(row["outcome"] not in outcomes for row in lines[1:]):
                raise ValueError
            self.outcomes = {(row["header"], row["line"], row["before"], row["after"]): row["outcome"] for row in lines[1:]}
        except (ValueError, KeyError, TypeError) as wrong:
            of = ", ".join(f"{name} {value}" for name, value in head.items() if value != "None")
            raise ValueError(f"--file: got {path}, expected a file of the campaign with {of}, or none") from wrong
        self.file.truncate(len(whole.encode()))
        if not lines:
            self.write(head)

    @staticmethod
    def key(fault):
        return str(fault.header), fault.line, fault.before, fault.after

    def outcome(self, fault):
        """The outcome of a fault that was tried, or None."""
        return self.outcomes.get(self.key(fault))

    def add(self, fault, outcome):
        self.write(dict(zip(("header", "line", "before", "after"), self.key(fault)), outcome=outcome))

    def write(self, row):
        if self.file:
            self.file.write(json.dumps(row) + "\n")
            self.file.flush()
