#!/usr/bin/env -S python3 -B
"""The files for publishers and contributors agree with the library: CITATION.cff and the recipes of packaging/ have the version of
config.hpp, the recipes of an archive parse and install it, and forms and workflows parse and run commands that exist."""

import ast
import base64
import configparser
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import yaml

from house import report, tree

os.chdir(tree())
sys.path.insert(0, "packaging")
from amalgamate import version  # noqa: E402
from write_recipes import RECIPES, check_address, check_archive, write  # noqa: E402

VERSION = version(Path())
ADDRESS = "https://releases.test/collsched-{version}.tar.gz"
SOURCE = f"https://releases.test/collsched-{VERSION}.tar.gz"
# Hosts that packaging/ and .github/ may name.
HOSTS = {"HOST", "bcr.bazel.build", "source.invalid"}

problems = []


def expect(name, value, expected):
    if value != expected:
        problems.append(f"{name}: got {value!r}, expected {expected!r}")


def parsed(path, parse):
    """The contents of a file, or an empty dict if it does not parse."""
    try:
        return parse(path.read_text())
    except (ValueError, SyntaxError, yaml.YAMLError, configparser.Error) as error:
        problems.append(f"{path}: {error}")
        return {}


def editor_settings(text):
    settings = configparser.ConfigParser()
    settings.read_string("[top]\n" + text)
    return settings


def check_top():
    citation = parsed(Path("CITATION.cff"), yaml.safe_load)
    expect("CITATION.cff: version", citation.get("version"), VERSION)
    expect("CITATION.cff: license", citation.get("license"), "BSL-1.0")
    expect("CITATION.cff: cff-version", citation.get("cff-version"), "1.2.0")
    for field in ["message", "title", "authors"]:
        if not citation.get(field):
            problems.append(f"CITATION.cff: {field} is required")
    settings = parsed(Path(".editorconfig"), editor_settings)
    limit = parsed(Path(".clang-format"), yaml.safe_load).get("ColumnLimit")
    if settings:
        expect(".editorconfig: root", settings["top"].get("root"), "true")
        expect(".editorconfig: max_line_length of C++", settings["*.{hpp,cpp,h,c}"].get("max_line_length"), str(limit))
    parsed(Path(".clang-tidy"), yaml.safe_load)


