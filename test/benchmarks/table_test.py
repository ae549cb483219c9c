#!/usr/bin/env -S python3 -B
"""The table of the benchmarks: rates, growth, peaks, targets, the slowest of a family, and omitted programs.

    test/benchmarks/table_test.py benchmarks/table.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(name, seconds, **more):
    return {"name": name, "run_type": "iteration", "cpu_time": seconds * 1e3, "real_time": 7.0, "time_unit": "ms", **more}


FAMILY = "one rank, 10000 edges at most/"
RUNS = [
    run("generate/ring/100", 0.5, **{"edges/s": 50e6}),
    run("generate/ring/1000", 50, **{"edges/s": 200e6}),  # a hundred times as long for ten times as many
    run("prove/ring/64", 1e-3, **{"edges/s": 2.5e6}, peak_bytes=3e6),
    run("copy/1024/iterations:1/manual_time", 1.0, **{"GB/s": 12.34}),
    {**run("copy/1024", 1.0), "run_type": "aggregate"},
    run(FAMILY + "steady/1024", 1e-6, peak_bytes=5e3),
    run(FAMILY + "steady/4096", 3e-6, peak_bytes=5e3),
    run(FAMILY + "slow/1024", 2e-6, peak_bytes=1e3),
    run(FAMILY + "slow/4096", 2e-6, peak_bytes=1e3),
    run(FAMILY + "hungry/1024", 1e-6, peak_bytes=1e3),
    run(FAMILY + "hungry/4096", 1e-6, peak_bytes=9e6),
    {"name": FAMILY + "refused/4096", "error_occurred": True, "error_message": "memory grows with p"},
    {"name": "store/9", "error_occurred": True, "error_message": "no such thing"},
]
EXPECTED = [
    ["scale", "generate/ring", "100", "500 ms", "50 M edges/s", "", "", "100 M: 50 %"],
    ["scale", "generate/ring", "1000", "50 s", "200 M edges/s", "", "2.00", "100 M: met"],
    ["scale", "prove/ring", "64", "1 ms", "2.5 M edges/s", "3 MB", "", "5 M: 50 %"],
    ["scale", "copy", "1024", "7 ms", "12.3 GB/s", "", "", ""],
    ["scale", FAMILY + "slow (slowest of 2)", "1024", "2 us", "", "5 kB", "", ""],
    ["scale", FAMILY + "steady (slowest of 2)", "4096", "3 us", "", "5 kB", "", ""],
]
REMARKS = [
    "one rank, 10000 edges at most: memory or time grows with p for hungry.",
    "Not measured, \"no such thing\": store.",
]


def main():
    script = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scale.json").write_text(json.dumps({"benchmarks": RUNS}))
        said = subprocess.run([sys.executable, "-B", script, folder], capture_output=True, text=True, check=True).stdout
        assert said == (Path(folder) / "table.md").read_text(), "printed and written differ"
    lines = said.splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")][2:]
    wrong = [f"expected {row}" for row in EXPECTED if row not in rows] + [f"got {row}" for row in rows if row not in EXPECTED]
    wrong += [f"expected {remark}" for remark in REMARKS if remark not in lines]
    print("\n".join([*wrong, said]) if wrong else f"{len(rows)} rows right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
