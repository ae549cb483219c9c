#!/usr/bin/env -S python3 -B
"""Pages, comments, errors, help texts and names of test cases keep the language that .github/CONTRIBUTING.md describes."""

import re
from pathlib import Path

from house import report
from prose_text import Passage, passages, plain, reader

UNITS = "byte|edge|rank|node|step|round|row|message|second|block|piece|run|chunk|switch|slot"
BRITISH = (r"neighbour\w*|colou\w*|behaviour\w*|favour\w*|honour\w*|centre[ds]?|grey|programmes?|defence|whilst|amongst|"
           r"(?:modell|labell)(?:ed|ing)|analys(?:ed|es|ing)|"
           r"(?!aris)\w*(?:al|an|ar|dom|el|er|gn|il|im|in|ol|on|or|rd|tom)is(?:e|ed|es|ing|ation\w*)")
SUBJECT = r"(?:\A|(?<!\.\.)[.;!?]\s+)"

# name: the pattern that a passage must not contain, its replacement, and a sentence that breaks the rule.
RULES = {
    "tell": (r"\b(?:tell|tells|told|telling)\b", "state, report, return, distinguish", "The plan tells its size."),
    "hear": (r"\b(?:hear|hears|heard|hearing)\b", "receive", "Rank 1 hears rank 0."),
    "say": (r"\b(?:say|says|said|saying)\b", "state, report, specify", "The header says so."),
    "ask": (r"\b(?:ask|asks|asked|asking)\b", "request, call, query; must", "A caller is asked to wait."),
    "answer": (r"\b(?:answered|answering|(?:to|not|never|must|may|can|will) answer|(?:it|that|which|and) answers?)\b", "reply, return",
               "Rank 0 answered."),
    "stand": (r"\b(?:stand|stands|stood)\b(?!-)", "is, has, appears", "A number stands here."),
    "lie": (r"\b(?:lie|lies|lay|lain)\b", "is in, is stored", "The buffer lies within."),
    "want": (r"\b(?:want|wants|wanted)\b", "need, expect, request", "The engine wants a reduction."),
    "know": (r"\b(?:know|knows|knew)\b", "have, store; known", "A rank knows its peers."),
    "learn": (r"\b(?:learn|learns|learned|learnt)\b", "receive, read", "A rank learns the size."),
    "whoever": (r"(?i)\bwhoever\b", "the noun: every caller, the thread that", "Whoever waits sleeps."),
    "what": (SUBJECT + r"(?:[Ww]hat|[Ww]ho|[Ww]hose|Those who|[Tt]hat which)\b(?!\()(?![^.]*\?)", "a noun as the subject",
             "What is sent is counted."),
    "of": (SUBJECT + r"Of\s(?!course)", "the subject first", "Of reductions the largest wins."),
    "per": (rf"\b(?:\d+|bytes|[fnpu]s|times|messages|counts|sizes?|once|twice|line) an? (?:{UNITS})(?=[,.;:)]|\s*\Z)",
            "per", "There is one size a rank."),
    "spelling": (rf"(?i)\b(?:{BRITISH})\b", "the American spelling", "The colour is red."),
    "computer": (r"(?i)\bcomputers?\b", "node", "A computer hosts ranks."),
    "machine": (r"(?i)(?<!state )(?<!virtual )\bmachines\b(?!/)|\bbetween machine\b|\b(?:each|another|one) machine\b",
                "node, cluster, system", "Two machines exchange blocks."),
    "nothing": (r"\bnothing \(accepted", "ARGUMENT is required", "got nothing (accepted: a, b)"),
    "repeated": (r"(?i)(?<![\w-])([a-z]{2,})[ \n]\1(?![\w-])", "the word once", "A rank sends the the block."),
    "contraction": (r"(?i)\b(?:\w+n't|(?:it|that|there|let|what|here)'s|(?:we|you|they|i)'(?:re|ll|ve|d|m))\b", "both words in full",
                    "It doesn't wait."),
}
# The same for errors.
ERRORS = {
    "full stop": (r"[a-z)]\.\Z", "no full stop", "a multiple of group."),
    "capital": (r"\A(?!Open MPI|MPI|Slurm)[A-Z][a-z]+ (?!et al)[a-z](?!.*\d{4}\Z)", "lower case", "Expected a rank"),
}

# (path, rule, start of the line): the reason why it stays.
EXCEPTIONS = {
    ("docs/glossary.md", "computer", "a computer that hosts ranks"): "the definition of a node",
}


def is_error(passage):
    """A string of the library that is no text of a page or a picture."""
    return passage.kind == "string" and re.match("include/collsched/(?!format/(?:detail/|pictures/|\w+/write_))", str(passage.path)) is not None


def findings(passage):
    """(line, rule, message) for each violation."""
    text = plain(passage.text)
    for name, (pattern, instead, _) in (RULES | ERRORS if is_error(passage) else RULES).items():
        for match in re.finditer(pattern, text):
            start = match.end() - len(match[0].lstrip(".;:!? \n"))
            line = passage.line + text.count("\n", 0, start)
            row = text.split("\n")[line - passage.line]
            if (str(passage.path), name, row) not in EXCEPTIONS:
                yield line, name, f"{name}: {match[0][start - match.start():]!r} in {row.strip()!r}; instead: {instead}"


def self_test():
    """Each rule finds its own bad sentence, and each kind of file yields its prose alone."""
    problems = [f"rule {name} does not find {bad!r}" for name, (_, _, bad) in (RULES | ERRORS).items()
                if name not in [rule for _, rule, _ in findings(Passage(Path("include/collsched/core/a.hpp"), 1, "string", bad))]]
    code = '// Rank 0\n// is told.\nTEST_CASE("a: told") {}\nerror("got it told");\nint told;  // `told`\n'
    page = '# Told\n\nSome `told` "told" text\nis told.\n\n```\ntold\n```\n\n| a | told |\n- one\n- told\n'
    for name, text, lines in [("include/a.hpp", code, [2, 3, 4]), ("test/a.cpp", code, [2, 3]),
                              ("a.md", page.replace("# Told", "# told"), [1, 4, 10, 12]),
                              ("a.py", '"""Is\ntold."""\ntold = 1  # told\n', [2, 3]),
                              ("a.sh", 'told  # told\ncat <<\'TEXT\'\n  is told\nTEXT\n', [1, 3])]:
        path = Path(name)
        found = sorted(line for passage in reader(path)(path, text) for line, rule, _ in findings(passage))
        if found != lines:
            problems.append(f"{name} of the self-test: findings in lines {found}, expected {lines}")
    return problems


def main():
    checked = passages()
    problems = self_test()
    for passage in checked:
        problems += [f"{passage.path}:{line}: {message}" for line, _, message in findings(passage)]
    report(problems, f"{len(checked)} passages")


if __name__ == "__main__":
    main()
