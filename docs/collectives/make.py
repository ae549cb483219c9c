#!/usr/bin/env -S python3 -B
"""make.py COLLSCHED [--check] [PAGE...]: fills in the text between `<!-- made: TEXT -->` and `<!-- end -->` in the pages, by
running the command line program COLLSCHED, and draws their pictures. --check changes nothing and exits with 1 where a page or a
picture is not what would be made. Pages: all docs/collectives/*.md and docs/commands/*.md, and those of OTHER_PAGES.

Values of TEXT:
    algorithms COLLECTIVE...            a table of all that `list` prints, with formulas.py, which is compared with `metrics`
    counted COLLECTIVE P,P OPTIONS...   the counts of `metrics` for P ranks
    choose COLLECTIVE P,P SIZE,SIZE     the choice of `choose`, under MODEL
    run ARGUMENTS... [| N]              the command and the first N lines that it prints
    picture NAME OPTIONS...             a drawing by `show --svg`, NAME-OPTIONS.svg beside the page
    drawing FILE ARGUMENTS...           a drawing by any command with `--svg`, FILE beside the page
    commands                            a table of all commands
    help COMMAND                        usage, examples and options of a command, by its parser
    schedule-options                    tables of the options that describe a schedule
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
import textwrap
from fractions import Fraction
from pathlib import Path

from formulas import FORMULAS
from help_tables import SCHEDULE_GROUPS, commands_table, help_page, missing_pages, options_tables

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
MODEL = "loggp:L_us=1,o_us=0.5,g_us=0.5,G_ns=0.1"
MANY = 144403552893600  # bytes that every p up to 33 divides
RANKS = range(2, 34)
COMMANDS = TOP / "docs" / "commands"
OTHER_PAGES = ("cli.md", "decision_tables.md", "find_the_critical_path.md", "from_cluster_to_speed.md", "number_ranks_along_a_cycle.md",
               "plan_for_a_network.md", "tune_your_cluster.md")


class Stale(Exception):
    pass


class Program:
    def __init__(self, path):
        self.path = str(Path(path).resolve())
        self.known = {}

    def run(self, *arguments, may_fail=False):
        if arguments not in self.known:
            self.known[arguments] = subprocess.run([self.path, *arguments], capture_output=True, text=True, cwd=TOP)
        done = self.known[arguments]
        if done.returncode != 0 and not may_fail:
            raise Stale(f"collsched {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout if done.returncode == 0 else None

    def lines(self, *arguments, may_fail=False):
        text = self.run(*arguments, "--json", may_fail=may_fail)
        return None if text is None else [json.loads(line) for line in text.splitlines()]

    def entries(self, collective):
        found = [entry for entry in self.lines("list") if entry["collective"] == collective]
        if not found:
            raise Stale(f"no collective {collective}")
        found = [e for e in found if not {"forest", "transfers"} & set(e["parameters"])]
        return [e for e in found if "cluster" not in e["parameters"]], [e for e in found if "cluster" in e["parameters"]]

    def networked(self, collective):
        return [entry["algorithm"] for entry in self.lines("list", collective) if {"forest", "transfers"} & set(entry["parameters"])]


# --- formulas against what is counted --------------------------------------------------------------------------------


def unit_of(entry):
    """The options that give it a size, and the value of b or m in bytes."""
    if "block" in entry["parameters"]:
        return ["--block", "1000"], 1000
    return (["--bytes", str(MANY)], MANY) if "bytes" in entry["parameters"] else ([], 1)


def counts(program, entry, ranks, options):
    """The lines of metrics for those of the ranks that the algorithm accepts."""
    size, _ = unit_of(entry)
    options = [*size, *options]
    if "neighbors" in entry["parameters"]:
        counted = [program.lines("metrics", entry["name"], "--dims", str(p), "--periodic", "1", *options) for p in ranks]
        return [line for lines in counted for line in lines]
    at_once = program.lines("metrics", entry["name"], "--ranks", f"{ranks[0]}..{ranks[-1]}", *options, may_fail=True)
    if at_once is not None:
        return at_once
    one_by_one = [program.lines("metrics", entry["name"], "--ranks", str(p), *options, may_fail=True) for p in ranks]
    return [line for lines in one_by_one if lines for line in lines]


def compare(program, entry, formula):
    """Every clause with what is counted."""
    tried = 0
    for variant in formula.variants:
        k = int(variant[-1]) if variant and variant[-1].isdigit() else 0
        _, unit = unit_of(entry)
        for line in counts(program, entry, RANKS, variant):
            p = line["ranks"]
            if "--placement" in variant and p % k != 0:
                continue
            clause = next((c for c in formula.clauses if c.when(p, k)), None)
            if clause is None:
                continue
            said, sent = Fraction(clause.count(p, k)), [Fraction(s, unit) for s in line["bytes_sent"]]
            holds = {"most": max(sent) == said, "at most": max(sent) <= said, "below": max(sent) < said,
                     "mean": sum(sent) == p * said}[clause.says]
            if not holds:
                raise Stale(f"{entry['name']} p={p} {' '.join(variant)}: '{clause.text}' ({clause.says} {said}), "
                            f"counted {max(sent)}, on average {sum(sent) / p}")
            tried += 1
    if tried == 0:
        raise Stale(f"{entry['name']}: its formula was never tried")


def bounds_table():
    """docs/bounds.md: for which p a schedule attains the least rounds, and the least bytes."""
    rows = re.findall(r"^\| (\w+/[\w-]+) \| ([^|]+) \| ([^|]+) \|$", (TOP / "docs" / "bounds.md").read_text(), re.MULTILINE)
    return {name: (rounds, sent) for name, rounds, sent in rows}


def make_algorithms(program, collectives):
    combining = {"allreduce", "reduce", "reduce_scatter", "exscan", "scan"}
    bounds = bounds_table()
    head = ["algorithm", "ranks", "rounds", "a rank sends at most"]
    if combining & set(collectives):
        head.append("order of operands")
    head += ["least rounds", "least bytes", "parameters", "source"]
    rows, planned_by = [], []
    for collective in collectives:
        plain, planned = program.entries(collective)
        for entry in plain:
            if entry["algorithm"] not in FORMULAS.get(collective, {}):
                raise Stale(f"formulas.py has no {entry['name']}")
            formula = FORMULAS[collective][entry["algorithm"]]
            compare(program, entry, formula)
            name = entry["name"] if len(collectives) > 1 else entry["algorithm"]
            parameters = [p for p in entry["parameters"] if p not in ("block", "bytes", "element", "root")]
            row = [f"`{name}`", entry["ranks"].replace("_", " "), entry["rounds"], formula.text()]
            if "order of operands" in head:
                row.append("any" if entry["commutative"] else "kept")
            row += [*bounds.get(entry["name"], ("?", "?")), ", ".join(parameters) or "-", entry["source"]]
            rows.append(row)
        planned_by = planned_by or planned
    text = table(head, rows)
    if planned_by:
        names = ", ".join(f"`{entry['algorithm']}`" for entry in planned_by)
        planned = f"Planned for a cluster, with `--cluster FILE`: {names}. Their trees are what the planner makes " \
                  "(`docs/clusters.md`), for any number of ranks, `optimal` for at most 8."
        text += "\n" + "\n".join(textwrap.wrap(planned, 130, break_on_hyphens=False)) + "\n"
    networked = sorted({f"`{name}`" for collective in collectives for name in program.networked(collective)})
    if networked:
        planned = f"Planned for a network, with `--network FILE`: {', '.join(networked)} (`docs/forests.md`), for its number of ranks."
        text += "\n" + "\n".join(textwrap.wrap(planned, 130, break_on_hyphens=False)) + "\n"
    return text


# --- other things that pages show ------------------------------------------------------------------------------------


def table(head, rows):
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in [head, ["---"] * len(head), *rows])


def in_units(count, unit, name):
    share = Fraction(count, unit)
    if share == 0:
        return "0"
    if share.denominator > 99:
        return f"{float(share):.2f} {name}"
    times = "" if share.numerator == 1 else f"{share.numerator} "
    return f"{times}{name}" + ("" if share.denominator == 1 else f"/{share.denominator}")


def make_counted(program, collective, ranks, options):
    head, rows = ["algorithm", "rounds", "messages", "most sent", "most received", "scratch", "staging"], []
    for entry in program.entries(collective)[0]:
        size, unit = unit_of(entry)
        name = "b" if "block" in entry["parameters"] else "m"
        given = [o for o in options if "placement" in entry["parameters"]] if "--placement" in options else options
        lines = [program.lines("metrics", entry["name"], "--ranks", p, *size, *given, may_fail=True) for p in ranks.split(",")]

        def cell(of):
            return "; ".join("-" if line is None else str(of(line[0])) for line in lines)

        def most(key):
            return cell(lambda line: in_units(max(line[key]), unit, name))

        row = [f"`{entry['algorithm']}`", cell(lambda line: line["rounds"]), cell(lambda line: line["messages"])]
        rows.append(row + [most("bytes_sent"), most("bytes_received"), most("scratch"), most("staging")])
    if not any("bytes" in e["parameters"] for e in program.entries(collective)[0]):  # signals alone
        head, rows = ["algorithm", "rounds", "signals"], [row[:3] for row in rows]
    return table(head, rows)


def size_text(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def make_choose(program, collective, ranks, sizes):
    plain, _ = program.entries(collective)
    block = "block" in plain[0]["parameters"]
    option = "--block" if block else "--bytes"
    head, rows = ["ranks", "block" if block else "message", "cheapest", "us", "next", "times as long"], []
    if sizes == "-":
        head, sizes = [h for h in head if h != "message"], ""
    for size in map(int, sizes.split(",")) if sizes else [None]:
        for p in ranks.split(","):
            given = [] if size is None else [option, str(size)]
            lines = program.lines("choose", collective, "--ranks", p, *given, "--model", MODEL)
            lines = [line for line in lines if line.get("cost_us") is not None]
            classes = collections.OrderedDict()
            for line in lines:
                setting = re.match(r"[^;]*; ([a-z]+=[^,]*),", line["reason"])
                name = "`" + line["schedule"].split("/")[1] + (" " + setting[1] if setting else "") + "`"
                classes.setdefault(line["cost_us"], []).append(name)
            (first, best), *others = classes.items()
            row = [p] + ([] if size is None else [size_text(size)]) + [", ".join(best), f"{first:.2f}"]
            rows.append(row + ([", ".join(others[0][1]), f"{others[0][0] / first:.3f}"] if others else ["-", "-"]))
    shape = f"--ranks P{'' if not sizes else f' {option} SIZE'}"
    return f"`collsched choose {collective} {shape} --model {MODEL}`:\n\n" + table(head, rows)


def make_run(program, arguments):
    lines = None
    if len(arguments) > 2 and arguments[-2] == "|":
        arguments, lines = arguments[:-2], int(arguments[-1])
    printed = [line.rstrip() for line in program.run(*arguments).rstrip("\n").split("\n")]
    if lines is not None and len(printed) > lines:
        printed = printed[:lines] + ["..."]
    return "".join(f"    {line}".rstrip() + "\n" for line in ["$ collsched " + " ".join(arguments), *printed])


def make_picture(program, page, arguments, pictures):
    name, *options = arguments
    given = [o.lstrip("-") for o in options]
    labels = [o for i, o in enumerate(given) if o not in ("ranks", "block", "bytes", "element") and
            (i == 0 or given[i - 1] not in ("block", "bytes", "element"))]
    file = page.parent / (re.sub(r"[^\w.]+", "-", "-".join([name, *labels])).lower() + ".svg")
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.svg"
        program.run("show", name, *options, "--svg", str(drawn))
        pictures[file] = drawn.read_text()
    return f"![{name}, {' '.join(options)}]({file.name})\n\n`collsched show {' '.join(arguments)} --svg FILE`\n"


def make_drawing(program, page, arguments, pictures):
    name, *command = arguments
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.svg"
        program.run(*command, "--svg", str(drawn))
        pictures[page.parent / name] = drawn.read_text()
    return f"    $ collsched {' '.join(command)} --svg {name}\n\n![{' '.join(command)}]({name})\n"


def made(program, page, what, pictures):
    kind, *arguments = what.split()
    if kind == "algorithms":
        return make_algorithms(program, arguments)
    if kind == "counted":
        return make_counted(program, arguments[0], arguments[1], arguments[2:])
    if kind == "choose":
        return make_choose(program, *arguments)
    if kind == "run":
        return make_run(program, arguments)
    if kind == "picture":
        return make_picture(program, page, arguments, pictures)
    if kind == "drawing":
        return make_drawing(program, page, arguments, pictures)
    if kind == "commands":
        return commands_table(program.run("--help"))
    if kind == "help":
        return help_page(page.name, program.run(*arguments, "--help"), lambda command: program.run(command, "--help"))
    if kind == "schedule-options":
        return options_tables(program.run("show", "--help"), SCHEDULE_GROUPS)
    raise Stale(f"{page.name}: nothing is called {kind}")


def filled(program, page, pictures):
    pattern = re.compile(r"(<!-- made: ([^\n]*?) -->\n).*?(<!-- end -->)", re.DOTALL)
    text = page.read_text()
    if len(pattern.findall(text)) != text.count("<!-- made:"):
        raise Stale(f"{page.name}: a marker without an end")
    return pattern.sub(lambda m: f"{m[1]}\n{made(program, page, m[2], pictures)}\n{m[3]}", text)


def main():
    parser = argparse.ArgumentParser(description="Makes the tables and pictures of the pages.")
    parser.add_argument("collsched", help="the command line program")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 where something differs")
    parser.add_argument("pages", nargs="*", type=Path)
    given = parser.parse_intermixed_args()
    program, pictures, problems = Program(given.collsched), {}, []
    pages = [page.resolve() for page in given.pages] or [*sorted(HERE.glob("*.md")), *sorted(COMMANDS.glob("*.md")),
                                                            *(TOP / "docs" / name for name in OTHER_PAGES)]
    wanted = {}
    for page in pages:
        try:
            wanted[page] = filled(program, page, pictures)
        except Stale as wrong:
            problems.append(f"{page.relative_to(TOP)}: {wrong}")
    wanted |= pictures
    if not given.pages:
        problems += missing_pages(program.run("--help"), COMMANDS)
    if not given.pages and not problems:
        problems += [f"{old.relative_to(TOP)} is in no page" for old in sorted(HERE.glob("*.svg")) if old not in pictures]
    for path, text in wanted.items():
        if path.exists() and path.read_text() == text:
            continue
        if given.check:
            problems.append(f"{path.relative_to(TOP)} differs from what is made")
        else:
            path.write_text(text)
            print(f"wrote {path.relative_to(TOP)}")
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems in {len(pages)} pages and {len(pictures)} pictures")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
