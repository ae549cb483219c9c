#!/usr/bin/env -S python3 -B
"""Mutation testing: makes faults of one line each in headers and lists those that the tests of the header do not notice.

A fault is a changed comparison, an off-by-one, a dropped term or statement, swapped operands, or a changed logical
operator. It is made in a temporary copy of the tree. The unit test of the header (test/<layer>/<name>.cpp, or all files of
test/<layer>/<name>/) is compiled with g++ -O0 and the assertions of its library, and run, first with some of the samples of its
sweeps. The outcome is one of:

    killed       a static assertion, another constant expression, or a test case fails
    beside       it passes, and the test of another header that includes this one does not; counts as killed
    timeout      compiler or test exceeds 60 seconds and ten times its time without the fault (20 times that with all
                 samples), or the compiler 12 GiB; counts as killed
    invalid      does not compile for another reason; not counted
    equivalent   listed in test/mutate/equivalent.txt, with the reason; not counted
    survived     these tests pass

Files of test/support and examples/programs/algorithms that the test links are compiled once, without the fault. The test's own
object comes first on the link line, so that its inline functions, the faulty ones, replace those of the other objects. A
function that only the other objects define stays without the fault. So a fault that passes is tried again with those of
the other objects compiled anew that include the header; only a fault that passes twice has survived.

Objects and the results of tests without a fault are kept in mutate-out/. A campaign with --file writes each outcome there, and
the same campaign on the same headers and tests goes on from it. With --seconds, faults that did not begin by then are not tried,
and counted apart.
"""

import argparse
import collections
import concurrent.futures
import queue
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, "test/house")
from campaign import Campaign  # noqa: E402
from changed import changed_faults  # noqa: E402
from faults import faults  # noqa: E402
from house import LAYERS, TOP, headers, layer  # noqa: E402
from trial import Bench, Failure, sources_of  # noqa: E402

FAULTS_PER_HEADER = 4  # the test without a fault takes as long as one with it
EQUIVALENT = Path("test/mutate/equivalent.txt")
OUTCOMES = ["killed", "beside", "timeout", "survived", "invalid", "equivalent"]
LATE = "late"  # not tried within --seconds


def draw(options, chance):
    """Faults in as many headers as can be, evenly over the layers."""
    if options.header or options.changed:
        all_faults = changed_faults(options.changed) if options.changed else \
            [fault for fault in faults(options.header) if options.line in (None, fault.line)]
        return chance.sample(all_faults, min(options.count, len(all_faults)))
    layers = [options.layer] if options.layer else LAYERS[:LAYERS.index("group") + 1]
    drawn = []
    for index, name in enumerate(layers):
        wanted = options.count * (index + 1) // len(layers) - options.count * index // len(layers)
        found = {header: faults(header) for header in headers() if layer(header) == name and sources_of(header)}
        by_header = list(found.values())
        while wanted > 0 and any(by_header):
            of_one = chance.choices(by_header, [len(one) for one in by_header])[0]
            some = chance.sample(of_one, min(wanted, FAULTS_PER_HEADER, len(of_one)))
            by_header.remove(of_one)
            drawn += some
            wanted -= len(some)
    return drawn


def equivalent_faults():
    """The list of equivalent faults: paragraphs of a header, the line before, the line after, and the reason."""
    listed = {}
    text = re.sub(r"^#.*\n", "", EQUIVALENT.read_text(), flags=re.MULTILINE).strip()
    for paragraph in text.split("\n\n") if text else []:
        header, before, after, reason = paragraph.split("\n", 3)
        before, after = before.removeprefix("- ").strip(), after.removeprefix("+ ").strip()
        listed[header, before, after] = " ".join(reason.split())
        path = TOP / header
        if not path.exists() or before not in map(str.strip, path.read_text().split("\n")):
            print(f"{EQUIVALENT}: {header} has no line `{before}`", file=sys.stderr)
    return listed


def tried(bench, fault, end):
    return LATE if end and time.monotonic() > end else bench.judge(fault)


def show(outcome, fault, reason=""):
    print(f"{outcome:10} {TOP / fault.header}:{fault.line}")
    if outcome in ("survived", "equivalent"):
        print(f"    - {fault.before.strip()}\n    + {fault.after.strip()}")
    if reason:
        print(f"    {reason}")
    sys.stdout.flush()


