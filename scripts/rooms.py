#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the picture of a table of rooms as text for graphviz's dot.

usage: scripts/rooms.py docs/rooms.txt|docs/silicon_rooms.txt

As a module: read() gives the table, may_include() what follows from it.
"""

import collections
import sys

# Where there are rooms, and the table of them.
TABLES = {"src": "docs/rooms.txt", "tests/silicon": "docs/silicon_rooms.txt"}

Room = collections.namedtuple("Room", "what includes")


def read(path):
    """The rooms by name, in the table's order. Raises ValueError where a line is
    not as it should be, or a room includes one that is not above it."""
    rooms = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3 or not parts[0]:
                raise ValueError(f"{path}:{number}: not name | what | rooms")
            name, what, includes = parts
            for other in includes.split():
                if other not in rooms:
                    raise ValueError(f"{path}:{number}: {other} is not above {name}")
            rooms[name] = Room(what, tuple(includes.split()))
    return rooms


def may_include(rooms, name):
    """The rooms that a file of this one may include headers of: itself, those
    that it names, and what they may include."""
    allowed = {name}
    for other in rooms[name].includes:
        allowed |= may_include(rooms, other)
    return allowed


def dot(rooms):
    """The picture: the rooms that include stand above those that are included."""
    lines = ["digraph rooms {",
             '    node [shape=box, style="rounded,filled", fillcolor="#f4f4f4",',
             '          fontname="sans-serif", fontsize=11, margin="0.12,0.06"];',
             '    edge [arrowsize=0.7, color="#555555"];',
             "    ranksep=0.35; nodesep=0.2;"]
    for name, room in rooms.items():
        label = "\\n".join([name] + two_lines(room.what))
        lines.append(f'    {name} [label="{label}"];')
    for name, room in rooms.items():
        lines += [f"    {name} -> {other};" for other in room.includes]
    return "\n".join(lines + ["}", ""])


def two_lines(text):
    """The text, broken at the blank that is nearest to its middle."""
    blanks = [at for at, c in enumerate(text) if c == " "]
    if len(text) < 24 or not blanks:
        return [text]
    middle = min(blanks, key=lambda at: abs(at - len(text) // 2))
    return [text[:middle], text[middle + 1:]]


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 64
    sys.stdout.write(dot(read(sys.argv[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
