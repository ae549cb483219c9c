"""Makes faults of one line in headers."""

import collections
import re
import sys

sys.path.insert(0, "test/house")
from house import TOP  # noqa: E402

Fault = collections.namedtuple("Fault", "header line before after")

HIDDEN = [re.compile(pattern, re.DOTALL | re.MULTILINE) for pattern in (
    r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*',
    r"\b(?:static_assert|concept|using)\b[^;]*;|\brequires\b[^\n]*|\bvirtual\b[^\n]*= 0;",
    r"\btemplate <(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")]

# `if (a != b) return a < b`: the second comparison never sees equal values.
UNEQUAL = re.compile(r"(\S+) != (\S+?)\)? (?:return|\?) \1 [<>] \2\b")

# `a < b ? a : b`, `if (a < b) a = b;`: equal values give the same either way.
SIDE = r"((?:[^<>=?;,]|->)+?)"
SAME = [re.compile(pattern) for pattern in (
    rf"(?:return |[=?:,] |\(){SIDE} [<>] {SIDE} \? (?:\1 : \2|\2 : \1)(?=[;,)\]}}])",
    rf"if \({SIDE} [<>] {SIDE}\) (?:\1 = \2|\2 = \1);")]

# `char text[length]`: one element more changes nothing.
ARRAY = re.compile(r"^\s*(?:static |constexpr |const )*(?!(?:return|else)\b)[\w:]+(?:<.*>)? \w+\[[^\]]")

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGICAL = {"&&": "||", "||": "&&"}
OPERAND = r"(?:(?:\w|\.|::|->)+(?:\([^()]*\)|\[[^\[\]]*\])*|\([^()]*\))"
TERM = rf"{OPERAND}(?: [*/%] {OPERAND})*"
ASSIGNED = r"[\w.:>\-\[\]()*]+(?: (?:[-+*/%|&^]|<<|>>)?= .*|\(.*\)|\+\+|--)|(?:\+\+|--)[\w.>\-\[\]()*]+"


def neighbors(number):
    return [str(number + 1)] + [str(number - 1)] * (number > 0)


INDEX = re.compile(r"(?<=[\w\])])\[([a-z_]\w*)\]")

# A pattern that matches in a line of code, and its replacements.
RULES = [(re.compile(pattern), replacements) for pattern, replacements in (
    (r"(?<= )(?:<=?|>=?|[=!]=)(?= )", lambda m: [COMPARISONS[m[0]]]),
    (r"(?<= )(?:&&|\|\|)(?= )", lambda m: [LOGICAL[m[0]]]),
    (r"!(?=[\w(])", lambda m: [""]),
    (r"(?<![\w.'])\d+(?![\w.'])", lambda m: neighbors(int(m[0]))),
    (INDEX, lambda m: [f"[{m[1]} + 1]"]),
    (rf" [-+] {TERM}(?=[;,)\]}} ])", lambda m: [""]),
    (rf"((?:^|[(\[{{,=?:<>&|]|\breturn) ?)({OPERAND}) ([-/%]) ({OPERAND})(?! [*/%])", lambda m: [f"{m[1]}{m[4]} {m[3]} {m[2]}"]),
    (rf"(?<=^)(\s+)(?!return\b|break\b|continue\b|throw\b)(?:{ASSIGNED}|if \(.*\) [^{{]*);$", lambda m: [m[1] + ";"]))]


def code_lines(text):
    """The lines of a header, with blanks for what is not mutated."""
    for pattern in HIDDEN:
        text = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return text.split("\n")


def whole_statement(code, previous):
    """Whether a line that looks like a statement is one, and no part of one."""
    return (code.count("(") == code.count(")") and not re.search(r"= (?:default|delete);$", code)
            and re.search(r"[;{})]$|:$", previous) is not None)


def without_effect(pattern, match, code):
    """Whether no test can notice what replaces a match."""
    if pattern is RULES[0][0] and match[0] in "<>":
        return UNEQUAL.search(code) or any(same.start() < match.start() < same.end()
                                           for one in SAME for same in one.finditer(code))
    return pattern is INDEX and ARRAY.search(code)


def faults(header):
    """All faults of a header."""
    text = (TOP / header).read_text()
    found, previous = [], ";"
    for number, (line, code) in enumerate(zip(text.split("\n"), code_lines(text)), 1):
        code = code.rstrip()
        for pattern, replacements in RULES:
            if pattern is RULES[-1][0] and not whole_statement(code, previous):
                continue
            for match in pattern.finditer(code):
                if without_effect(pattern, match, code):
                    continue
                if pattern is RULES[-1][0] or "  " not in match[0]:  # a blanked string is no operand
                    found += [Fault(header, number, line, line[:match.start()] + by + line[match.end():])
                              for by in replacements(match)]
        previous = code or previous
    return [fault for fault in dict.fromkeys(found) if fault.before != fault.after]
