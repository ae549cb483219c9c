"""Faults in the lines of a change."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, "test/house")
from faults import faults  # noqa: E402
from house import TOP, headers  # noqa: E402
from trial import sources_of  # noqa: E402


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def changed_lines(base):
    """The numbers of the new and changed lines of each header; None for all lines of a new file."""
    changed = {Path(name).relative_to(TOP): None for name in output("git", "ls-files", "--others", "--exclude-standard", TOP).splitlines()}
    for line in output("git", "diff", "--unified=0", "--no-color", "--no-ext-diff", base, "--", TOP).splitlines():
        if file := re.fullmatch(rf"\+\+\+ b/{TOP}/(.*)", line):
            lines = changed.setdefault(Path(file[1]), set())
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(first, first + count))
    return changed


def changed_faults(base):
    """All faults in the lines changed since a commit, of headers with a unit test."""
    known = set(headers())
    return [fault for header, lines in changed_lines(base).items() if header in known and sources_of(header)
            for fault in faults(header) if lines is None or fault.line in lines]
