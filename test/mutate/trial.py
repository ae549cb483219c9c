"""Compiles and runs the unit test of a header, with and without a fault."""

import functools
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, "test/house")
from house import TOP, headers, is_umbrella, layer  # noqa: E402

COMPILER = (["ccache"] if shutil.which("ccache") else []) + ["g++"]
FLAGS = ["-std=c++20", "-O0", "-w", "-D_GLIBCXX_ASSERTIONS", "-fmax-errors=20", "-I.", "-Iinclude", "-Itest",
         "-Iexamples/programs"]
LIBRARIES = ["-lfmt", "-lglpk", "-lpugixml", "-lyaml-cpp", "-lcrypto", "-pthread"]
FOLDERS = ["include", "test", "examples", "docs"]  # the folders that tests include and read
MEMORY_KIB = 12 << 20
LEAST_SECONDS = 60
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "COLLSCHED_BRIEF"} | {"LC_ALL": "C"}
WHOLE = 20  # times as long as a few samples, all of them may take
CACHE = Path("mutate-out")
# As in test/BUILD.bazel: sources that all tests of a layer link, and folders whose files are no unit tests.
LINKED = dict.fromkeys(["execute", "group"], ["test/execute/counting_new.cpp"])
NO_UNIT_TESTS = {"fail", "mpi", "proof"}
INCLUDERS = 5


def sources_of(header):
    """The sources of the unit test of a header."""
    if is_umbrella(header):
        return []
    test = Path("test") / header.with_suffix("")
    files = [test.with_suffix(".cpp")] if test.with_suffix(".cpp").exists() else sorted(test.rglob("*.cpp"))
    return [file for file in files if not NO_UNIT_TESTS & set(file.parts)]


@functools.cache
def includers(header):
    """A few headers with unit tests that include a header, those of its own layer first."""
    line = f'#include "{TOP.name}/{header}"'
    found = [other for other in headers() if line in (TOP / other).read_text().split("\n") and sources_of(other)]
    return sorted(found, key=lambda other: (layer(other) != layer(header), other))[:INCLUDERS]


def linked_sources(header):
    """The files that the test of a header links beside its own sources: each x.cpp of which it includes x.hpp, and so on."""
    linked = {Path("test/main.cpp"): None} | {Path(name): None for name in LINKED.get(layer(header), [])}
    seen, pending = set(), sources_of(header)
    while pending:
        file = pending.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in re.findall(r'^#include "((?:support|algorithms)/[^"]+)"', file.read_text(), re.MULTILINE):
            path = ("test" if name.startswith("support") else "examples/programs") / Path(name)
            pending.append(path)
            if path.with_suffix(".cpp").exists():
                linked[path.with_suffix(".cpp")] = None
                pending.append(path.with_suffix(".cpp"))
    return [source for source in linked if source not in sources_of(header)]


def dependencies(file):
    """The files that a compiler read, as it wrote them beside an object."""
    return [Path(name) for name in file.read_text().replace("\\\n", " ").split()[1:]]


def fresh(kept):
    """Whether a kept file is newer than all that it was made from."""
    listed = kept.with_suffix(".d")
    return kept.exists() and listed.exists() and all(
        path.exists() and path.stat().st_mtime < kept.stat().st_mtime for path in dependencies(listed))


