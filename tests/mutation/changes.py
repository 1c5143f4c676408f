# SPDX-License-Identifier: BSD-2-Clause
"""The small changes that can be made to a C file: candidates(text) gives each.

Left out is what says something, and decides nothing: a call of note(), what it
depends on, and the arguments behind the format of a check; and sizes of texts.
"""

import re
from typing import Iterator, NamedTuple

TOKEN = re.compile(r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*)
  | (?P<include>^[ ]*\#[ ]*include[^\n]*)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>0[xX][0-9a-fA-F]+|\d+)(?:[uUlL]*\b)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.X | re.S | re.M)

OPERATORS: dict[str, dict[str, tuple[str, ...]]] = {
    "comparison": {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"),
                   ">=": (">", "<"), "==": ("!=",), "!=": ("==",)},
    "logic": {"&&": ("||",), "||": ("&&",)},
    "mask": {"&": ("|",), "|": ("&",), "^": ("|",), "<<": (">>",), ">>": ("<<",),
             "&=": ("|=",), "|=": ("&=",)},
    "arithmetic": {"+": ("-",), "-": ("+",), "+=": ("-=",), "-=": ("+=",),
                   "++": ("--",), "--": ("++",)},
    "negation": {"!": ("",), "~": ("",)},
}
TRUTH = {"true": "false", "false": "true"}
BINARY_AFTER = ("name", "number", "string")
SAYS = ("note",)
CHECKS = ("check", "check_known", "broken", "skip")
TYPES = {"char", "const", "static", "struct", "unsigned", "int", "bool", "volatile",
         "enum", "union", "void", "extern", "size_t", "typedef", "va_list"}
NO_STATEMENT = TYPES | {"if", "for", "while", "do", "else", "switch", "case", "default",
                        "return", "goto", "sizeof", *SAYS, "TEST", "_Static_assert"}
CONSTANT = re.compile(r"[A-Z][A-Z0-9]*_[A-Za-z0-9_]+$")
TEXT_SIZE = re.compile(r"\w*(BYTES|TEXT)$")


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Change(NamedTuple):
    kind: str
    start: int
    end: int
    text: str  # that takes the place of what is there


def tokens(text: str) -> list[Token]:
    return [Token(str(m.lastgroup), m[str(m.lastgroup)], m.start())
            for m in TOKEN.finditer(text) if m.lastgroup not in ("skip", "include")]


def closing(found: list[Token], at: int) -> int:
    """The index of what closes the bracket at `at`."""
    depth = 0
    for index in range(at, len(found)):
        if found[index].kind == "operator":
            depth += (found[index].text in "([{") - (found[index].text in ")]}")
        if depth == 0:
            return index
    return len(found) - 1


def _only_says(found: list[Token], at: int) -> int:
    """The index after the statement there, where it only says something, else 0."""
    if found[at].text in SAYS:
        return closing(found, at + 1) + 2
    if found[at].text in ("if", "for", "while") and found[at + 1].text == "(":
        end = _only_says(found, closing(found, at + 1) + 1)
        if end and end < len(found) and found[end].text == "else":
            return _only_says(found, end + 1)
        return end
    if found[at].text != "{":
        return 0
    end, at = closing(found, at), at + 1
    while at and at < end:
        at = _only_says(found, at)
    return end + 1 if at == end else 0


def _silent(found: list[Token], text: str) -> set[int]:
    """Indices of tokens that only say something."""
    out: set[int] = set()
    for index, token in enumerate(found[:-1]):
        if found[index + 1].text != "(":
            continue
        if token.text in ("if", "for", "while"):
            out |= set(range(index, _only_says(found, index)))
        end = closing(found, index + 1)
        if token.text in SAYS:
            out |= set(range(index, end + 1))
        elif token.text in CHECKS:
            strings = [i for i in range(index, end) if found[i].kind == "string"]
            out |= set(range(strings[0], end)) if strings else set()
    for line in re.finditer(r"^#define +(\w+)[^\n]*", text, re.M):
        if TEXT_SIZE.match(line[1]):
            out |= {i for i, t in enumerate(found) if line.start() <= t.start < line.end()}
    return out


def _statement_starts(found: list[Token]) -> Iterator[int]:
    for index, token in enumerate(found):
        before = found[index - 1].text if index else "}"
        if token.kind == "name" and before in (";", "{", "}", ")", "else"):
            yield index


def _statements(found: list[Token]) -> Iterator[tuple[int, int]]:
    """(first, last) of each that can be dropped: a call, an assignment, break."""
    for first in _statement_starts(found):
        if found[first].text in NO_STATEMENT or found[first].text.endswith("_t"):
            continue
        last = first
        while last < len(found) and found[last].text not in (";", "{", "}", ")"):
            last = closing(found, last) + 1 if found[last].text in "([" else last + 1
        body = [t.text for t in found[first:last]]
        if last == len(found) or found[last].text != ";":
            continue
        declares = len(body) > 1 and (found[first + 1].kind == "name"
                                      or body[1] == "*" and found[first + 2].kind == "name")
        acts = body[0] in ("break", "continue") or len(body) > 1 and (
            body[1] == "(" or any(re.fullmatch(r"[-+|&^*/]?=|<<=|>>=|\+\+|--", b)
                                  for b in body))
        if acts and not declares:
            yield first, last


def _dimension(found: list[Token], index: int) -> bool:
    """Is it the length of a local array?"""
    if found[index - 1].text != "[" or found[index + 1].text != "]":
        return False
    start = index
    while start and found[start - 1].text not in (";", "{", "}", "("):
        start -= 1
    return found[start].text in TYPES or found[start].text.endswith("_t")


def candidates(text: str) -> list[Change]:
    found = tokens(text)
    silent = _silent(found, text)
    constants = sorted({t.text for t in found if CONSTANT.match(t.text)
                        and not t.text.endswith(("_H", "BYTES", "TEXT"))})
    out: list[Change] = []
    for index, token in enumerate(found):
        if index in silent or not 0 < index < len(found) - 1:
            continue
        binary = found[index - 1].kind in BINARY_AFTER or found[index - 1].text in ")]"
        if token.kind == "number" and not _dimension(found, index):
            value = int(token.text, 0) if token.text != "08" else 8
            for other in {value + 1, abs(value - 1)} - {value}:
                out.append(Change("constant", token.start, token.end,
                                  hex(other) if "x" in token.text.lower() else str(other)))
        elif token.text in TRUTH:
            out.append(Change("truth", token.start, token.end, TRUTH[token.text]))
        elif token.kind == "name" and token.text in constants:
            alike = [c for c in constants if c != token.text
                     and c.split("_")[0] == token.text.split("_")[0]]
            near = sorted(alike, key=lambda c: abs(constants.index(c)
                                                   - constants.index(token.text)))
            out += [Change("swap", token.start, token.end, c) for c in near[:2]]
        elif token.text in ("if", "while") and found[index + 1].text == "(":
            first, last = found[index + 1], found[closing(found, index + 1)]
            out.append(Change("condition", first.start, last.end,
                              f"(!{text[first.start:last.end]})"))
        elif token.kind == "operator":
            for kind, table in OPERATORS.items():
                if token.text in table and (binary or kind not in ("mask", "arithmetic")):
                    out += [Change(kind, token.start, token.end, other)
                            for other in table[token.text]]
    for start, end in _statements(found):
        if start not in silent:
            out.append(Change("statement", found[start].start, found[end].end, ";"))
    return out


def applied(text: str, change: Change) -> str:
    return text[:change.start] + change.text + text[change.end:]
