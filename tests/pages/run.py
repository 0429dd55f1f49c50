#!/usr/bin/env python3
"""Runs the blocks of how-to pages in a shell, one after the other, each page with its own sandbox, and compares their
output with the output that the page shows. Ids, times and secrets differ in each run and are not compared.

    tests/pages/run.py BINARY [PAGE…]

DAYBOOK_BLESS=1 writes the output into the pages."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["docs/how-to/first-payment.md", "docs/how-to/erase-a-person.md"]
BASE = "http://127.0.0.1:8080"
READY_WITHIN_S = 60
PAGE_WITHIN_S = 120
# Values that differ in each run: ids, times, secrets.
OTHERS = [
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "ID"),
    (r"\b1\d{12}\b", "MS"),
    (r"(refresh|oauth)_[0-9a-f]+_[0-9a-f]+", r"\1_SECRET"),
    (r"position \d+", "position N"),
    (r"\(\d+\)", "(N)"),
    (r"^\d+ columns", "N columns"),
]
BLOCK = re.compile(r"^( *)```(bash|json|text)\n(.*?)^ *```\n", re.M | re.S)
MARK = "@@@@"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def plain(text):
    """Replaces values that differ in each run."""
    for pattern, instead in OTHERS:
        text = re.sub(pattern, instead, text, flags=re.M)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def dedented(indent, text):
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


class Sandbox:
    """A `daybook dev` with its own folder and port."""

    def __init__(self, binary, folder):
        self.port, data = free_port(), f"{folder}/data"
        self.log = open(f"{folder}/daybook.log", "w+")
        own = {name: value for name, value in os.environ.items() if not name.startswith("DAYBOOK_")}
        self.variables = {**own, "DAYBOOK_DATA_DIR": data, "no_proxy": "*", "PATH": f"{binary.parent}:{own['PATH']}"}
        args = [binary, "dev", "--settle-after", "3s", "--listen", f"127.0.0.1:{self.port}", "--data-dir", data]
        self.process = subprocess.Popen(args, stdout=self.log, stderr=self.log, env=own)
        deadline = time.monotonic() + READY_WITHIN_S
        while "is ready at" not in self.said():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"daybook is not ready: {self.said()}")
            time.sleep(0.1)

    def said(self):
        return pathlib.Path(self.log.name).read_text()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def printed(sandbox, folder, blocks):
    """Runs all blocks in one shell; returns the output of each."""
    script = "".join(f"echo {MARK}\n{text}" for text in blocks).replace(BASE, f"http://127.0.0.1:{sandbox.port}")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=sandbox.variables, capture_output=True,
                          text=True, timeout=PAGE_WITHIN_S)
    if done.returncode != 0:
        raise SystemExit(f"a block ends with code {done.returncode}: {done.stderr[-2000:]}\n{done.stdout[-2000:]}")
    return done.stdout.replace(f"http://127.0.0.1:{sandbox.port}", BASE).split(f"{MARK}\n")[1:]


def follow(binary, page):
    """Runs the blocks of a page; returns the differences from the page."""
    text = page.read_text()
    found = [(match, *match.groups()) for match in BLOCK.finditer(text)]
    blocks = [dedented(indent, body) for _, indent, language, body in found if language == "bash"]
    with tempfile.TemporaryDirectory(prefix="daybook-pages-") as folder:
        # As root, PostgreSQL runs under another account, which must be able to enter this folder.
        os.chmod(folder, 0o711)
        sandbox = Sandbox(binary, folder)
        try:
            outputs = printed(sandbox, folder, blocks)
        finally:
            sandbox.stop()
    wrong, number, edits = [], -1, []
    for index, (match, indent, language, body) in enumerate(found):
        if language == "bash":
            number += 1
            follows = found[index + 1] if index + 1 < len(found) else None
            is_shown = follows and follows[2] != "bash" and not text[match.end():follows[0].start()].strip()
            if not is_shown and outputs[number].strip():
                wrong.append(f"block {number + 1} prints what is not shown: {outputs[number].strip()}")
        elif index and found[index - 1][2] == "bash" and not text[found[index - 1][0].end():match.start()].strip():
            if plain(dedented(indent, body)) != plain(outputs[number]):
                wrong.append(f"block {number + 1} shows\n{body.strip()}\nand prints\n{outputs[number].strip()}")
            shown = "".join(f"{indent}{line}\n" for line in outputs[number].strip().splitlines())
            edits.append((match.start(3), match.end(3), shown))
    if os.environ.get("DAYBOOK_BLESS") == "1":
        for begin, end, shown in reversed(edits):
            text = text[:begin] + shown + text[end:]
        page.write_text(text)
        return []
    print(f"ok {page.name}: {len(blocks)} blocks" if not wrong else f"WRONG {page.name}")
    return wrong


def main():
    binary, pages = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or PAGES
    wrong = [what for page in pages for what in follow(binary, ROOT / page)]
    if wrong:
        raise SystemExit("\n\n".join(wrong))


main()
