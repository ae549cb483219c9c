#!/usr/bin/env -S python3 -B
"""Every path of this tree that a page (README.md, docs/, .github/, examples/, packaging/) names in backticks or links to exists."""

import re

from house import report, tree

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
            if word.split("/")[0] in folders and "/" in word and not word.startswith("bazel-"):
                yield re.sub(r":\d+$", "", word)


def links(text):
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target and not target.startswith("mailto:"):
            yield target


problems = []
for document in documents:
    text = prose(document)
    problems += [f"{document.relative_to(top)} names {name}, which does not exist" for name in names(text)
                 if not any(top.glob(name.rstrip("/")))]
    problems += [f"{document.relative_to(top)} links to {target}, which does not exist" for target in links(text)
                 if not (document.parent / target).exists()]
report(problems, f"{len(documents)} documents")
