#!/usr/bin/env -S python3 -B
"""A name in include/ is a noun or a verb of the field. A bare pronoun, adverb or participle carries no meaning, and a private word has a
standard term.

names.py WORD...    lists the places of these words, whether they are allowed or not"""

import re
import sys

from house import TOP, report

# Names without a meaning of their own. In a compound such as whole_store or own_blocks they may distinguish it from another.
BARE = set("""
    one ones own whole rest made given taken tried known gone seen said told meant wanted asked got
    here there somewhere elsewhere mine ours yours theirs its that those these which who whom whose what how why
    once twice again already still yet never always ever soon together alone apart away
    both each every others many few same such thing things stuff
    with without about against along among around beside
""".split())
# A name of these is one of a pair, and so allowed beside its partner in the same file.
PAIRED = {"left": "right", "right": "left"}
# Private words, also as a part of a name, and the standard terms.
PRIVATE = {
    "promise": "contract", "wish": "setting", "patience": "timeout or backoff", "door": "listener", "caller": "connector", "meeting": "rendezvous",
    "stranger": "unknown peer", "seat": "endpoint", "bell": "wakeup", "nonsense": "invalid", "shelf": "queue", "ringer": "waker",
}
# The prefixes of names of the standard library.
STANDARD = ("std::", "std::this_thread::")


def tokens(text):
    """The words of code and the numbers of their lines, without comments, strings and includes."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|^ *#[^\n]*', lambda found: "\n" * found[0].count("\n"), text,
                  flags=re.DOTALL | re.MULTILINE)
    for number, line in enumerate(text.splitlines(), 1):
        for found in re.finditer(r"(?<![\w'.])[A-Za-z_]\w*|(?<=\.)[A-Za-z_]\w*", line):
            yield found[0], number, line[:found.start()]


problems, count = [], 0
for path in sorted(TOP.rglob("*.h*")):
    words = list(tokens(path.read_text()))
    count += len(words)
    names = {name.strip("_") for name, _, _ in words}
    seen = set()
    for name, number, before in words:
        bare = name.strip("_")
        if sys.argv[1:]:
            if set(name.split("_")) & set(sys.argv[1:]):
                print(f"{path}:{number}: {name}")
            continue
        if name in seen or before.endswith(STANDARD) or (name == "what" and before.endswith((".", "const char* "))):
            continue
        if bare in BARE or (bare in PAIRED and PAIRED[bare] not in names):
            seen.add(name)
            problems.append(f"{path}:{number}: got the name {name}, expected a noun or a verb of the field")
        for part in name.lower().split("_"):
            if part.removesuffix("s") in PRIVATE:
                seen.add(name)
                problems.append(f"{path}:{number}: got the name {name}, expected {PRIVATE[part.removesuffix('s')]} for {part}")
    problems += [f"{path}: got a file named after {part}, expected {PRIVATE[part.removesuffix('s')]}"
                 for part in path.stem.split("_") if part.removesuffix("s") in PRIVATE]
if sys.argv[1:]:
    sys.exit()
if count < 100_000:
    problems.append(f"got {count} words, expected at least 100,000")
report(problems, f"{count} words of code")
