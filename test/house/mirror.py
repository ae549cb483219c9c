#!/usr/bin/env -S python3 -B
"""test/ mirrors include/: <layer>/<name>.hpp is tested in test/<layer>/<name>.cpp, or in a folder of that name.
Umbrellas need no test of their own."""

from pathlib import Path

from house import headers, is_umbrella, report

# Headers that need no test of their own, with the reason.
EXEMPT = {
    "format/pictures/detail/html_script.hpp": "a part of the pages that test/browser opens",
}


def first_include(test):
    return next(line for line in test.read_text().splitlines() if line.startswith("#include"))


problems = [f"{name} is exempt and does not exist" for name in EXEMPT if Path(name) not in headers()]
for header in headers():
    test = Path("test") / header.with_suffix("")
    if not (is_umbrella(header) or str(header) in EXEMPT or test.with_suffix(".cpp").exists()
            or any(test.glob("*.cpp"))):
        problems.append(f"{header} has no {test}.cpp")
    elif test.with_suffix(".cpp").exists() and f'"collsched/{header}"' not in first_include(test.with_suffix(".cpp")):
        problems.append(f"{test}.cpp does not begin with its header, which so is not seen alone")
report(problems, f"{len(headers())} headers")
