#!/usr/bin/env -S python3 -B
"""README.md has at most 900 words. No sentence of README.md or of a page in docs/ has more than 45."""

import re
from pathlib import Path

from house import report, tree
from prose_text import markdown

README_WORDS = 900
SENTENCE_WORDS = 45
CODE = re.compile(r"``[^`]+``|`[^`]+`")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def blanked(match):
    return "\n" * match[0].count("\n")


def without_code(text):
    """A page without blocks of code and comments."""
    text = re.sub(r"^(\s*)```.*?^\s*```", blanked, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<!--.*?-->", blanked, re.sub(r"^    .*", "", text, flags=re.MULTILINE), flags=re.DOTALL)


def word_count(text):
    """Code in backticks counts as one word, and a link as its text."""
    text = LINK.sub(r"\1", CODE.sub("code", text))
    return sum(1 for word in text.split() if re.search(r"\w", word))


def readme_words(text):
    """The number of words of a page without code and tables."""
    return sum(word_count(line) for line in without_code(text).split("\n") if not line.startswith("|"))


def long_sentences(path, text):
    for passage in markdown(path, text):
        prose = CODE.sub(lambda code: "code" + blanked(code), passage.text)
        start = 0
        for end in re.finditer(r"[.!?][\")”]*(?=\s)|\Z", prose):
            sentence = prose[start:end.end()].lstrip()
            line = passage.line + prose.count("\n", 0, end.end() - len(sentence))
            start = end.end()
            if (words := word_count(sentence)) > SENTENCE_WORDS:
                yield f"{line}: got a sentence of {words} words, expected at most {SENTENCE_WORDS}: {' '.join(sentence.split())[:60]} ..."


def self_test():
    """Each rule finds its own bad page."""
    long, path = "A " + "very " * 44 + "long\nsentence.", Path("a.md")
    expected = [([*long_sentences(path, f"Short.\n\n```\n{long}\n```\n\nShort. {long}")], 1), ([*long_sentences(path, long[2:])], 1),
                ([*long_sentences(path, long[7:])], 0)]
    problems = [f"self-test: got {found}, expected {count} findings" for found, count in expected if len(found) != count]
    words = readme_words("One two `three three`\n\n    code\n\n| cell |\n\n```\ncode\n```\n[four](five)\n")
    return problems + ([] if words == 4 else [f"self-test: got {words} words, expected 4"])


def main():
    problems = self_test()
    pages = [tree() / "README.md", *sorted((tree() / "docs").rglob("*.md"))]
    for page in pages:
        problems += [f"{page.relative_to(tree())}:{problem}" for problem in long_sentences(page, page.read_text())]
    if (words := readme_words(pages[0].read_text())) > README_WORDS:
        problems.append(f"README.md: got {words} words without code and tables, expected at most {README_WORDS}")
    report(problems, f"{len(pages)} pages, {words} words in README.md")


if __name__ == "__main__":
    main()
