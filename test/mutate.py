#!/usr/bin/env -S python3 -B
"""Mutation testing: makes faults of one line each in headers and lists those that the tests of the header do not notice.

A fault is a changed comparison, an off-by-one, a dropped term or statement, swapped operands, or a changed logical
operator. It is made in a temporary copy of the tree. The unit test of the header (test/<layer>/<name>.cpp, or all files of
test/<layer>/<name>/) is compiled with g++ -O0 and run. The outcome is one of:

    killed       a static assertion, another constant expression, or a test case fails
    timeout      compilation or test exceeds ten times its time without the fault, and 60 seconds; counts as killed
    invalid      does not compile for another reason; not counted
    equivalent   listed in test/mutate_equivalent.txt, with the reason; not counted
    survived     the test passes

Files of test/support and examples/algorithms that the test links are compiled once, without the fault. The test's own
object comes first on the link line, so that its inline functions, the faulty ones, replace those of the other objects. A
function that only the other objects define stays without the fault. So a fault that passes is tried again with those of
the other objects compiled anew that include the header; only a fault that passes twice has survived.

Objects and the results of tests without a fault are kept in mutate-out/.
"""

import argparse
import collections
import concurrent.futures
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, "test/house")
from house import LAYERS, TOP, headers, is_umbrella, layer  # noqa: E402
from mutate_faults import faults  # noqa: E402

COMPILER = (["ccache"] if shutil.which("ccache") else []) + ["g++"]
FLAGS = ["-std=c++20", "-O0", "-w", "-fmax-errors=20", "-Iinclude", "-Itest", "-Iexamples"]
LIBRARIES = ["-lfmt", "-lpugixml", "-lyaml-cpp", "-pthread"]
FOLDERS = ["include", "test", "examples", "docs"]  # what tests include and read
MEMORY_KIB = 12 << 20
LEAST_SECONDS = 60
FAULTS_PER_HEADER = 4  # the test without a fault takes as long as one with it
CACHE = Path("mutate-out")
EQUIVALENT = Path("test/mutate_equivalent.txt")
# As in test/BUILD.bazel: sources that all tests of a layer link, and folders whose files are no unit tests.
LINKED = {"execute": ["test/execute/counting_new.cpp"]}
NO_UNIT_TESTS = {"fail", "mpi", "proof"}


# --- choice of faults -----------------------------------------------------------------------------------------------

def draw(options, chance):
    """Faults in as many headers as can be, evenly over the layers."""
    if options.file:
        all_faults = [fault for fault in faults(options.file) if options.line in (None, fault.line)]
        return chance.sample(all_faults, min(options.count, len(all_faults)))
    layers = [options.layer] if options.layer else LAYERS[:LAYERS.index("execute") + 1]
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


# --- tests ----------------------------------------------------------------------------------------------------------

def sources_of(header):
    """The sources of the unit test of a header."""
    if is_umbrella(header):
        return []
    test = Path("test") / header.with_suffix("")
    files = [test.with_suffix(".cpp")] if test.with_suffix(".cpp").exists() else sorted(test.rglob("*.cpp"))
    return [file for file in files if not NO_UNIT_TESTS & set(file.parts)]


def linked_sources(header):
    """What the test of a header links beside its own sources: each x.cpp of which it includes x.hpp, and so on."""
    linked = {Path("test/main.cpp"): None} | {Path(name): None for name in LINKED.get(layer(header), [])}
    seen, pending = set(), sources_of(header)
    while pending:
        file = pending.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in re.findall(r'^#include "((?:support|algorithms)/[^"]+)"', file.read_text(), re.MULTILINE):
            path = ("test" if name.startswith("support") else "examples") / Path(name)
            pending.append(path)
            if path.with_suffix(".cpp").exists():
                linked[path.with_suffix(".cpp")] = None
                pending.append(path.with_suffix(".cpp"))
    return [source for source in linked if source not in sources_of(header)]


def dependencies(file):
    """What a compiler wrote beside an object: the files that it read."""
    return [Path(name) for name in file.read_text().replace("\\\n", " ").split()[1:]]


def fresh(kept):
    """Whether a kept file is newer than all that it was made from."""
    listed = kept.with_suffix(".d")
    return kept.exists() and listed.exists() and all(
        path.exists() and path.stat().st_mtime < kept.stat().st_mtime for path in dependencies(listed))


class Failure(Exception):
    """A test that fails, or a file that does not compile, without any fault."""