def table(counts):
    print(f"\n{'layer':12}" + "".join(f"{name:>12}" for name in OUTCOMES) + f"{'killed of counted':>20}")
    counts["all"] = sum(counts.values(), collections.Counter())
    for name, count in counts.items():
        killed = count["killed"] + count["beside"] + count["timeout"]
        counted = killed + count["survived"]
        share = f"{100 * killed / counted:.0f} %" if counted else "-"
        print(f"{name:12}" + "".join(f"{count[outcome]:12}" for outcome in OUTCOMES) + f"{share:>20}")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """One line, and no usage."""
        self.exit(2, message.removeprefix("argument ") + "\n")


def whole_number(text):
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"got {text or 'nothing'}, expected a number from 1 to 2^31 - 1")
    return int(text)


def parse():
    parser = Parser(prog="./dev mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=whole_number, default=1, help="seed of the choice of faults (default 1)")
    parser.add_argument("--count", type=whole_number, help="number of faults (default 40; with --changed 20)")
    parser.add_argument("--changed", metavar="BASE", nargs="?", const="HEAD",
                        help="faults in the lines that differ from a commit (default the last one)")
    parser.add_argument("--file", help="where outcomes are written, and taken from by a run with the same seed, count and choice")
    parser.add_argument("--seconds", type=whole_number, help="no fault is tried later (default no limit)")
    parser.add_argument("--layer", choices=LAYERS, help="layer of the headers (default all but format)")
    parser.add_argument("--jobs", type=whole_number, default=1, help="number of faults tried at once (default 1)")
    parser.add_argument("header", nargs="?", metavar="FILE[:LINE]", help="header, as core/bits.hpp (default many)")
    options = parser.parse_args()
    options.count = options.count if options.count is not None else 20 if options.changed else 40
    for name, value in (("--changed", options.changed), ("--file", options.file), ("FILE", options.header)):
        if value == "":
            parser.error(f"{name}: got nothing, expected {'a commit' if name == '--changed' else 'a file'}")
    if options.changed and (options.header or options.layer):
        parser.error(f"--changed: got {options.header or options.layer} too, expected neither a file nor a layer")
    if options.changed and subprocess.run(["git", "rev-parse", "--verify", "--quiet", options.changed + "^{commit}"],
                                          stdout=subprocess.DEVNULL, check=False).returncode != 0:
        parser.error(f"--changed: got {options.changed}, expected a commit")
    options.line = None
    if options.header:
        name, colon, line = options.header.partition(":")
        header = Path(name.removeprefix(f"{TOP}/"))
        if header not in headers() or not sources_of(header) or colon and not line.isdecimal():
            parser.error(f"FILE: got {options.header}, expected a header of {TOP} with a unit test")
        options.header, options.line = header, int(line) if line else None
        if line and not any(fault.line == options.line for fault in faults(header)):
            parser.error(f"LINE: got {line}, expected a line of {TOP / header} in which a fault can be made")
    try:
        options.campaign = Campaign(options.file, {name: str(getattr(options, name)) for name in
                                                   ("seed", "count", "changed", "layer", "header", "line")}, OUTCOMES)
    except ValueError as wrong:
        parser.error(str(wrong))
    return options


def main():
    options = parse()
    began = time.monotonic()
    listed = equivalent_faults()
    counts, judged = collections.defaultdict(collections.Counter), {}

    results = queue.SimpleQueue()  # of trials that are done, and of signals
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: results.put(number))
    bench = Bench()
    with (tempfile.TemporaryDirectory(prefix="mutate-") as place,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        try:
            bench.copy_tree(place, options.jobs)
            for fault in draw(options, random.Random(options.seed)):
                key = str(fault.header), fault.before.strip(), fault.after.strip()
                if key in listed:
                    counts[layer(fault.header)]["equivalent"] += 1
                    show("equivalent", fault, listed[key])
                elif found := options.campaign.outcome(fault):
                    counts[layer(fault.header)][found] += 1
                    show(found, fault)
                else:
                    trial = pool.submit(tried, bench, fault, options.seconds and began + options.seconds)
                    judged[trial] = fault
                    trial.add_done_callback(results.put)
            for _ in range(len(judged)):
                done = results.get()
                if isinstance(done, int):
                    sys.exit(128 + done)
                counts[layer(judged[done].header)][done.result()] += 1
                show(done.result(), judged[done])
                if done.result() != LATE:
                    options.campaign.add(judged[done], done.result())
        except Failure as failure:
            sys.exit(str(failure))
        finally:
            bench.stop()
            pool.shutdown(cancel_futures=True)
    table(counts)
    if counts["all"][LATE]:
        print(f"{counts['all'][LATE]} faults were not tried within {options.seconds} seconds")
    sys.exit(1 if counts["all"]["survived"] else 0)


if __name__ == "__main__":
    main()
