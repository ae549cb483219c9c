#!/usr/bin/env -S python3 -B
"""rules_files_test.py PROGRAM: the rules files that `PROGRAM table` writes for each version of Open MPI are read back without findings,
state their assumptions about programs, and have the form of their format; an invalid file is reported in one line."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MODEL = "hockney:alpha_us=1,beta_ns=1"
failures = []


def run(program, *words):
    done = subprocess.run([program, *[str(word) for word in words]], text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def check(what, holds, output=""):
    if not holds:
        failures.append(f"{what}: {output}")


def check_json(what, text):
    """The constraints of Open MPI's schema for its rules files."""
    root = json.loads(text)
    check(what, set(root) <= {"$schema", "rule_file_version", "module", "collectives"}, sorted(root))
    check(what, root["module"] == "tuned" and isinstance(root["rule_file_version"], int), text[:80])
    names = {"allgather", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "exscan", "gather", "reduce", "scan", "scatter"}
    check(what, set(root["collectives"]) <= names, sorted(root["collectives"]))
    for rules in root["collectives"].values():
        for rule in rules:
            check(what, set(rule) == {"comm_size_min", "comm_size_max", "rules"}, rule)
            for one in [rule, *rule["rules"]]:
                for key, value in one.items():
                    ends = key.endswith("_max") and value == "inf"
                    check(what, key == "rules" or ends or (isinstance(value, int) and value >= 0), one)
            for one in rule["rules"]:
                check(what, {"alg"} <= set(one) <= {"msg_size_min", "msg_size_max", "alg", "reqs", "faninout", "seg_size"}, one)


def check_versions(program, folder):
    for version in "4.0", "4.1", "5.0", "6.0":
        for flags in [], ["--commutative-only"], ["--equal-arguments"], ["--commutative-only", "--equal-arguments"]:
            file = folder / ("rules" + "".join(flags) + (".json" if version == "6.0" else ".conf"))
            what = f"{version} {flags}"
            status, _, errors = run(program, "table", "all", "--ranks", "4,6,8", "--sizes", "8,65536", "--model", MODEL, "--openmpi",
                                  file, "--openmpi-version", version, *flags)
            check(what, status == 0, errors)
            text = file.read_text()
            if version == "6.0":
                check_json(what, text)
            for flag in "--commutative-only", "--equal-arguments":
                first = text if version == "6.0" else text.splitlines()[0]
                check(what, (flag[2:] in first) == (flag in flags), first[:200])
            status, out, errors = run(program, "table", "--read", file, "--openmpi-version", version)
            check(what, status == (1 if flags else 0) or (flags == ["--commutative-only"] and status == 0), out + errors)
            if not flags:
                check(what, ".conf:" not in out and ".json:" not in out, out)
            file.unlink()


def check_refusals(program, folder):
    words = ["table", "allreduce", "--ranks", "4", "--model", MODEL, "--openmpi"]
    for more, part in ((["x", "--openmpi-version", "main"], "6.0 replaces main"), (["x", "--openmpi-version", "4.2"], "4.0, 4.1"),
                       (["rules.json", "--openmpi-version", "6.0", "--commutative-only"], "commutative-only")):
        status, out, errors = run(program, *words, *more)
        check(str(more), status == 2 and out == "" and errors.count("\n") == 1 and part in errors, errors)
    cases = [("1\n0\n1\n4\n1\n0 8 0 0\n", ["--openmpi-version", "5.0"], 1, "number 8 does not exist in Open MPI 5.0"),
             ("1\n11\n1\n1\n1\n0 3 0 0\n", ["--openmpi-version", "4.1"], 1, "do not commute"),
             ("1\n7\n1\n4\n1\n0 1 0 0\n", ["--openmpi-version", "4.1"], 1, "on fewer ranks too"),
             ("1\n7\n1\n1\n1\n0 1 0 0\n", ["--openmpi-version", "4.1"], 0, "bcast         1..    0..       1  basic_linear"),
             ("1\n7\n1\n1\n1\n0 1 0 0\n", [], 2, "--openmpi-version is required"),
             ("1\n7\n1\n1\n1\n0 1 0\n", ["--openmpi-version", "4.1"], 2, "rules.conf:7: segment size: got the end of the file"),
             ("SwitchName=s Nodes=n[0-3]\n", [], 2, "a rules file of Open MPI")]
    file = folder / "rules.conf"
    for text, more, expected, part in cases:
        file.write_text(text)
        status, out, errors = run(program, "table", "--read", file, *more)
        check(f"{text!r} {more}", status == expected and part in out + errors and errors.count("\n") == (expected == 2), out + errors)
    file.write_text("# Open MPI 4.1, component tuned\n0 # collectives\n")
    status, _, errors = run(program, "plan", "all", "--cluster", file)
    check("a rules file as a cluster", status == 2 and "this looks like a rules file of Open MPI" in errors, errors)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        check_versions(program, Path(name))
        check_refusals(program, Path(name))
    print(f"{len(failures)} failures")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
