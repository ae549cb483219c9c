#!/usr/bin/env -S python3 -B
"""Every path of this tree that a page (README.md, docs/, .github/, examples/, packaging/) names in backticks or links to exists, and so
does the heading of a link to a place in a page. A header may be named below include/collsched."""

import re

from house import LAYERS, report, tree

top = tree()
folders = {path.name for path in top.iterdir()
           if path.is_dir() and path.name not in (".git", "build") and not path.name.endswith("-out")}
documents = [path for path in [top / "README.md", top / "examples/README.md", top / "packaging/README.md",
                              *sorted((top / ".github").glob("*.md")), *sorted((top / "docs").rglob("*.md"))] if path.exists()]


def prose(document):
    """The text outside of code blocks, in which a lambda looks like a link."""
    return re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def names(text):
    """Words in backticks that look like a path below one of our folders; <name> and * match anything."""
    for quoted in re.findall(r"`([^`\n]+)`", text):
        for word in quoted.split():
            word = re.sub(r"<[^>]*>", "*", word.strip(",.;:()\"'").removeprefix("./"))
            first = word.split("/")[0]
            if first in folders and "/" in word and not word.startswith("bazel-"):
                yield re.sub(r":\d+$", "", word)
            elif first in LAYERS and word.endswith(".hpp"):
                yield f"include/collsched/{word}"


def links(text):
    """(path, heading) for each link within the tree; either may be empty."""
    for path, place in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", text):
        if "://" not in path and not path.startswith("mailto:"):
            yield path, place


def places(text):
    """The headings of a page, as GitHub and mkdocs name them in links."""
    headings = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).strip().lower()).replace(" ", "-") for heading in headings]


problems = []
for document in documents:
    text = prose(document)
    problems += [f"{document.relative_to(top)} names {name}, which does not exist" for name in names(text)
                 if not any(top.glob(name.rstrip("/")))]
    for path, place in links(text):
        target = document.parent / path if path else document
        if not target.exists():
            problems.append(f"{document.relative_to(top)} links to {path}, which does not exist")
        elif place and target.suffix == ".md" and place not in places(prose(target)):
            problems.append(f"{document.relative_to(top)} links to {path}#{place}, which is no heading")
report(problems, f"{len(documents)} documents")
