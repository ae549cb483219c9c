#!/usr/bin/env -S python3 -B
"""regret_test.py SCRIPT: the regrets of a program that always chooses the first candidate are those of the measured times."""

import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(sys.argv[1]).resolve()
ROWS = """machine,collective,nodes,ranks_per_node,gpu,mpi,bytes,algorithm,median_us
"""
FIRST = """#!/usr/bin/python3
import csv, sys
options = dict(zip(sys.argv[2::2], sys.argv[3::2]))
times = list(csv.DictReader(open(options["--from"])))
assert all(float(row["median_us"]) > 0 for row in times)
cases = list(csv.DictReader(open(options["--choose"])))
assert "median_us" not in cases[0]
names = [name for name in cases[0] if name != "algorithm"]
seen = {tuple(row[name] for name in names) for row in times}
first = {}
for row in cases:
    assert tuple(row[name] for name in names) not in seen
    if not row["algorithm"].startswith("default"):
        first.setdefault(tuple(row[name] for name in names), row["algorithm"])
out = csv.writer(open(options["--out"], "w"), lineterminator="\\n")
out.writerow([*names, "algorithm"])
out.writerows([*key, name] for key, name in first.items())
"""


def check(condition, *what):
    if not condition:
        sys.exit(" ".join(map(str, what)))


with tempfile.TemporaryDirectory() as folder:
    program, data = Path(folder, "first"), Path(folder, "times.csv")
    program.write_text(FIRST)
    program.chmod(0o755)
    # In each case the first algorithm takes four times as long as the default, and the second one twice as long.
    rows = [f"A,gather,{nodes},1,no,M,{2 ** size},{name},{time}\n" for nodes in (4, 8) for size in range(10)
            for name, time in (("default", 5), ("a", 20), ("b", 10))]
    few = ["A,gather,16,1,no,M,8,a,1\n", "A,gather,16,1,no,M,8,b,9\n"]  # too few algorithms for a case
    data.write_text(ROWS + "".join(rows + few))
    done = subprocess.run([SCRIPT, program, "--data", data, "--seeds", "3"], capture_output=True, text=True)
    check(done.returncode == 0, "status", done.returncode, done.stderr)
    check("| A | 20 | 2 | 4.000 | 4.000 | 4.00 | 2.000 |" in done.stdout, done.stdout)
    for nodes in 4, 8:
        check(f"| A | {nodes} | 10 | 4.000 | 4.00 | 2.000 |" in done.stdout, done.stdout)
    check("| A | 16 |" not in done.stdout, done.stdout)
    program.write_text(FIRST.replace('if not row["algorithm"].startswith("default")', "if True"))
    done = subprocess.run([SCRIPT, program, "--data", data, "--seeds", "1"], capture_output=True, text=True)
    check(done.returncode != 0 and "default" in done.stderr, "a default is accepted", done.stdout)
