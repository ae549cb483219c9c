#!/usr/bin/python3 -B
"""Builds the site of the documentation into one folder that opens without a network: the pages of README.md and docs/ by
mkdocs, the API reference by Doxygen. Usage: docs/site/build.py FOLDER SHIM, from the top of the tree.

SHIM is a script that lets the search run from files: browsers start no worker from a file. The navigation is that of
docs/pages.md."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SITE = Path("docs/site")


def fail(message):
    sys.exit(f"docs: {message}")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail(f"{command[0]} failed:\n{done.stdout}")
    return done.stdout


def linked(text, page):
    """Makes links of the pages that a page names in backticks; links that leave the pages become text."""
    folder = page.parent

    def relative(target):
        return os.path.relpath(target, Path("docs") / folder)

    text = re.sub(r"(?<!\[)`(docs/[\w/]+\.md)`", lambda m: f"[`{m[1]}`]({relative(m[1])})" if Path(m[1]).exists() else m[0], text)

    def link(match):
        target = match[2].split("#")[0]
        if "://" in target or target == "" or (Path("docs") / folder / target).resolve().is_relative_to(Path("docs").resolve()):
            return match[0]
        return match[1]

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", link, text)


def copy_pages(source):
    pages = sorted(Path("docs").rglob("*.md"))
    for path in pages + sorted(Path("docs").rglob("*.svg")):
        target = source / path.relative_to("docs")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            target.write_text(linked(path.read_text(), path.relative_to("docs")))
        else:
            shutil.copy(path, target)
    readme = Path("README.md").read_text().replace("](docs/", "](").replace("](LICENSE)", "](license.md)")
    (source / "index.md").write_text(linked(readme, Path("index.md")))
    (source / "license.md").write_text("# License\n\n" + re.sub("^", "    ", Path("LICENSE").read_text(), flags=re.MULTILINE))
    return [path.relative_to("docs").as_posix() for path in pages]


def navigation(pages):
    """The lists of docs/pages.md: one for each kind of pages. Every other page must be there once."""
    kinds = re.split(r"^## (.+)$", Path("docs/pages.md").read_text(), flags=re.MULTILINE)[1:]
    found = {kind: re.findall(r"^- \[([^\]]+)\]\(([^)]+)\)", text, re.MULTILINE) for kind, text in zip(kinds[::2], kinds[1::2])}
    listed = [page for entries in found.values() for _, page in entries]
    for page in pages:
        if listed.count(page) != (page != "pages.md"):
            fail(f"docs/pages.md: got {listed.count(page)} links to {page}, expected {int(page != 'pages.md')}")
    tree = [{"Start": "index.md"}]
    for kind, entries in found.items():
        tree.append({kind: [{title[0].upper() + title[1:]: page} for title, page in entries]})
    return [*tree, {"All pages": "pages.md"}, {"API": "api/index.html"}]


def drop_empty_sections(folder):
    """Doxygen links from a page's summary to a section that it leaves out if all of its classes are private."""
    for path in folder.rglob("*.html"):
        text = path.read_text()
        if "#nested-classes" in text and 'name="nested-classes"' not in text:
            path.write_text(re.sub(r'<a href="#nested-classes">[^<]*</a>(?: &#124;\s*)?', "", text))


class hrefs(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and tag != "form":
                self.links.append(value or "")
            if name in ("id", "name"):
                self.ids.add(value)


def check_links(folder):
    """Every link within the site leads to a file and a place in it, and no page loads anything from a network."""
    parsed = {}
    for path in folder.rglob("*.html"):
        parsed[path] = hrefs()
        parsed[path].feed(path.read_text(errors="replace"))
    problems = []
    for path, page in parsed.items():
        for link in page.links:
            if re.match(r"(https?:|mailto:|javascript:|data:)", link) or link == "":
                continue
            target, _, place = link.partition("#")
            file = (path.parent / target).resolve() if target else path
            if file.is_dir():
                file = file / "index.html"
            if not file.exists():
                problems.append(f"{path.relative_to(folder)}: {link} does not exist")
            elif place and file in parsed and place not in parsed[file].ids and not place.startswith("__"):
                problems.append(f"{path.relative_to(folder)}: {link} has no such place")
    return problems


def main():
    out, shim = (Path(argument) for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        source = work / "pages"
        source.mkdir()
        nav = navigation(copy_pages(source))
        (source / "assets").mkdir()
        shutil.copy(shim, source / "assets/worker_shim.js")
        settings = (SITE / "mkdocs.yml").read_text().replace("custom_dir: overrides", f"custom_dir: {(SITE / 'overrides').resolve()}")
        (work / "mkdocs.yml").write_text(settings + f"docs_dir: {source}\nsite_dir: {work / 'site'}\nnav: {json.dumps(nav)}\n")
        run("mkdocs", "build", "--quiet", "--config-file", str(work / "mkdocs.yml"))
        site = work / "site"
        (site / "404.html").unlink()  # for servers; a folder has none
        index = (site / "search/search_index.json").read_text()
        (site / "search/search_index.js").write_text(f"var __search = {{index: Promise.resolve({index})}};\n")
        (work / "Doxyfile").write_text((SITE / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {site}\n")
        warnings = run("doxygen", str(work / "Doxyfile")).strip()
        if warnings:
            fail(f"doxygen warns:\n{warnings}")
        drop_empty_sections(site / "api")
        problems = check_links(site)
        if problems:
            fail("\n".join(problems))
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(site, out)
    print(f"{sum(1 for _ in out.rglob('*.html'))} pages; open {out.resolve()}/index.html")


main()