class Bench:
    """Runs compilers and tests, one per tree at a time."""

    def __init__(self, place, jobs):
        self.began = time.time()
        self.running, self.stopped = set(), False
        self.lock, self.building = threading.Lock(), threading.Lock()
        self.trees = queue.Queue()
        for job in range(jobs):
            tree = Path(place) / str(job)
            for folder in FOLDERS:
                shutil.copytree(folder, tree / folder)
            self.trees.put(tree)

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                os.killpg(process.pid, signal.SIGKILL)

    def run(self, tree, command, seconds=None):
        """Returns status and messages; the status is None after a timeout."""
        bounded = ["sh", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "sh", *command]
        with self.lock:
            if self.stopped:
                raise KeyboardInterrupt
            process = subprocess.Popen(bounded, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                                       env={**os.environ, "LC_ALL": "C"})
            self.running.add(process)
        try:
            messages = process.communicate(timeout=seconds)[1]
            return process.returncode, messages
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            with self.lock:
                self.running.discard(process)
                try:
                    os.killpg(process.pid, signal.SIGKILL)  # also what a test forked
                except ProcessLookupError:
                    pass
            process.wait()

    def compile(self, tree, source, seconds=None):
        """Compiles a source to an object beside it, and lists what it includes."""
        names = ["-MMD", "-MF", str(source.with_suffix(".d")), "-o", str(source.with_suffix(".o"))]
        return self.run(tree, [*COMPILER, *FLAGS, "-c", str(source), *names], seconds)

    def link_and_run(self, tree, objects, seconds=None):
        status, messages = self.run(tree, ["g++", *map(str, objects), "-o", "test_program", *LIBRARIES])
        if status != 0:
            return "invalid", messages
        status, messages = self.run(tree, ["./test_program", "--abort-after=1"], seconds)
        return {None: "timeout", 0: "survived"}.get(status, "killed"), messages

    def keep(self, kept, text=None, made=None):
        """Puts a file into the cache, as old as the copy of the tree."""
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        try:
            part.write_text(text) if made is None else shutil.copy(made, part)
            os.utime(part, (self.began, self.began))
            os.replace(part, kept)
        finally:
            part.unlink(missing_ok=True)

    def linked_objects(self, tree, header):
        """The objects that the test of a header links, compiled if need be."""
        objects = []
        for source in linked_sources(header):
            kept = CACHE / source.with_suffix(".o")
            if not fresh(kept):
                status, messages = self.compile(tree, source)
                if status != 0:
                    raise Failure(f"{source} does not compile:\n{messages}")
                self.keep(kept.with_suffix(".d"), made=tree / source.with_suffix(".d"))
                self.keep(kept, made=tree / source.with_suffix(".o"))
            objects.append(kept.absolute())
        return objects

    def seconds_of(self, tree, header, objects):
        """How long the test of a header may take to compile and to run. It must pass without a fault."""
        kept = CACHE / "test" / header.with_suffix(".passed")
        if fresh(kept) and all(fresh(Path(path)) for path in objects):
            took = map(float, kept.read_text().split())
        else:
            read, times = set(), [time.monotonic()]
            for source in sources_of(header):
                status, messages = self.compile(tree, source)
                if status != 0:
                    raise Failure(f"{source} does not compile without a fault:\n{messages}")
                read.update(map(str, dependencies(tree / source.with_suffix(".d"))))
            times.append(time.monotonic())
            outcome, messages = self.link_and_run(tree, self.objects_of(header) + objects)
            if outcome != "survived":
                raise Failure(f"the test of {header} fails without a fault\n{messages}")
            times.append(time.monotonic())
            took = times[1] - times[0], times[2] - times[1]
            self.keep(kept.with_suffix(".d"), " ".join(["passed:", *sorted(read)]))
            self.keep(kept, "{:.1f} {:.1f}".format(*took))
        return [max(LEAST_SECONDS, 10 * seconds) for seconds in took]

    @staticmethod
    def objects_of(header):
        return [source.with_suffix(".o") for source in sources_of(header)]

    def compile_all(self, tree, sources, seconds):
        """The outcome of a fault that the compiler notices, or None."""
        for source in sources:
            status, messages = self.compile(tree, source, seconds)
            if status is None:
                return "timeout"
            if status != 0:
                error = next((line for line in messages.split("\n") if "error:" in line), "")
                return "killed" if re.search("static assertion|constant|constexpr", error) else "invalid"
        return None

    def outcome(self, fault, tree, objects, limits):
        """Tries a fault in a tree."""
        copied = tree / TOP / fault.header
        text = copied.read_text()
        lines = text.split("\n")
        lines[fault.line - 1] = fault.after
        copied.write_text("\n".join(lines))
        try:
            own = self.objects_of(fault.header)
            noticed = (self.compile_all(tree, sources_of(fault.header), limits[0])
                       or self.link_and_run(tree, own + objects, limits[1])[0])
            if noticed != "survived":
                return noticed
            anew = [path.relative_to(CACHE.absolute()) for path in objects
                    if TOP / fault.header in dependencies(path.with_suffix(".d"))]
            if not anew:
                return noticed
            others = [path for path in objects if path.relative_to(CACHE.absolute()) not in anew]
            return (self.compile_all(tree, [path.with_suffix(".cpp") for path in anew], None)
                    or self.link_and_run(tree, own + anew + others, limits[1])[0])
        finally:
            copied.write_text(text)

    def judge(self, fault):
        tree = self.trees.get()
        try:
            with self.building:
                objects = self.linked_objects(tree, fault.header)
                limits = self.seconds_of(tree, fault.header, objects)
            return self.outcome(fault, tree, objects, limits)
        finally:
            self.trees.put(tree)


