# SPDX-License-Identifier: BSD-2-Clause
"""What the host tool is installed with: man pages of each command, and what
bash completes."""

import glob
import os
import re
import subprocess

from tool import TOOL

COMPLETION = "scripts/tsxpmu.bash-completion"
LIBRARY = "/usr/share/bash-completion/bash_completion"


def said(*words):
    return subprocess.run(words, check=False, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, timeout=60).stdout


def commands():
    """As --help has them: "show", "decode report"."""
    text = said(TOOL, "--help")
    return re.findall(r"\[OPTION\.\.\.\] ([a-z]+(?: (?:pebs|pt|report))?)\b", text)


def listed():
    """Each file of a command is a command that --help names, and has a page."""
    for path in glob.glob("host/commands/*.c"):
        name = os.path.basename(path).removesuffix(".c").replace("_", " ")
        if name in ("arguments", "commands"):
            continue
        if name not in commands():
            yield f"--help does not name {name}"
        if not said(TOOL, *name.split(), "--help").startswith(f"Usage: tsxpmu {name} "):
            yield f"{name} --help: {said(TOOL, *name.split(), '--help')[:80]}"
        if not os.path.exists(f"build/man/tsxpmu-{name.replace(' ', '_')}.1"):
            yield f"{name} has no man page"


def pages():
    for path in sorted(glob.glob("build/man/*.1")):
        run = subprocess.run(["man", "--warnings", "-l", path], check=False, text=True,
                             capture_output=True, timeout=60,
                             env={**os.environ, "MANWIDTH": "300", "LC_ALL": "C.UTF-8"})
        if run.returncode or run.stderr:
            yield f"{path}: {run.stderr}"
        name = os.path.basename(path).removesuffix(".1")
        words = name.removeprefix("tsxpmu").strip("-").replace("_", " ").split()
        if not re.search(rf"^ +{name.replace('_', '-')} - \w+ \w+", run.stdout, re.M):
            yield f"{path}: no NAME"
        for option in re.findall(r"--[a-z-]+", said(TOOL, *words, "--help")):
            if option not in run.stdout:
                yield f"{path}: nothing of {option}"


def completes(line, *wanted):
    """What there is for the last word of a line."""
    words = line.split(" ")
    script = (f". {LIBRARY}; . {COMPLETION}; COMP_LINE='{line}'; COMP_POINT={len(line)}\n"
              f"COMP_WORDS=({' '.join(w or chr(39) * 2 for w in words)}); "
              f"COMP_CWORD={len(words) - 1}\n"
              f"_tsxpmu {TOOL}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    got = said("bash", "-c", script).split()
    if not set(wanted) <= set(got) or not wanted and got:
        yield f"{line!r}: {got}"
    for word in got:
        if not word.startswith(words[-1]):
            yield f"{line!r}: {word}"


def run(result):
    result("tool: commands have help and a man page", listed())
    result("tool: man pages", pages())
    result("tool: completion in bash", [
        p for line, *wanted in (
            ("tsxpmu ", "show", "query", "plan", "--help"), ("tsxpmu ju", "judge", "junit"),
            ("tsxpmu decode ", "pebs", "pt", "report"), ("tsxpmu decode report --t", "--tsx", "--test"),
            ("tsxpmu show --c", "--color"), ("tsxpmu query x.db ", "machines", "counter3", "broken"),
            ("tsxpmu query x.db f", "failed"), ("tsxpmu show README", "README.md"),
            ("tsxpmu xyz",))
        for p in completes(line, *wanted)])
