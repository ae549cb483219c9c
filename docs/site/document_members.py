#!/usr/bin/python3 -B
"""Input filter of Doxygen. Usage: document_members.py HEADER, which prints the header as Doxygen reads it.

Many members have one meaning in every class: those that the concepts of schedules, algorithms, trees and planners require, and
parameters that algorithms share. MEMBERS has their documentation once. The filter puts it before such a member where the
header has none, on the same line, so that line numbers stay the same. A comment in the header takes precedence.

A comment that begins with "Returns X." and has no @return gets "@return X", since Doxygen shows both.

The filter also leaves the inline namespace of the version out of names, and specializations of names of the standard library."""

import re
import sys
from pathlib import Path

# A class is of the first kind that one of its members satisfies. "any" is every class.
KINDS = {
    "schedule": r"\bvoid sends\(rank_t",
    "algorithm": r"static constexpr algorithm_info info\b",
    "tree": r"static constexpr bool reverse_keeps_order\b",
    "planner": r"static constexpr const char\* name = ",
    "transport": r"\bint post_send\(",
    "cost": r"\bchecked connection\(bool",
}

RANK = "rank, 0 .. ranks-1"
STEP = "step, 0 .. steps()-1"
P = "number of ranks, 1 or more"
VIRTUAL = "virtual rank, 0 .. p-1"
EDGE = "callable, f(edge)"
POSITION = "position in preorder, 0 .. p-1"
TO_RANK = "callable, f(rank)"

