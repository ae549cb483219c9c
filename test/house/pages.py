#!/usr/bin/env -S python3 -B
"""README.md and the pages of docs/ are short: README has at most 900 words, and no sentence has more than 45. Each link to a place
in a page leads to a heading."""

import re
from pathlib import Path

from house import report, tree
from prose_text import markdown

README_WORDS = 900  # without code and tables
SENTENCE_WORDS = 45
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages():
    return [tree() / "README.md", *sorted((tree() / "docs").rglob("*.md"))]


def without_code(text):
    """The text of a page without fenced and indented blocks and comments; each line keeps its number."""
    def blank(match):
        return "\n" * match[0].count("\n")

    text = re.sub(r"^(\s*)```.*?^\s*```", blank, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<!--.*?-->|^    .*", blank, text, flags=re.MULTILINE | re.DOTALL if False else re.MULTILINE)


def word_count(text):
    """Words of a text: code in backticks is one, and so is a link to an address."""
    text = re.sub(r"``[^`]+``|`[^`]+`", "code", text)
    text = LINK.sub(lambda match: match[0][1:match[0].index("]")], text)
    return len([word for word in text.split() if re.search(r"\w", word)])


def sentences(passage):
    """(line, sentence) for each sentence of a passage."""
    text, start = re.sub(r"``[^`]+``|`[^`]+`", lambda code: "code" + "\n" * code[0].count("\n"), passage.text), 0
    for end in re.finditer(r"[.!?][\")”]?(?=\s)|\Z", text):
        sentence = text[start:end.end()]
        yield passage.line + text.count("\n", 0, start + len(sentence) - len(sentence.lstrip())), sentence.strip()
        start = end.end()


def long_sentences(path, text):
    for passage in markdown(path, text):
        for line, sentence in sentences(passage):
            if (count := word_count(sentence)) > SENTENCE_WORDS:
                yield line, f"got a sentence of {count} words, expected at most {SENTENCE_WORDS}: {' '.join(sentence.split())[:60]} ..."


def main():
    problems = []
    for page in pages():
        problems += [f"{page.relative_to(tree())}:{line}: {m}" for line, m in long_sentences(page, page.read_text())]
    report(problems, "")


main()
