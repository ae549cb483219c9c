"""The prose of the tree: pages, comments, errors, help texts and names of test cases, as passages of whole lines."""

import ast
import io
import re
import tokenize
from collections import namedtuple
from pathlib import Path

from house import files, tree

# kind: page, comment, string (an error or a help text) or case (the name of a doctest case). A newline in text is one in the file.
Passage = namedtuple("Passage", "path line kind text")

CPP = re.compile(r'''(?P<raw>R"(?P<mark>\w*)\((?P<inner>.*?)\)(?P=mark)")|(?P<string>"(?:\\.|[^"\\\n])*")
                     |(?P<char>(?<!\w)'(?:\\.|[^'\\\n])+')|(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)''', re.DOTALL | re.VERBOSE)
SENTENCE_LIKE = re.compile(r"[a-z]{2,} |[ ][a-z]{2,}")
CASE = re.compile(r"(?:TEST_CASE\w*|SUBCASE)\(\s*$")


def joined(path, kind, parts):
    """Passages of the parts (line, column, text, whether code precedes it): parts that are the whole of consecutive lines and
    begin in the same column are one passage."""
    passages, last = [], None
    for line, column, text, trailing in parts:
        if last == (line - 1, column) and not trailing:
            passages[-1] = passages[-1]._replace(text=passages[-1].text + "\n" + text)
        else:
            passages.append(Passage(path, line, kind, text))
        last = (line, column)
    return passages


def comment_text(text):
    return re.sub(r"^/\*+|\*+/$|^[/#]+[<!]*", "", text).strip("-= ")


def cpp(path, text):
    comments, strings, end = [], [], 0
    with_strings = path.parts[0] == "include" or path.parts[0] == "examples"
    for match in CPP.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        line, column = text.count("\n", 0, match.start()) + 1, len(before)
        if match["raw"]:
            comments += [(line + i, 0, comment_text(row), False) for i, row in enumerate(match["inner"].split("\n"))
                         if row.startswith("//")]
        elif match["line"] or match["block"]:
            trailing = bool(before.strip())
            comments += [(line + i, column, comment_text(row.strip()), trailing and i == 0)
                         for i, row in enumerate(match[0].split("\n"))]
        elif match["string"] and not before.lstrip().startswith("#"):
            between = text[end:match.start()]
            value = match["string"][1:-1].replace(r"\"", '"')
            case = bool(CASE.search(text[max(0, match.start() - 80):match.start()]))
            if strings and not between.strip() and end:
                strings[-1] = strings[-1]._replace(text=strings[-1].text + "\n" * between.count("\n") + value)
            elif case or with_strings:
                strings.append(Passage(path, line, "case" if case else "string", value))
            else:
                continue
            end = match.end()
    return joined(path, "comment", comments) + [s for s in strings if s.kind == "case" or SENTENCE_LIKE.search(s.text)]


def python(path, text):
    comments = [(token.start[0], token.start[1], comment_text(token.string), bool(token.line[:token.start[1]].strip()))
                for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT and not token.string.startswith("#!")]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [Passage(path, node.body[0].lineno, "comment", node.body[0].value.value)
                  for node in ast.walk(ast.parse(text)) if isinstance(node, documented) and ast.get_docstring(node)]
    return joined(path, "comment", comments) + docstrings


def hashed(path, text):
    """Comments of bash, BUILD and YAML files, and the texts that a script prints from <<'TEXT'."""
    comments, helps = [], []
    for number, row in enumerate(text.split("\n"), 1):
        found = re.search(r"(?:^|\s)(#(?![!}]).*)", row)
        if found and row[:found.start()].count('"') % 2 == 0 and row[:found.start()].count("'") % 2 == 0:
            comments.append((number, found.start(1), comment_text(found[1]), bool(row[:found.start(1)].strip())))
    for found in re.finditer(r"<<'TEXT'\n(.*?)^TEXT$", text, re.DOTALL | re.MULTILINE):
        first = text.count("\n", 0, found.start(1)) + 1
        helps += [Passage(path, first + i, "string", row.strip()) for i, row in enumerate(found[1].split("\n")) if row.strip()]
    return joined(path, "comment", comments) + helps


def blanked(match):
    return "``" + "\n" * match[0].count("\n")


def markdown(path, text):
    """Paragraphs, list items, headings and cells, without code."""
    text = re.sub(r"^(\s*)```.*?^\s*```", lambda m: "\n" * m[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[a-z/][^<>]*>", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
    passages, fresh = [], True
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip() or row.startswith(("    ", ">")) and fresh or row.startswith(">"):
            fresh = True
            continue
        if row.startswith("|"):
            passages += [Passage(path, number, "page", cell.strip()) for cell in re.split(r"(?<!\\)\|", row) if cell.strip(" -:")]
        elif row.startswith("#"):
            passages.append(Passage(path, number, "page", row.strip("# ")))
        elif fresh or re.match(r"\s*([-*]|\d+\.) ", row):
            passages.append(Passage(path, number, "page", re.sub(r"^\s*([-*]|\d+\.) ", "", row)))
        else:
            passages[-1] = passages[-1]._replace(text=passages[-1].text + "\n" + row.strip())
        fresh = row.startswith(("|", "#"))
    return passages


def plain(text):
    """A passage without code, quotations, formulas and targets of links, which are nobody's prose. Lines keep their numbers."""
    text = re.sub(r"@code.*?@endcode", blanked, text, flags=re.DOTALL)
    text = re.sub(r"``[^`]+``|`[^`]+`", blanked, text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r'"[^"]*"|“[^”]*”', blanked, text)
    return re.sub(r"https?://\S+|(?<!\S)[@\\](?:t?param(?:\[\w+\])? \w+|\w+)", "", text)


def reader(path):
    """The function that extracts the passages of a file, None if it has none."""
    if path.suffix == ".md":
        return markdown
    if path.suffix in (".hpp", ".cpp", ".h", ".c", ".js"):
        return cpp
    if path.suffix == ".py":
        return python
    if path.suffix in (".sh", ".bazel", ".bzl", ".yml") or path.name == "dev":
        return hashed
    return None


def passages():
    found = []
    for path in files():
        path = path.relative_to(tree())
        if reader(path) and path.parts[0] != "third_party":
            found += reader(path)(Path(path), (tree() / path).read_text())
    return found
