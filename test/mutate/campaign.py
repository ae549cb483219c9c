"""The outcomes of a campaign in a file of JSON lines, from which the next run of the same campaign goes on."""

import json


class Campaign:
    def __init__(self, path, drawn_by):
        """Reads the outcomes that the file has. Raises ValueError if another campaign wrote it."""
        self.outcomes, self.file = {}, None
        if not path:
            return
        head = {"format": "collsched mutants", "version": 1, **drawn_by}
        self.file = open(path, "a+", encoding="utf-8")  # noqa: SIM115
        self.file.seek(0)
        text = self.file.read()
        whole = text[:text.rfind("\n") + 1]  # the last line may be a part of one
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            if lines and lines[0] != head or text and not lines:
                raise ValueError
            self.outcomes = {(row["header"], row["line"], row["before"], row["after"]): row["outcome"] for row in lines[1:]}
        except (ValueError, KeyError, TypeError) as wrong:
            raise ValueError(f"--file: got {path}, expected a file of a campaign with {drawn_by}, or none") from wrong
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
