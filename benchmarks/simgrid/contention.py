#!/usr/bin/env python3
"""Compares the times that `collsched simulate --model smpi` predicts with those of SimGrid.

SimGrid runs the executor itself (collectives.cpp), with its default settings, by every algorithm with its default
parameters. Both times are simulated, so they are the same on every machine. It fails where a prediction is off by more than
--limit percent.
"""

import argparse
import re
import statistics
import subprocess
import sys
from pathlib import Path

import choice
import sweep


def predicted_us(collsched, out, case, algorithm):
    """The completion that the model predicts."""
    run = subprocess.run([collsched, "simulate", f"{case[2]}/{algorithm}", "--model", choice.MODEL, "--json",
                          *choice.problem(out, case)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = re.search(r'"completion_us":([0-9.]+)', run.stdout)
    if not found:
        sys.exit(f"{case} {algorithm}: {run.stderr}")
    return float(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choice.add_cases(parser)
    parser.add_argument("--limit", type=float, default=6, help="largest error in percent")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    program = chosen.program.resolve() if chosen.program else sweep.build(chosen.out)
    print("| platform | ranks | collective | bytes | schedules | median error | largest error | of |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    largest = 0.0
    for case in choice.cases(chosen):
        platform, *rest = case
        lines, why, text = sweep.start(program, chosen.out, choice.PLATFORMS[platform], *rest, "defaults", [], 900)
        if not lines or why:
            sys.exit(f"SimGrid does not run {case}: {why}\n{text[-1000:]}")
        errors = [(100 * (predicted_us(chosen.collsched, chosen.out, case, name) / us - 1), name)
                  for name, us, _, _ in lines]
        worst, name = max(errors, key=lambda error: abs(error[0]))
        largest = max(largest, abs(worst))
        median = statistics.median(abs(error) for error, _ in errors)
        cells = [*map(str, case), str(len(errors)), f"{median:.2f} %", f"{worst:+.2f} %", name]
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"\nThe largest error is {largest:.2f} %.")
    sys.exit(largest > chosen.limit)


if __name__ == "__main__":
    main()
