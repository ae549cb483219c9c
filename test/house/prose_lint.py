#!/usr/bin/env -S python3 -B
"""prose_lint.py MODULES: runs textlint and cspell of the npm packages in MODULES over the prose of the tree, and prints
FILE:LINE: MESSAGE for each finding. `./dev prose` installs the packages and runs it.

Their settings are textlint.json and cspell.json here. spelling.txt has the words that no dictionary of cspell has."""

import re
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from house import report
from prose_text import passages, plain

HOUSE = Path(__file__).resolve().parent


def write_page(path, checked):
    """Writes the passages as paragraphs of one page; (file, line) of each line of it. Code is a word that occurs once."""
    places, number = [], count(1)
    with path.open("w") as page:
        for passage in checked:
            text = re.sub("``", lambda _: f"`c{next(number)}`", plain(passage.text))
            for i, row in enumerate(text.split("\n")):
                # Escaped, so that no row begins a list, a heading or HTML.
                page.write(re.sub(r"^[-+#>*=]+\s*|<", " ", row.strip()).strip() + "\n")
                places.append((passage.path, passage.line + i))
            page.write("\n")
            places.append((passage.path, passage.line))
    return places


def output_of(command, folder):
    """The output of a linter that runs in a folder. It ends with 1 exactly if it prints findings."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode > 1 or done.returncode != (done.stdout.strip() not in ("", "[]")):
        sys.exit(f"{Path(command[0]).name} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def textlint(modules, page):
    """(line, message) for each finding. textlint finds its rules from the folder that it runs in."""
    printed = output_of([modules / ".bin/textlint", "--config", HOUSE / "textlint.json", "--format", "unix", page], modules.parent)
    return [(int(found[1]), f"{found[2]} (textlint)") for found in re.finditer(r"\.md:(\d+):\d+: (.*) \[", printed)]


def cspell(modules, page):
    """(line, message) for each finding. cspell checks no file outside of the folder that it runs in."""
    printed = output_of([modules / ".bin/cspell", "lint", "--no-progress", "--no-summary", "--no-color", "--config",
                         HOUSE / "cspell.json", page], page.parent)
    return [(int(found[1]), f"{found[2]} (cspell)") for found in re.finditer(r":(\d+):\d+ - (.*)", printed)]


def main():
    if len(sys.argv) != 2:
        sys.exit("MODULES is required: a folder node_modules with textlint and cspell")
    modules = Path(sys.argv[1]).resolve()
    checked = list(passages())
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "prose.md"
        places = write_page(page, checked)
        found = {(*places[line - 1], message) for linter in (textlint, cspell) for line, message in linter(modules, page)}
    report([f"{path}:{line}: {message}" for path, line, message in sorted(found)], f"{len(checked)} passages")


if __name__ == "__main__":
    main()
