"""The command line program under test: its runs, and the failed checks of them."""

import json
import subprocess
import sys


class CheckedProgram:
    def __init__(self, path):
        self.path = path
        self.failures = []

    def check(self, condition, *problem):
        if not condition:
            self.failures.append(problem)

    def run(self, *words):
        return subprocess.run([self.path, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)

    def good(self, *words):
        """The output of a run without errors."""
        done = self.run(*words)
        self.check(done.returncode == 0 and not done.stderr, words, done)
        return done.stdout

    def lines(self, *words):
        """The lines of a run with --json."""
        return [json.loads(line) for line in self.good(*words, "--json").splitlines()]

    def bad(self, words, *parts):
        """A run that ends with status 2 and one line, which has the given parts."""
        done = self.run(*words)
        self.check(done.returncode == 2 and len(done.stderr.splitlines()) == 1 and not done.stdout, words, done)
        self.check(all(str(part) in done.stderr for part in parts), words, done.stderr, parts)

    def end(self):
        """Prints the failed checks, and exits."""
        for failure in self.failures:
            print(*failure)
        sys.exit(1 if self.failures else 0)
