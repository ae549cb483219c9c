"""Tables of the command line program's help texts, for make.py."""

import re
import textwrap

SCHEDULE_GROUPS = ("Shape", "Algorithm parameters", "Cluster")
# A page that describes groups of options for all commands: the text of a link, the command whose help has them, and the groups.
SHARED = {"options.md": ("a schedule", "show", SCHEDULE_GROUPS), "simulate.md": ("a model", "simulate", ("Model",))}


def table(head, rows):
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head), *rows])


class Help:
    """The help text of a command, or of the program."""

    def __init__(self, text):
        self.usage = re.search(r"^Usage: .*\n(?: +.*\n)*", text, re.MULTILINE)[0]
        self.sections = dict(re.findall(r"^([A-Z][\w ]*):\n((?:  .*\n)+)", text, re.MULTILINE))

    def entries(self, heading):
        """(term, description) for each entry of a section."""
        found = []
        for line in self.sections.get(heading, "").splitlines():
            if re.match(r"  \S", line):
                term, _, description = re.sub(r"  +", "\0", line.strip(), count=1).partition("\0")
                found.append([term, description])
            else:
                found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
        return [tuple(entry) for entry in found]


def row(term, meaning):
    """A row of a table of options. GitHub and mkdocs agree on a bar in a cell only if it is an entity, which backticks would show."""
    return (f"<code>{term.replace('|', '&#124;')}</code>" if "|" in term else f"`{term}`", meaning)


def code(lines):
    return "".join(f"    {line}".rstrip() + "\n" for line in lines)


def commands_table(text):
    rows = [(f"[{name}](commands/{name}.md)", phrase) for name, phrase in Help(text).entries("Commands")]
    return table(["command", "prints or writes"], rows)


def options_tables(text, groups):
    """A table for each group of options."""
    help_text = Help(text)
    return "\n".join(table([group, "meaning"], [row(*entry) for entry in help_text.entries(group)]) for group in groups)


def help_page(page, text, text_of):
    """Usage, examples and options of a command. Options that another page describes are named with a link to it; text_of returns the
    help text of a command."""
    own = Help(text)
    parts = [code(own.usage.splitlines()), code("$ " + line.strip() for line in own.sections["Examples"].splitlines())]
    groups = [heading for heading in own.sections if heading not in ("Examples", "Notes")]
    named = {}
    for heading in groups:
        shared_at = {entry: name for name, (_, command, shared) in SHARED.items() if name != page and heading in shared
                     for entry in Help(text_of(command)).entries(heading)}
        rows = []
        for entry in own.entries(heading):
            if entry in shared_at:
                named.setdefault(shared_at[entry], []).append(f"`{entry[0].split()[0]}`")
            elif "--help" not in entry[0]:
                rows.append(row(*entry))
        if rows:
            parts.append(table([heading, "meaning"], rows))
    for name, options in named.items():
        line = f"Options of [{SHARED[name][0]}]({name}): {', '.join(options)}."
        parts.append("\n".join(textwrap.wrap(line, 130, break_on_hyphens=False, break_long_words=False)) + "\n")
    notes = own.sections.get("Notes")
    shared_notes = [Help(text_of(command)).sections.get("Notes") for name, (_, command, _) in SHARED.items() if name != page]
    if notes and notes not in shared_notes:
        parts.append(code(line[2:] for line in notes.splitlines()))
    return "\n".join(parts)


def missing_pages(text, folder):
    """The commands of the program's help without a page that shows their help."""
    for name, _ in Help(text).entries("Commands"):
        page = folder / f"{name}.md"
        if not page.exists() or f"<!-- made: help {name} -->" not in page.read_text():
            yield f"docs/commands/{name}.md: got no '<!-- made: help {name} -->', expected the options of a command"