class Failure(Exception):
    """A test fails, or a file does not compile, without any fault; or the run is stopped."""


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Bench:
    """Runs compilers and tests, one per tree at a time."""

    def __init__(self):
        self.began = time.time()
        self.running, self.stopped = set(), False
        self.lock, self.building = threading.Lock(), {}
        self.trees = queue.Queue()

    def copy_tree(self, place, jobs):
        for job in range(jobs):
            tree = Path(place) / str(job)
            for folder in FOLDERS:
                shutil.copytree(folder, tree / folder)
            self.trees.put(tree)

    def making(self, kept):
        """A lock on a file of the cache, so that it is made once."""
        with self.lock:
            return self.building.setdefault(kept, threading.Lock())

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                kill_group(process)

    def run(self, tree, command, seconds=None, brief=False):
        """Returns status and messages; the status is None after a timeout. With `brief`, sweeps take some of their samples."""
        few = {"COLLSCHED_BRIEF": "1"} if brief else {}
        bounded = ["sh", "-c", f'ulimit -v {MEMORY_KIB}; exec "$@"', "sh", *command]
        with self.lock:
            if self.stopped:
                raise Failure("stopped")
            process = subprocess.Popen(bounded, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                                       env={**ENVIRONMENT, "TMPDIR": str(tree), **few})
            self.running.add(process)
        try:
            messages = process.communicate(timeout=seconds)[1]
            return process.returncode, messages
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            with self.lock:
                self.running.discard(process)
                kill_group(process)  # also what a test forked
            process.wait()

    def compile(self, tree, source, seconds=None):
        """Compiles a source to an object beside it, and lists what it includes."""
        names = ["-MMD", "-MF", str(source.with_suffix(".d")), "-o", str(source.with_suffix(".o"))]
        return self.run(tree, [*COMPILER, *FLAGS, "-c", str(source), *names], seconds)

    def run_test(self, tree, seconds, brief):
        status = self.run(tree, ["./test_program", "--abort-after=1"], seconds, brief)[0]
        return {None: "timeout", 0: "survived"}.get(status, "killed")

    def link_and_run(self, tree, objects, seconds=None):
        """The outcome of a fault that the compiler does not notice. Sweeps take some of their samples, and all of them if these
        do not notice it; without a limit of time they take some."""
        if self.run(tree, ["g++", *map(str, objects), "-o", "test_program", *LIBRARIES])[0] != 0:
            return "invalid"
        noticed = self.run_test(tree, seconds, brief=True)
        if noticed != "survived" or seconds is None:
            return noticed
        return self.run_test(tree, WHOLE * seconds, brief=False)

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
            with self.making(kept):
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
            if self.link_and_run(tree, self.objects_of(header) + objects) != "survived":
                raise Failure(f"the test of {header} fails without a fault: ./dev test {header.with_suffix('')}")
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
            if status != 0:
                error = next((line for line in messages.split("\n") if " error: " in line), None)
                if error is None:  # no time or no memory left
                    return "timeout"
                return "killed" if re.search("static assertion|constant|constexpr", error) else "invalid"
        return None

    def noticed_by(self, header, fault, tree, objects, limits):
        """The outcome of a fault that a tree has, as the test of a header sees it."""
        own = self.objects_of(header)
        noticed = (self.compile_all(tree, sources_of(header), limits[0])
                   or self.link_and_run(tree, own + objects, limits[1]))
        if noticed != "survived":
            return noticed
        anew = [path.relative_to(CACHE.absolute()) for path in objects
                if TOP / fault.header in dependencies(path.with_suffix(".d"))]
        if not anew:
            return noticed
        others = [path for path in objects if path.relative_to(CACHE.absolute()) not in anew]
        return (self.compile_all(tree, [path.with_suffix(".cpp") for path in anew], None)
                or self.link_and_run(tree, own + anew + others, limits[1]))

    def outcome(self, header, fault, tree):
        """Tries a fault in a tree with the test of a header, which must pass without it."""
        objects = self.linked_objects(tree, header)
        with self.making(header):
            limits = self.seconds_of(tree, header, objects)
        copied = tree / TOP / fault.header
        text = copied.read_text()
        lines = text.split("\n")
        lines[fault.line - 1] = fault.after
        copied.write_text("\n".join(lines))
        try:
            return self.noticed_by(header, fault, tree, objects, limits)
        finally:
            copied.write_text(text)

    def judge(self, fault):
        tree = self.trees.get()
        try:
            own = self.outcome(fault.header, fault, tree)
            if own == "survived" and any(self.outcome(header, fault, tree) in ("killed", "timeout")
                                         for header in includers(fault.header)):
                return "beside"
            return own
        finally:
            self.trees.put(tree)