def check_github():
    github = Path(".github")
    commands = set(re.findall(r"^command_(\w+)\(\)", Path("dev").read_text(), re.MULTILINE))
    run = set()
    for path in sorted(github.glob("workflows/*.yml")):
        for job in parsed(path, yaml.safe_load).get("jobs", {}).values():
            expect(f"{path}: container", job.get("container"), "debian:12")
            for step in job["steps"]:
                run |= set(re.findall(r"\./dev (\w+)", step.get("run", "")))
    expect("commands of workflows that ./dev lacks", sorted(run - commands), [])
    expect("commands that no workflow runs", sorted({"check", "test", "tidy"} - run), [])
    forms = [path for path in sorted(github.glob("ISSUE_TEMPLATE/*.yml")) if path.name != "config.yml"]
    for path in forms:
        form = parsed(path, yaml.safe_load)
        expect(f"{path}: fields that are missing", [key for key in ["name", "description", "body"] if not form.get(key)], [])
        ids = [item["id"] for item in form.get("body", []) if item["type"] != "markdown"]
        expect(f"{path}: ids that are there twice", sorted({name for name in ids if ids.count(name) > 1}), [])
    if not forms:
        problems.append("no issue form exists")
    parsed(github / "ISSUE_TEMPLATE/config.yml", yaml.safe_load)
    for name in ["CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "pull_request_template.md"]:
        if not (github / name).is_file():
            problems.append(f"{github / name} does not exist")


def check_templates():
    listed = {Path(name) for name in RECIPES}
    for path in sorted(listed):
        if not path.is_file():
            problems.append(f"{path} is a recipe of write_recipes.py and does not exist")
    for path in sorted(Path("packaging").glob("*/*")):
        if path not in listed and "__pycache__" not in path.parts:
            problems.append(f"{path} is no recipe of write_recipes.py")
    for path in [*Path("packaging").rglob("*"), *Path(".github").rglob("*")]:
        if path.is_file() and "__pycache__" not in path.parts and path.name != "source_address.txt":
            for host in re.findall(r"https?://([\w.-]+)", path.read_text()):
                if host not in HOSTS:
                    problems.append(f"{path} names the host {host}")
    for address, right in [(ADDRESS, True), ("https://source.invalid/a-{version}.tar.gz", False),
                           ("http://releases.test/a-{version}.tar.gz", False), ("https://releases.test/a.tar.gz", False)]:
        expect(f"check_address({address})", not check_address(address), right)
    set_address = Path("packaging/source_address.txt").read_text()
    expect("lines of packaging/source_address.txt", set_address.count("\n"), 1)
    if check_address(set_address.strip()) and ".invalid/" not in set_address:
        problems.append(check_address(set_address.strip()))


def make_archive(path, left_out=""):
    with tarfile.open(path, "w:gz") as archive:
        for name in ["LICENSE", "CMakeLists.txt", "MODULE.bazel", "include"]:
            if name != left_out:
                archive.add(name, f"collsched-{VERSION}/{name}")


def check_recipes(folder):
    archive = folder / "release.tar.gz"
    make_archive(archive, left_out="LICENSE")
    expect("errors of an archive without license", len(check_archive(archive, Path())), 1)
    make_archive(archive)
    expect("errors of an archive", check_archive(archive, Path()), [])
    sha256 = hashlib.sha256(archive.read_bytes())
    for path in write(archive, folder, ADDRESS, Path()):
        expect(f"{path.name}: values that are not filled", re.findall(r"@[A-Z0-9]+@", path.read_text()), [])

    recipe = parsed(folder / "conan/conanfile.py", ast.parse)
    members = {node.targets[0].id: ast.unparse(node.value) for node in ast.walk(recipe)
               if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)} if recipe else {}
    expect("conanfile.py: name", members.get("name"), "'collsched'")
    expect("conanfile.py: version", members.get("version"), repr(VERSION))
    sources = parsed(folder / "conan/conandata.yml", yaml.safe_load).get("sources")
    expect("conandata.yml: sources", sources, {VERSION: {"url": SOURCE, "sha256": sha256.hexdigest()}})
    package = subprocess.run(["test/house/conan_functions.py", folder / "conan/conanfile.py", archive, folder / "conan_work"],
                             capture_output=True, text=True)
    expect(f"conanfile.py: status\n{package.stderr}", package.returncode, 0)
    for name in ["include/collsched/core/config.hpp", "include/collsched/execute/flat_plan.h", "licenses/LICENSE"]:
        if not (folder / "conan_work/package" / name).is_file():
            problems.append(f"conanfile.py does not package {name}")

    port = folder / "vcpkg/ports/collsched"
    expect("vcpkg.json: version", parsed(port / "vcpkg.json", json.loads).get("version"), VERSION)
    install = subprocess.run(["cmake", f"-DRECIPE={port / 'portfile.cmake'}", f"-DARCHIVE_FILE={archive}", f"-DWORK={folder}/work",
                              "-P", "test/house/vcpkg_functions.cmake"], capture_output=True, text=True)
    expect(f"portfile.cmake: status\n{install.stderr}", install.returncode, 0)
    for name in ["include/collsched/core/config.hpp", "share/collsched/collschedConfig.cmake", "share/collsched/copyright"]:
        if not (folder / "work/packages" / name).is_file():
            problems.append(f"portfile.cmake does not install {name}")

    module = folder / "bazel/modules/collsched"
    source = parsed(module / VERSION / "source.json", json.loads)
    expect("source.json", source, {"url": SOURCE, "strip_prefix": f"collsched-{VERSION}",
                                   "integrity": "sha256-" + base64.b64encode(sha256.digest()).decode()})
    expect("metadata.json: versions", parsed(module / "metadata.json", json.loads).get("versions"), [VERSION])
    presubmit = parsed(module / VERSION / "presubmit.yml", yaml.safe_load)
    targets = [target for task in presubmit.get("tasks", {}).values() for target in task["build_targets"]]
    expect("presubmit.yml: targets", targets, ["@collsched//:collsched"])
    calls = [node for node in ast.walk(ast.parse((module / VERSION / "MODULE.bazel").read_text())) if isinstance(node, ast.Call)]
    versions = [keyword.value.value for call in calls if getattr(call.func, "id", "") == "module"
                for keyword in call.keywords if keyword.arg == "version"]
    expect("MODULE.bazel: version", versions, [VERSION])


check_top()
check_github()
check_templates()
if all(Path(name).is_file() for name in RECIPES):
    with tempfile.TemporaryDirectory() as place:
        check_recipes(Path(place))
report(problems, f"{len(RECIPES)} recipes, CITATION.cff, .editorconfig and .github")
