#!/usr/bin/env -S python3 -B
"""conan_functions.py RECIPE ARCHIVE FOLDER: runs a recipe like Conan, with stand-ins for the functions of Conan that it calls, and
puts the package into FOLDER/package. For test/house/packaging.py."""

import hashlib
import runpy
import shutil
import sys
import tarfile
import types
from pathlib import Path

import yaml


def get(recipe, url, sha256, strip_root):
    """Unpacks the archive, instead of the file at the URL, without its first folder."""
    if hashlib.sha256(archive.read_bytes()).hexdigest() != sha256 or not url or not strip_root:
        sys.exit(f"get: got {url}, {sha256} and {strip_root}, expected the digest of {archive} and strip_root")
    with tarfile.open(archive) as files:
        files.extractall(folder / "unpacked")
    (root,) = (folder / "unpacked").iterdir()
    shutil.copytree(root, recipe.source_folder, dirs_exist_ok=True)


def copy(recipe, pattern, src, dst):
    found = [path for path in Path(src).rglob(pattern) if path.is_file()]
    if not found:
        sys.exit(f"copy: got the pattern {pattern} in {src}, expected a file that matches")
    for path in found:
        target = Path(dst) / path.relative_to(src)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def basic_layout(recipe, src_folder):
    recipe.source_folder = str(folder / src_folder)


def check_min_cppstd(recipe, standard):
    if standard != 20:
        sys.exit(f"check_min_cppstd: got {standard}, expected 20")


class ConanFile:
    def __init__(self):
        self.package_folder = str(folder / "package")
        self.conan_data = yaml.safe_load((path.parent / "conandata.yml").read_text())
        self.properties = {}
        self.info = types.SimpleNamespace(clear=lambda: None)
        self.settings = types.SimpleNamespace(os="Linux")
        self.cpp_info = types.SimpleNamespace(set_property=self.properties.__setitem__)


path, archive, folder = (Path(argument) for argument in sys.argv[1:])
for name, members in {"conan": [ConanFile], "conan.tools": [], "conan.tools.build": [check_min_cppstd],
                      "conan.tools.files": [copy, get], "conan.tools.layout": [basic_layout]}.items():
    sys.modules[name] = types.ModuleType(name)
    for member in members:
        setattr(sys.modules[name], member.__name__, member)

(kind,) = (member for member in runpy.run_path(str(path)).values()
           if isinstance(member, type) and issubclass(member, ConanFile) and member is not ConanFile)
made = kind()
for step in ["layout", "validate", "source", "package_id", "package", "package_info"]:
    getattr(made, step)()
if made.properties.get("cmake_target_name") != "collsched::collsched":
    sys.exit(f"cmake_target_name: got {made.properties.get('cmake_target_name')}, expected collsched::collsched")
