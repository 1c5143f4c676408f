# SPDX-License-Identifier: BSD-2-Clause
"""What the documents show is true: commands work, links lead somewhere, lines of
reports fit docs/report.grammar, pictures are of the present text.

Blocks of code name their language: sh (commands, each on a line), report (lines
of one), options (words for tsxpmu.cfg), text (not looked at). A command that
needs no root, no hardware and less than RUN_SECONDS is run; of the others make
says what it would do (make -n), the tool whether it takes the words, or sh
whether it is a command at all.
"""

import functools
import glob
import os
import re
import shlex
import subprocess
import xml.etree.ElementTree

import rooms

GRAMMAR = "docs/report.grammar"
README_LINES = 120
COLUMNS = 140
RUN_SECONDS = 30
MAKE_SECONDS = 60  # for make -n, which runs nothing
LANGUAGES = ("sh", "report", "options", "text")
# What is run where all of a command is of these; of make these goals.
SAFE = ("build/tsxpmu", "cat", "grep", "prove", "sed", "sort", "xxd")
SAFE_GOALS = ("help", "list")
# Only their grammar is looked at: they write elsewhere, or need more than there is.
OTHERS = ("sudo", "scripts/setup", "scripts/image", "clang-format")
WRONG_USE = (2, 64)  # of the host tool, and of scripts
# Files that commands of the documents make.
PRODUCTS = ("build/report.log", "build/reports.db", "build/page.html", "build/failed", "build/distributions", "build/dist",
            "build/tsxpmu-signed.img")
TOP = ("src", "efi", "asm", "host", "lab", "tests", "scripts", "docs", "build")


