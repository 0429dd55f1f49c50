#!/usr/bin/env python3
"""Runs the programs of docs/how-to/quick-start.md; only the address is replaced by BASE_URL.

Each program must print that its payment was created, and all payments must settle."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

CLIENTS = pathlib.Path(__file__).parents[1]
PAGE = CLIENTS.parents[1] / "docs/how-to/quick-start.md"
BASE_URL = os.environ["BASE_URL"].rstrip("/")
# The page says nine seconds; a busy host takes longer.
SETTLED_WITHIN_S = 60
# Command and file suffix of each language.
RUN = {"bash": ["bash"], "python": ["python3"], "js": ["node"]}
SUFFIX = {"bash": ".sh", "python": ".py", "js": ".mjs"}
LINES = 10


def programs():
    """Returns the language and the text of each program on the page."""
    found = re.findall(r"^```(bash|python|js)\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert [language for language, _ in found] == list(RUN), found
    return found


def run(language, text):
    """Runs a program in a folder with the user's file, below the libraries of Node.js. Returns its output."""
    with tempfile.TemporaryDirectory(dir=CLIENTS / "quick_starts") as folder:
        program = pathlib.Path(folder, "program" + SUFFIX[language])
        program.write_text(text.replace("http://127.0.0.1:8080", BASE_URL))
        user = re.search(r"^```json\n(.*?)^```", PAGE.read_text(), re.M | re.S)[1]
        pathlib.Path(folder, "ada.json").write_text(user)
        done = subprocess.run([*RUN[language], program], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{language}: {done.stderr}"
    return done.stdout.strip()


def settled():
    """Returns the number of settled payments of the programs' amount."""
    request = urllib.request.Request(f"{BASE_URL}/v3.1/trans?per_page=100&filter=SETTLED", headers={
        "X-SP-GATEWAY": f"{os.environ['CLIENT_ID']}|{os.environ['CLIENT_SECRET']}"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    found = json.load(opener.open(request, timeout=30))["trans"]
    return sum(one["amount"]["amount"] == 2.5 for one in found)


begun = settled()
for language, text in programs():
    # Statements without imports; an indented line belongs to the previous statement.
    lines = [line for line in text.splitlines() if line and not line.startswith((" ", "import ", "from "))]
    assert len(lines) <= LINES, f"{language}: {len(lines)} lines"
    said = run(language, text)
    assert said == "CREATED", f"{language} says {said!r}"
    print(f"ok {language}, {len(lines)} lines")
deadline = time.monotonic() + SETTLED_WITHIN_S
while settled() < begun + len(RUN):
    assert time.monotonic() < deadline, "the payments do not settle"
    time.sleep(0.5)
print("3 quick starts, 3 payments settled")