# (kind, the start of the declaration, text, {parameter: text}, returned value)
MEMBERS = [
    # Members of the concept `schedule`.
    ("schedule", r"rank_t ranks;", "Number of ranks p.", {}, None),
    ("schedule", r"step_t steps\(\) const", "Returns the number of steps, numbered 0 .. steps()-1.", {},
     "the number of steps, 0 or more"),
    ("schedule", r"step_t next\(rank_t", "Returns a lower bound of the next step in which a rank has edges.",
     {"r": RANK, "k": "step, 0 or more"}, "a step >= k before which rank r has no edges from k on, or steps()"),
    ("schedule", r"step_ranges busy\(rank_t", "Returns ranges of steps that contain all edges of a rank.", {"r": RANK},
     "the ranges, in ascending order"),
    ("schedule", r"void sends\(rank_t", "Calls f for every edge from rank r in step k, those within the rank included.",
     {"r": RANK, "k": STEP, "f": EDGE}, None),
    ("schedule", r"void receives\(rank_t", "Calls f for every edge to rank r in step k from another rank.",
     {"r": RANK, "k": STEP, "f": EDGE}, None),
    ("schedule", r"bytes_t scratch\(rank_t", "Returns the size of the scratch buffer of a rank.", {"r": RANK},
     "bytes, 0 or more"),
    ("schedule", r"bytes_t staging\(rank_t", "Returns the most bytes that a rank receives to combine in one step.",
     {"r": RANK}, "bytes, 0 or more"),
    ("schedule", r"(?:collsched::)?pacing pacing\(\) const", "Returns the limit on overlapping steps.", {},
     "the pacing; window 0 is no limit"),
    ("schedule", r"(?:collsched::)?contract contract\(\) const", "Returns the contract that the schedule fulfills.", {},
     "the contract"),
    ("schedule", r"argument_error check\(\) const",
     "Returns the first error of the schedule, or no error. With an error no other member may be called.", {},
     "the error; no error converts to false"),
    ("schedule", r"std::uint64_t fingerprint\(\) const", "Returns the hash of the description of the schedule.", {},
     "the hash; schedules with equal fingerprints have equal edges"),
    ("schedule", r"static constexpr bool scratchless\b", "Whether no rank of any such schedule needs scratch.", {}, None),

    # Members of the concepts of algorithms.
    ("algorithm", r"static constexpr algorithm_info info\b",
     "Description of the algorithm: its collective, name, rounds, source and pacing.", {}, None),
    ("algorithm", r"rank_t ranks = 1;", "Number of ranks p, 1 or more.", {}, None),
    ("algorithm", r"rank_t root = 0;", "Root, 0 .. ranks-1.", {}, None),
    ("algorithm", r"block_layout block = 0;", "Sizes and displacements of the blocks of all ranks, in bytes.", {}, None),
    ("algorithm", r"block_matrix block(?: = 0|\{\});",
     "Sizes and displacements of the blocks from every rank to every rank, in bytes.", {}, None),
    ("algorithm", r"bytes_t bytes = 0;", "Bytes m of the message, or of the operand of every rank; 0 or more.", {}, None),
    ("algorithm", r"bytes_t element = 1;",
     "Bytes of an element, 1 or more. It divides the bytes of the message, or of every block and displacement.", {}, None),
    ("algorithm", r"bytes_t segment = 0;",
     "Largest size of a segment in bytes, a multiple of the element; 0: no segmentation.", {}, None),
    ("algorithm", r"topology::placement placement\{\};", "Node of every rank.", {}, None),
    ("algorithm", r"lob_model cluster\{\};", "Switch tree and costs of the cluster that the tree is planned for.", {},
     None),
    ("algorithm", r"Tree tree\{\};", "Tree or pair of trees over virtual ranks, with its parameters.", {}, None),
    ("algorithm", r"Outer outer\{\};",
     "Algorithm between nodes, with its parameters. Members of the contract, such as ranks and sizes, are replaced.", {},
     None),
    ("algorithm", r"Inner inner\{\};",
     "Algorithm within a node, with its parameters. Members of the contract, such as ranks and sizes, are replaced.", {},
     None),
    ("algorithm", r"\w+ inner_gather\{\};",
     "Gather within a node, with its parameters. Members of the contract, such as ranks and sizes, are replaced.", {}, None),
    ("algorithm", r"\w+ inner_scatter\{\};",
     "Scatter within a node, with its parameters. Members of the contract, such as ranks and sizes, are replaced.", {}, None),
    ("algorithm", r"\w+ inner_broadcast\{\};",
     "Broadcast within a node, with its parameters. Members of the contract, such as ranks and sizes, are replaced.", {}, None),
    ("algorithm", r"(?:Allgather|X) of\{\};",
     "The part, with its parameters. Members of the contract, such as ranks and sizes, are replaced.", {}, None),
    ("algorithm", r"std::int64_t radix = \d;", "Radix k, 2 or more.", {}, None),
    ("algorithm", r"rank_t aggregate = \d;", "Most blocks per message A, a power of two.", {}, None),
    ("algorithm", r"step_t window = \d;",
     "Pacing window w in steps: step k of a rank starts after its steps <= k-w are complete; 0: no pacing.", {}, None),
    ("algorithm", r"static constexpr void parameters\(auto&", "Calls f for every parameter, in a fixed order.",
     {"self": "the algorithm", "f": "callable, f(name, parameter); it may change the parameter if `self` is not constant"},
     None),
    ("algorithm", r"static constexpr void parts\(auto&",
     "Calls f for every algorithm in this one that `info` and the parameters do not determine.",
     {"self": "the algorithm", "f": "callable, f(algorithm)"}, None),
    ("algorithm", r"(?:auto|[\w:]+) view\(\) const",
     "Returns the schedule. With wrong parameters, which lower() checks first, it is any schedule.", {},
     "the schedule of these parameters"),
    ("algorithm", r"argument_error check\(\) const",
     "Returns the first error in the parameters of this algorithm. lower() first checks those that algorithms share.", {},
     "the error; no error converts to false"),
    ("algorithm", r"step_t steps\(\) const",
     "Returns the number of steps. For an algorithm by blocks lower() may add steps of copies within ranks.", {},
     "the number of steps, 0 or more"),
    ("algorithm", r"step_t next\(rank_t",
     "Returns a lower bound of the next step in which a rank has edges, except copies that lower() adds.",
     {"r": RANK, "k": "step, 0 or more"}, "a step >= k before which rank r has no edges from k on, or steps()"),
    ("algorithm", r"step_range active\(rank_t",
     "Returns a range of steps that contains all edges of a rank, except copies that lower() adds.", {"r": RANK}, "the range"),
    ("algorithm", r"void targets\(rank_t", "Calls f once for every other rank that a rank sends to in a step.",
     {"r": RANK, "k": STEP, "f": TO_RANK}, None),
    ("algorithm", r"void sources\(rank_t", "Calls f once for every other rank that a rank receives from in a step.",
     {"r": RANK, "k": STEP, "f": TO_RANK}, None),
    ("algorithm", r"void message\(rank_t", "Calls f for every interval of blocks in the message from one rank to another.",
     {"src": "sender", "dst": "one of its targets", "k": STEP, "f": "callable, f(block_interval)"}, None),
    ("algorithm", r"void transfers\(rank_t", "Calls f for every edge from one rank to another, without step and ranks.",
     {"src": "sender", "dst": "one of its targets", "k": STEP, "f": EDGE}, None),
    ("algorithm", r"void local\(rank_t", "Calls f for every edge within a rank in a step, without step and ranks.",
     {"r": RANK, "k": STEP, "f": EDGE}, None),
    ("algorithm", r"bytes_t scratch\(rank_t", "Returns the size of the scratch buffer of a rank.", {"r": RANK},
     "bytes, 0 or more"),
    ("algorithm", r"[\w:]+(?:<\w+>)? store\(\) const", "Returns the places of the blocks of a rank, for lower().", {},
     "the store of blocks"),
    ("algorithm", r"rank_t pieces\(\) const", "Returns the number of segments S.", {}, "the number of segments, 1 or more"),

    # Members of the concepts `rooted_tree` and `tree_pair`.
    ("tree", r"rank_t radix = \d;", "Radix k, 2 or more.", {}, None),
    ("tree", r"static constexpr const char\* name = ", "Name of the tree, for lists and reports.", {}, None),
    ("tree", r"static constexpr const char\* rounds = ", "Number of steps as a formula in p.", {}, None),
    ("tree", r"static constexpr const char\* source = ", "Origin of the tree, or an empty text.", {}, None),
    ("tree", r"static constexpr bool reverse_keeps_order = ",
     "Whether a reduction toward the root combines operands in rank order.", {}, None),
    ("tree", r"step_t steps\(rank_t", "Returns the number of steps over p ranks.", {"p": P},
     "1 + the last step with a send; 0 for p = 1"),
    ("tree", r"rank_t parent\(rank_t", "Returns the parent of a virtual rank.",
     {"p": P, "v": "virtual rank, 1 .. p-1", "i": "position in preorder, 1 .. p-1"}, "a virtual rank"),
    ("tree", r"step_t step\(rank_t", "Returns the step in which a virtual rank receives from its parent.",
     {"p": P, "v": VIRTUAL, "i": POSITION}, "the step; -1 for v = 0"),
    ("tree", r"rank_t child\(rank_t", "Returns the child that a virtual rank sends to in a step.",
     {"p": P, "v": VIRTUAL, "i": POSITION, "k": "any step"}, "a virtual rank, or -1"),
    ("tree", r"step_t fanout\(rank_t", "Returns the number of steps from the receive of a virtual rank to its last send.",
     {"p": P, "v": VIRTUAL, "i": POSITION}, "the number of steps; 0 for a leaf"),
    ("tree", r"step_t most_sends\(rank_t", "Returns the largest fanout of a virtual rank.", {"p": P},
     "the number of steps: the period of a pipeline over the tree"),
    ("tree", r"rank_t extent\(rank_t", "Returns the number of virtual ranks of a subtree.",
     {"p": P, "v": VIRTUAL, "i": POSITION}, "the number of virtual ranks, the root of the subtree included"),
    ("tree", r"static constexpr void parameters\(auto&", "Calls f for every parameter, in a fixed order.",
     {"self": "the tree", "f": "callable, f(name, parameter); it may change the parameter if `self` is not constant"}, None),
    ("tree", r"argument_error check\(rank_t",
     "Returns the first error in the parameters for p ranks, or no error. With an error no other member may be called.",
     {"p": "number of ranks"}, "the error; no error converts to false"),

    # Members of the concepts `transport` and `polled_transport`.
    ("transport", r"int post_send\(", "Starts a send.",
     {"key": "identity of the message", "parts": "memory of the message in order, valid until completion"},
     "0, a positive error, or already_complete; a completion follows only after 0"),
    ("transport", r"int post_recv\(", "Starts a receive.",
     {"key": "identity of the message", "parts": "memory of the message in order, valid until completion"},
     "0, a positive error, or already_complete; a completion follows only after 0"),
    ("transport", r"int post_recv_combine\(", "Starts a receive of a message that is combined as it arrives.",
     {"key": "identity of the message", "part": "target and operand of the whole message"},
     "0, a positive error, or already_complete; a completion follows only after 0"),
    ("transport", r"completion poll\(", "Returns a completion of any owner, if one is available. Never blocks.", {},
     "the completion, or an empty one"),
    ("transport", r"completion wait_any\(", "Blocks until an operation of any owner is complete, or until the timeout.",
     {"timeout": "0 or more, or `forever`"}, "the completion; an empty one after the timeout"),
    ("transport", r"void cancel\(", "Withdraws all operations of an owner. None of them touches memory or is reported afterwards.",
     {"owner": "message::request::owner of the operations"}, None),

    # Members of the concept `message_cost`, in picoseconds.
    ("cost", r"checked sending\(", "Returns the time that a message occupies the processor of its sender.",
     {"i": "sender", "j": "receiver", "m": "bytes", "opens": "whether the message is the first of its ordered pair"},
     "picoseconds, 0 or more"),
    ("cost", r"checked connection\(", "Returns the part of sending() that opens a connection.",
     {"opens": "whether the message is the first of its ordered pair"}, "picoseconds, 0 or more"),
    ("cost", r"checked stream\(bytes_t", "Returns the time from the first to the last byte of a message.", {"m": "bytes"},
     "picoseconds, 0 or more"),
    ("cost", r"checked gap\(", "Returns the idle time of a network interface after a message.", {}, "picoseconds, 0 or more"),
    ("cost", r"checked flight\(", "Returns the time from departure to arrival of a byte.",
     {"i": "sender", "j": "receiver"}, "picoseconds, 0 or more"),
    ("cost", r"checked receiving\(", "Returns the time that a message occupies the processor of its receiver.",
     {"i": "sender", "j": "receiver", "opens": "whether the message is the first of its ordered pair"},
     "picoseconds, 0 or more"),
    ("cost", r"checked copy\(", "Returns the processor time of a local copy.", {"m": "bytes"}, "picoseconds, 0 or more"),
    ("cost", r"checked combine\(", "Returns the processor time of a combination.", {"m": "bytes"}, "picoseconds, 0 or more"),

    # Members of the concept `planner`.
    ("planner", r"static constexpr const char\* name = ", "Name of the planner, for lists and reports.", {}, None),
    ("planner", r"static constexpr const char\* source = ", "Origin of the planner.", {}, None),
    ("planner", r"static constexpr const char\* ranks = ", "Numbers of ranks that the planner accepts.", {}, None),
    ("planner", r"tree_plan operator\(\)\(const tree_plan::request&", "Returns the one-to-many plan of a request.",
     {"request": "cluster, root and bytes"}, "the plan; a wrong request leads to a plan with an error and without edges"),
    ("planner", r"tree_plan back\(const tree_plan::request&", "Returns the many-to-one plan of a request.",
     {"request": "cluster, root and bytes"}, "the plan; a wrong request leads to a plan with an error and without edges"),
    ("planner", r"static constexpr (?:detail::)?edge_list group_edges\(",
     "Returns the edges of a tree over some ranks of a cluster.",
     {"request": "cluster, root and bytes", "ranks": "some ranks of the cluster, in ascending order",
      "head": "the root of the tree, one of these ranks"}, "the edges, in order of sends"),

    # Every class.
    ("any", r"bool operator==\(const [\w:]+&\) const = default;", "Compares all members.", {},
     "whether all members are equal"),
    ("any", r"argument_error check\(\) const \{ return error_; \}",
     "Returns the error in the arguments of the construction, or no error.", {}, "the error; no error converts to false"),
]