def documents():
    return (["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            + sorted(glob.glob("docs/*.md")))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(number of its first line, language, lines) of each block of code."""
    start = language = None
    lines = text.splitlines()
    for at, line in enumerate(lines):
        fence = re.match(r"\s*```(\S*)$", line)
        if not fence:
            continue
        if start is None:
            start, language = at + 1, fence[1]
        else:
            yield start + 1, language, lines[start:at]
            start = None


def outside(text):
    """(number, line) of all that is no code."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


# --- Shape --------------------------------------------------------------------


def shape(path):
    text = read(path)
    if path == "README.md" and text.count("\n") > README_LINES:
        yield f"{path} has {text.count(chr(10))} lines, more than {README_LINES}"
    for number, line in outside(text):
        if len(line) > COLUMNS and not line.startswith("|"):
            yield f"{path}:{number}: {len(line)} columns"
    if text.count("```") % 2:
        yield f"{path}: a block of code does not end"
    for number, language, _ in blocks(text):
        if language not in LANGUAGES:
            yield f"{path}:{number}: code of language \"{language}\""


# --- Links and paths ----------------------------------------------------------


def anchors(path):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
            for _, line in outside(read(path)) if line.startswith("#")}


def links(path):
    for number, line in outside(read(path)):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(path), name))
            there = there if name else path
            if not os.path.exists(there):
                yield f"{path}:{number}: dead link: {target}"
            elif anchor and anchor not in anchors(there):
                yield f"{path}:{number}: dead link: no heading for #{anchor}"
        for span in re.findall(r"`([^`]+)`", line):
            yield from (f"{path}:{number}: {problem}" for problem in missing(span))


def missing(span):
    """A path of the tree that is not there."""
    if not re.fullmatch(rf"({'|'.join(TOP)})/[\w./*-]*", span):
        return
    parts = span.split("/")
    # In a room that is not there it is passed over.
    for top, table in rooms.TABLES.items():
        names = rooms.read(table)
        depth = top.count("/") + 1
        if ("/".join(parts[:depth]) == top and parts[depth] in names
                and not os.path.isdir("/".join(parts[:depth + 1]))):
            return
    if not glob.glob(span) and not made(span):
        yield f"there is no {span}"


@functools.cache
def make(*words):
    headers = {"NO_HEADERS": "1"} if "-n" in words else {}
    return subprocess.run(["make", *words], check=False, timeout=MAKE_SECONDS,
                          env={"PATH": os.environ["PATH"]} | headers, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def made(path):
    """Is it what make, or a command, makes?"""
    if any(path == p or path.startswith(p + "/") for p in PRODUCTS):
        return True
    return path.startswith("build/") and make("-n", path).returncode == 0


# --- Commands -----------------------------------------------------------------


@functools.cache
def variables():
    """What may be set on make's command line, or in the environment."""
    makefile = read("Makefile")
    names = set(re.findall(r"^(\w+)\s*\?=", makefile, re.M))
    names |= set(re.findall(r"\$\((\w+)\)", makefile))
    for path in glob.glob("tests/*.py") + glob.glob("tests/boot/*.py"):
        names |= set(re.findall(r'environ\.get\("(\w+)"', read(path)))
    return names | {"DEBIAN_MIRROR", "UBUNTU_MIRROR"}


def split(command):
    """The commands of a line: (variables before it, words) of each."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words, settings = [], []
    for token in list(lexer) + [";"]:
        if re.fullmatch(r"[|&;]+", token):
            if words:
                yield settings, words
            words, settings = [], []
        elif not words and re.match(r"[A-Z_]+=", token):
            settings.append(token)
        else:
            words.append(token)


def try_make(words):
    """make with these words: its variables are known, its goals can be made."""
    for word in words:
        name = word.split("=")[0]
        if "=" in word and name not in variables():
            yield f"make has no variable {name}"
    goals = [word for word in words if "=" not in word]
    run = make(*([] if goals and set(goals) <= set(SAFE_GOALS) else ["-n"]), *words)
    if run.returncode:
        yield f"status {run.returncode}: {run.stdout.strip()[-300:]}"


def try_run(command, parts):
    """All of the line, or what of it can be tried without its files."""
    files = {w for _, words in parts for w in words if w.startswith("build/")}
    if not all(os.path.exists(file) for file in files):
        return
    # Of input that is the reader's, the tool may find that it is none.
    placeholder = any(re.fullmatch(r"[A-Z]{2,}|-", word)
                      for _, words in parts for word in words)
    command = re.sub(r"(?<!\S)[A-Z]{2,}(?!\S)", "/dev/null", command)
    try:
        run = subprocess.run(["sh", "-c", command], check=False, text=True,
                             timeout=RUN_SECONDS, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        yield f"takes more than {RUN_SECONDS} s"
        return
    if run.returncode in WRONG_USE or (run.returncode and not placeholder):
        yield f"status {run.returncode}: {run.stdout.strip()[-300:]}"


def usage(words):
    """A script says in its usage which words it takes."""
    run = subprocess.run([words[0], "-h"], check=False, capture_output=True,
                         text=True, timeout=RUN_SECONDS)
    for word in words[1:]:
        if re.fullmatch(r"[a-z]+", word) and not re.search(rf"\b{word}\b", run.stdout):
            yield f"{words[0]} does not know {word}"


def command(line):
    """Problems of one line of commands."""
    syntax = subprocess.run(["sh", "-nc", line], check=False, capture_output=True,
                            text=True, timeout=RUN_SECONDS)
    if syntax.returncode:
        yield syntax.stderr.strip()
        return
    parts = list(split(line))
    for _, words in parts:
        for word in words:
            yield from missing(word.split("=", 1)[-1])
    names = {words[0] for _, words in parts}
    if names == {"make"}:
        for settings, words in parts:
            yield from try_make(words[1:] + settings)
    elif names <= set(SAFE):
        yield from try_run(line, parts)
    elif not names <= set(OTHERS + SAFE + ("make",)):
        yield f"{', '.join(sorted(names))}: tests/docs.py does not know this command"
    else:
        for _, words in parts:
            if words[0] == "scripts/setup":
                yield from usage(words)


def commands(path):
    for number, language, lines in blocks(read(path)):
        if language != "sh":
            continue
        text = "\n".join(lines).replace("\\\n", " ")
        for line in text.splitlines():
            for problem in command(line) if line.strip() else ():
                yield f"{path}:{number}: {line.strip()}: {problem}"


def options(path):
    """Words of blocks of options: keys of the grammar."""
    source = read(glob.glob("src/options.c")[0] if os.path.exists("src/options.c")
                  else "src/options/options.c")
    keys = set(re.findall(r'^    \{"(\w+)", parse_', source, re.M))
    for number, language, lines in blocks(read(path)):
        for word in " ".join(lines).split() if language == "options" else ():
            if word.split("=")[0] not in keys or "=" not in word:
                yield f"{path}:{number}: no such option: {word}"


# --- Reports ------------------------------------------------------------------


class Grammar:
    """docs/report.grammar as regular expressions."""

    TOKEN = re.compile(r'\s*("[^"]*"|/(?:[^/\\]|\\.)*/|\w+|[|()\[\]{}])')

    def __init__(self, path=GRAMMAR):
        rules = []
        for line in read(path).splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if line[0] == " ":
                rules[-1] += line
            else:
                rules.append(line)
        self.rules = {}
        for rule in rules:
            name, meaning = re.match(r"(\w+)\s*= (.*)", rule).groups()
            self.rules[name] = "(?:" + self._translate(meaning) + ")"
            if name == "line":
                self.kinds = [(kind, re.compile(self.rules[kind]))
                              for kind in re.findall(r"\w+", meaning)]

    def _translate(self, meaning):
        ends = {"[": "(?:", "]": ")?", "{": "(?:", "}": ")*", "(": "(?:", ")": ")",
                "|": "|"}
        out, at = "", 0
        while at < len(meaning.rstrip()):
            token = self.TOKEN.match(meaning, at)
            if not token:
                raise ValueError(f"{GRAMMAR}: {meaning[at:]}")
            word, at = token[1], token.end()
            if word[0] == '"':
                out += re.escape(word[1:-1])
            elif word[0] == "/":
                out += word[1:-1]
            else:
                out += ends[word] if word in ends else self.rules[word]
        return out

    def kind(self, line):
        """The name of the first rule of `line` that the line fits, or None."""
        return next((kind for kind, pattern in self.kinds
                     if pattern.fullmatch(line)), None)

    def fits(self, rule, line):
        return re.fullmatch(self.rules[rule], line) is not None

    def whole(self, lines):
        """Problems of a whole report."""
        for rule, line in (("version", lines[0]), ("plan", lines[1]), ("end", lines[-1])):
            if not self.fits(rule, line):
                yield f"not the {rule}: {line}"
        for line in lines[2:-1]:
            if not self.kind(line):
                yield f"no line of a report: {line}"


def reports(path, grammar):
    for number, language, lines in blocks(read(path)):
        for line in lines if language == "report" else ():
            if not grammar.kind(line) and not any(
                    grammar.fits(rule, line) for rule in ("version", "plan", "end")):
                yield f"{path}:{number}: no line of a report: {line}"


# --- Pictures -----------------------------------------------------------------


def drawn(svg):
    """Nodes and edges by their titles, and all that is written."""
    tree = xml.etree.ElementTree.parse(svg)
    space = "{http://www.w3.org/2000/svg}"
    titles = [group.findtext(space + "title") for group in tree.iter(space + "g")
              if group.get("class") in ("node", "edge")]
    return (sorted(titles),
            sorted(text.text.strip() for text in tree.iter(space + "text")))


def described(dot):
    """The same of the text that it is drawn from: a node or an edge a line."""
    nodes, edges, words = [], [], []
    for line in dot.splitlines():
        line = line.strip()
        edge = re.match(r"(\w+) -> (\w+)\b", line)
        node = re.match(r"(\w+) \[.*label=", line)
        if edge:
            edges.append(f"{edge[1]}->{edge[2]}")
        elif node:
            nodes.append(node[1])
        for label in re.findall(r'\blabel="([^"]*)"', line):
            words += label.replace("\\\\", "\0").split("\\n")
    return (sorted(nodes + edges),
            sorted(word.replace("\0", "\\").strip() for word in words))


def picture(svg, dot):
    try:
        found = drawn(svg)
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        yield f"{svg} is no picture, make docs draws it: {error}"
        return
    for what, got, wanted in zip(("nodes and edges", "words"), found, described(dot)):
        if got != wanted:
            odd = sorted(set(got) ^ set(wanted)) or got
            yield f"{svg} is stale, make docs draws it: {what} differ: {odd[:6]}"


def pictures():
    for table in rooms.TABLES.values():
        yield from picture(table.removesuffix(".txt") + ".svg",
                           rooms.dot(rooms.read(table)))
    for path in sorted(glob.glob("docs/*.dot")):
        yield from picture(path.removesuffix(".dot") + ".svg", read(path))


def run(result):
    grammar = Grammar()
    for path in documents():
        result(f"docs: {path}: shape", shape(path))
        result(f"docs: {path}: links and paths", links(path))
        result(f"docs: {path}: commands", commands(path))
        result(f"docs: {path}: options", options(path))
        result(f"docs: {path}: lines of reports", reports(path, grammar))
    result("docs: a golden report fits the grammar",
           grammar.whole(read("tests/golden/session.report").splitlines()))
    result("docs: pictures are of the present text", pictures())
