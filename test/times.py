#!/usr/bin/env python3
"""times.py PROFILE...: the 20 dearest actions of Bazel's profiles, compilations and tests, with their seconds."""

import gzip
import json
import sys

COUNT = 20


def actions(path):
    """The seconds and the name of each action that ran, without those whose results a cache had."""
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        if event.get("cat") == "action processing" and "dur" in event:
            yield event["dur"] / 1e6, event["name"]


def main(paths):
    rows, status = [], 0 if paths else 2
    for path in paths:
        try:
            rows += actions(path)
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError):
            print(f"PROFILE: got {path}, expected a profile of Bazel", file=sys.stderr)
            status = 2
    if not paths:
        print("PROFILE: got none, expected one or more", file=sys.stderr)
    if not rows:
        return status
    rows.sort(reverse=True)
    total = sum(seconds for seconds, _ in rows)
    print(f"{len(rows)} actions, {total:.0f} s; the {min(COUNT, len(rows))} dearest:")
    for seconds, name in rows[:COUNT]:
        print(f"{seconds:8.1f} s  {name}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
