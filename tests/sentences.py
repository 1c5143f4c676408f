# SPDX-License-Identifier: BSD-2-Clause
"""Numbers the sentences of a document that is plain text, taken from a PDF: each
sentence, row of a table and item of a list is a piece. The catalogue of claims
(tests/claims/) goes by these numbers; the documents are not part of the tree."""

import re
from typing import Iterator

NUMBER = re.compile(r"\d+(:\d+)?$")  # a position in a register
OFFSET = re.compile(r"[0-9A-F]+H$")  # one in a record
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(0-9])")


def _paragraphs(text: str) -> Iterator[str]:
    """Without white space at the ends; rows of a table each by itself."""
    for block in re.split(r"\n\s*\n", text):
        rows: list[str] = []
        for line in block.splitlines():
            if "\t" in line:
                if rows:
                    yield " ".join(rows).strip()
                    rows = []
                yield line.strip()
            else:
                rows.append(line.strip())
        if rows:
            yield " ".join(rows).strip()


def _goes_on(before: str, after: str) -> bool:
    """Is a paragraph the rest of the one before?"""
    if "\t" in before:
        return False
    return bool(OFFSET.search(before) and len(before) < 5
                or NUMBER.match(before.split(" ")[-1]) and len(before) < 30
                or NUMBER.match(after)
                or before == "•"
                or re.search(r"[a-z,]$", before) and re.match(r"[a-z]", after))


def pieces(text: str) -> list[str]:
    """The piece of number n is [n - 1]."""
    joined: list[str] = []
    for paragraph in _paragraphs(text.replace("background image", "\n\n")):
        if not paragraph:
            continue
        if joined and _goes_on(joined[-1], paragraph):
            joined[-1] += " " + paragraph
        else:
            joined.append(paragraph)
    return [piece for paragraph in joined
            for piece in SENTENCE_END.split(re.sub(r"\s+", " ", paragraph))]