def comment(entry, declaration):
    """The comment of a member: only parameters that have names in the declaration can be documented."""
    _, _, text, parameters, returned = entry
    named = re.findall(r"(\w+)\s*[,)]", declaration)
    parts = [text] + [f"@param {name} {what}" for name, what in parameters.items() if name in named]
    return "/** " + " ".join(parts + ([f"@return {returned}"] if returned else [])) + " */"


def code_of(text):
    """The text with comments and the contents of literals blanked, character by character."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'', blank, text,
                  flags=re.DOTALL)


def is_class(head):
    """Whether a brace opens a class: `head` is the code from the last statement to the brace."""
    while (shorter := re.sub(r"<[^<>]*>", "", head)) != head:
        head = shorter
    return re.search(r"\b(?:struct|class|union)\s+(?:\[\[.*\]\]\s*)?[\w:]+[^()=]*$", head) is not None


def members(text):
    """Every class of a header as a list of (line, declaration) of its members, lines from 0."""
    code = code_of(text)
    found, scopes, start, round_brackets = [], [None], 0, 0  # scopes: members of each open class, None for other braces
    line_of = [0]
    for character in code:
        line_of.append(line_of[-1] + (character == "\n"))

    def declare(end):
        head = code[start:end]
        if scopes[-1] is not None and head.strip(" \n;"):
            scopes[-1].append((line_of[start + len(head) - len(head.lstrip())], head.strip()))

    for i, character in enumerate(code):
        if character in "()":
            round_brackets += 1 if character == "(" else -1
        elif round_brackets > 0:
            continue
        elif character == "{":
            declare(i + 1)
            scopes.append([] if is_class(code[start:i]) else None)
            if scopes[-1] is not None:
                found.append(scopes[-1])
            start = i + 1
        elif character == "}":
            scopes.pop()
            start = i + 1
        elif character == ";" or (character == ":" and re.fullmatch(r"\s*(?:public|private|protected)", code[start:i])):
            if character == ";":
                declare(i + 1)
            start = i + 1
    return found


def insertions(text):
    """The members of a header that MEMBERS documents: line, declaration and entry."""
    lines = text.split("\n")
    for declarations in members(text):
        kind = next((kind for kind, sign in KINDS.items() if any(re.search(sign, code) for _, code in declarations)), None)
        for line, code in declarations:
            written = lines[line].strip()
            if "///<" in written or lines[line - 1].strip().startswith("///"):
                continue
            bare = re.sub(r"^(?:\[\[nodiscard\]\] )?(?:constexpr )?", "", written)
            for entry in MEMBERS:
                if entry[0] in ("any", kind) and re.match(entry[1], bare):
                    yield line, code, entry
                    break


def returned_values(lines):
    """Comments that begin with "Returns": pairs of the last line and the returned value, a sentence."""
    first = 0
    for line in range(len(lines) + 1):
        if line < len(lines) and re.match(r"\s*///(?!<)", lines[line]):
            continue
        block = " ".join(text.strip()[3:].strip() for text in lines[first:line])
        value = re.match(r"Returns (.*?)(?:(?<!\.)\.(?=\s|$)|$)", block)
        if value and "@return" not in block:
            yield line - 1, value[1]
        first = line + 1


def documented(text):
    """The header as Doxygen reads it."""
    lines = text.split("\n")
    for line, value in list(returned_values(lines)):
        lines[line] += f" @return {value}"
    for line, declaration, entry in insertions(text):
        lines[line] = f"{comment(entry, declaration)} {lines[line]}"
    text = "\n".join(lines).replace("inline namespace COLLSCHED_ABI {", 'extern "C++" {')
    return re.sub(r".* std::ranges::enable_view<.*", "", text)


if __name__ == "__main__":
    sys.stdout.write(documented(Path(sys.argv[1]).read_text()))
