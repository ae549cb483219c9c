#!/usr/bin/env -S python3 -B
"""board_test.py [COMPILER]: builds a node for a Cortex-M4 and links it without any library. It has no heap, no exceptions and no
start-up code, and its table is constant data. The headers of docs/freestanding.md compile with the same options."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILER = sys.argv[1] if len(sys.argv) > 1 else "arm-none-eabi-g++"
OPTIONS = ["-mcpu=cortex-m4", "-mthumb", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-Os", "-std=c++20", "-Iinclude",
           "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
SOURCE = "examples/freestanding/board.cpp"
HEADERS = ["core", "schedule", "combine", "topology", "cost", "tree", "collective", "verify"]
# In bytes. The table has 7 operations, the code is what g++ 12 makes and a little more, .bss are four arrays of four values.
TABLE_BYTES, CODE_BYTES, BSS_BYTES = 7 * 8, 320, 64
UNWANTED = re.compile(r"malloc|calloc|realloc|free|sbrk|operator (new|delete)|__cxa|__gxx|_Unwind|unwind|exception|typeinfo|vtable")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def tool(name):
    return COMPILER.removesuffix("g++") + name


problems = []
with tempfile.TemporaryDirectory() as folder:
    object_file, program, headers = f"{folder}/board.o", f"{folder}/board.elf", f"{folder}/headers.cpp"
    Path(headers).write_text("".join(f'#include "collsched/{name}.hpp"\n' for name in HEADERS))
    run(COMPILER, *OPTIONS, "-fsyntax-only", headers)
    run(COMPILER, *OPTIONS, "-c", SOURCE, "-o", object_file)
    run(COMPILER, *OPTIONS, "-nostdlib", "-Wl,--entry=sum_readings", object_file, "-o", program)
    names = run(tool("nm"), "-C", program)
    symbols = run(tool("objdump"), "-tC", program)
    sizes = {name: int(size) for name, size in re.findall(r"^(\.\S+) +(\d+) ", run(tool("size"), "-A", program), re.MULTILINE)}

problems += [f"unwanted symbol: {line}" for line in names.splitlines() if UNWANTED.search(line)]
tables = re.findall(r" (\.\S+)\s([0-9a-f]+) .*sum_of_nodes<.*>::table<", symbols)
if [(section, int(size, 16)) for section, size in tables] != [(".rodata", TABLE_BYTES)]:
    problems.append(f"tables: got {tables}, expected one of {TABLE_BYTES} bytes in .rodata")
expected = {".text": (1, CODE_BYTES), ".rodata": (TABLE_BYTES, TABLE_BYTES), ".bss": (BSS_BYTES, BSS_BYTES)}
for name, (least, most) in expected.items():
    if not least <= sizes.get(name, 0) <= most:
        problems.append(f"{name}: got {sizes.get(name, 0)} bytes, expected {least} to {most}")
for name in (".data", ".init_array", ".ctors", ".ARM.extab", ".ARM.exidx", ".eh_frame"):
    if sizes.get(name, 0) > 0:
        problems.append(f"{name}: got {sizes[name]} bytes, expected none")
for problem in problems:
    print(problem)
print(f"code {sizes.get('.text', 0)} bytes, table {sizes.get('.rodata', 0)}, memory {sizes.get('.bss', 0)}; {len(problems)} problems")
sys.exit(1 if problems else 0)