# --- report ---------------------------------------------------------------------------------------------------------

def show(outcome, fault, reason=""):
    print(f"{outcome:10} {TOP / fault.header}:{fault.line}")
    if outcome in ("survived", "equivalent"):
        print(f"    - {fault.before.strip()}\n    + {fault.after.strip()}")
    if reason:
        print(f"    {reason}")
    sys.stdout.flush()


OUTCOMES = ["killed", "timeout", "survived", "invalid", "equivalent"]


def table(counts):
    print(f"\n{'layer':12}" + "".join(f"{name:>12}" for name in OUTCOMES) + f"{'killed of counted':>20}")
    counts["all"] = sum(counts.values(), collections.Counter())
    for name, count in counts.items():
        killed = count["killed"] + count["timeout"]
        counted = killed + count["survived"]
        share = f"{100 * killed / counted:.0f} %" if counted else "-"
        print(f"{name:12}" + "".join(f"{count[outcome]:12}" for outcome in OUTCOMES) + f"{share:>20}")


def parse():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of faults (default 1)")
    parser.add_argument("--count", type=int, default=40, help="number of faults (default 40)")
    parser.add_argument("--layer", choices=LAYERS, help="layer of the headers (default all but format)")
    parser.add_argument("--jobs", type=int, default=1, help="number of faults tried at once (default 1)")
    parser.add_argument("file", nargs="?", metavar="FILE[:LINE]", help="header, as core/bits.hpp (default many)")
    options = parser.parse_args()
    for name in ("count", "jobs"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: got {getattr(options, name)}, expected 1 or more")
    if options.file:
        name, _, line = options.file.partition(":")
        header = Path(name.removeprefix(f"{TOP}/"))
        if header not in headers() or not sources_of(header) or line and not line.isdecimal():
            parser.error(f"FILE: got {options.file}, expected a header of {TOP} with a unit test")
        options.file, options.line = header, int(line) if line else None
    return options


def main():
    options = parse()
    listed = equivalent_faults()
    counts, judged = collections.defaultdict(collections.Counter), {}

    def interrupt(number, _):
        raise KeyboardInterrupt(number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    with tempfile.TemporaryDirectory(prefix="mutate-") as place:
        bench = Bench(place, options.jobs)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                for fault in draw(options, random.Random(options.seed)):
                    key = str(fault.header), fault.before.strip(), fault.after.strip()
                    if key in listed:
                        counts[layer(fault.header)]["equivalent"] += 1
                        show("equivalent", fault, listed[key])
                    else:
                        judged[pool.submit(bench.judge, fault)] = fault
                for done in concurrent.futures.as_completed(judged):
                    counts[layer(judged[done].header)][done.result()] += 1
                    show(done.result(), judged[done])
            except BaseException as reason:
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                bench.stop()
                pool.shutdown(cancel_futures=True)
                if isinstance(reason, Failure):
                    sys.exit(str(reason))
                if isinstance(reason, KeyboardInterrupt):
                    sys.exit(128 + (reason.args[0] if reason.args else signal.SIGINT))
                raise
    table(counts)
    sys.exit(1 if counts["all"]["survived"] else 0)


if __name__ == "__main__":
    main()
