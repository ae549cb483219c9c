#!/usr/bin/env -S python3 -B
"""write_recipes.py ARCHIVE FOLDER: writes the recipes for Conan, vcpkg and the Bazel registry of one release to FOLDER.

The version is that of include/collsched/core/config.hpp, the address that of packaging/source_address.txt, and the digests are
those of ARCHIVE. README.md of this folder describes a release."""

import argparse
import base64
import hashlib
import re
import sys
import tarfile
from pathlib import Path

from amalgamate import version

TOP = Path(__file__).resolve().parent.parent

# Template or file of the tree -> file below FOLDER.
RECIPES = {
    "packaging/conan/conanfile.py": "conan/conanfile.py",
    "packaging/conan/conandata.yml": "conan/conandata.yml",
    "packaging/vcpkg/portfile.cmake": "vcpkg/ports/collsched/portfile.cmake",
    "packaging/vcpkg/vcpkg.json": "vcpkg/ports/collsched/vcpkg.json",
    "packaging/bazel/metadata.json": "bazel/modules/collsched/metadata.json",
    "packaging/bazel/source.json": "bazel/modules/collsched/@VERSION@/source.json",
    "packaging/bazel/presubmit.yml": "bazel/modules/collsched/@VERSION@/presubmit.yml",
    "MODULE.bazel": "bazel/modules/collsched/@VERSION@/MODULE.bazel",
}

# Files of the release that the recipes read.
REQUIRED = ["LICENSE", "CMakeLists.txt", "MODULE.bazel", "include/collsched/core/config.hpp"]


def check_address(address):
    """Returns the error of an address, or an empty text."""
    if not re.fullmatch(r"(https|file)://\S+", address) or "{version}" not in address:
        return f"packaging/source_address.txt: got {address}, expected an https address with {{version}}"
    if re.match(r"https://[^/]*\.invalid(/|$)", address):
        return f"packaging/source_address.txt: got the placeholder {address}, expected the address of releases"
    return ""


def check_archive(archive, top):
    """Returns the errors of an archive: files that are missing or differ from those of the tree."""
    errors = []
    with tarfile.open(archive) as files:
        for name in REQUIRED:
            path = f"collsched-{version(top)}/{name}"
            if path not in files.getnames():
                errors.append(f"{archive}: {path} is missing")
            elif files.extractfile(path).read() != (top / name).read_bytes():
                errors.append(f"{archive}: {path} differs from {name} of the tree")
    return errors


def write(archive, folder, address, top=TOP):
    """Writes the recipes and returns their paths."""
    content = Path(archive).read_bytes()
    source = address.format(version=version(top))
    values = {
        "VERSION": version(top),
        "SOURCE": source,
        "HOMEPAGE": source.rsplit("/", 1)[0],
        "SHA256": hashlib.sha256(content).hexdigest(),
        "SHA512": hashlib.sha512(content).hexdigest(),
        "INTEGRITY": "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode(),
    }

    def fill(text):
        return re.sub(r"@([A-Z0-9]+)@", lambda match: values[match[1]], text)

    written = []
    for template, target in RECIPES.items():
        path = Path(folder) / fill(target)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill((top / template).read_text()))
        written.append(path)
    return written


def main():
    parser = argparse.ArgumentParser(description="Writes the recipes of one release.")
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the release, as uploaded to the source address")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="output folder")
    given = parser.parse_args()
    if not given.archive.is_file():
        sys.exit(f"ARCHIVE: got {given.archive}, expected an existing file")
    address = (TOP / "packaging/source_address.txt").read_text().strip()
    errors = [error for error in [check_address(address), *check_archive(given.archive, TOP)] if error]
    if errors:
        sys.exit("\n".join(errors))
    for path in write(given.archive, given.folder, address):
        print(path)


if __name__ == "__main__":
    main()
