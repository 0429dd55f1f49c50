#!/usr/bin/env python3
"""Runs verify.py on the example of docs/reference/proof.md, and on every corrupted variant of it."""
import functools
import json
import pathlib
import subprocess
import sys

import verify

here = pathlib.Path(__file__).parent
example = here / "example"
RUNS = [
    ("checkpoint", "checkpoint-3.txt"), ("checkpoint", "checkpoint-5.txt"), ("event", "event.json"),
    ("consistency", "checkpoint-3.txt", "checkpoint-5.txt", "consistency.json"),
    ("receipt", "receipt.json"), ("balance", "balance.json"), ("balance", "newest-balance.json"),
]
EXPECTED = (verify.Refused, ValueError, KeyError, TypeError, OverflowError, AttributeError)


def read(name):
    return (example / name).read_bytes().decode()


def spoiled(value):
    """Generates variants of the value with one change each."""
    if isinstance(value, dict):
        for key in value:
            if key == "at":  # part of the question, not of the proof
                continue
            for other in spoiled(value[key]):
                yield {**value, key: other}
            if value[key] is not None:
                yield {**value, key: None}
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield value[:at] + value[at + 1:]
            yield value[:at] + [item, item] + value[at + 1:]
            for other in spoiled(item):
                yield value[:at] + [other] + value[at + 1:]
    elif isinstance(value, str):
        for at, letter in enumerate(value):
            yield value[:at] + chr(ord(letter) ^ 1) + value[at + 1:]
            yield value[:at] + value[at + 1:]
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value ^ 1 << 40)
    else:
        yield "x"
        yield 0


def refuses(keys, what, texts):
    try:
        verify.check(keys, what, *texts)
    except EXPECTED:
        return True
    return False


def main():
    keys = verify.read_keys(read("log.pub"))
    count = 0
    verify.signed = functools.lru_cache(maxsize=None)(verify.signed)  # the variants contain the same signatures
    for what, *names in RUNS:
        run = subprocess.run([sys.executable, here / "verify.py", example / "log.pub", what, *(example / name for name in names)])
        assert run.returncode == 0, (what, names)
        texts = [read(name) for name in names]
        assert refuses({}, what, texts), f"{what}: without a key it holds"
        for at, text in enumerate(texts):
            value = json.loads(text) if names[at].endswith(".json") else text
            for other in spoiled(value):
                given = list(texts)
                given[at] = other if isinstance(value, str) else json.dumps(other)
                assert refuses(keys, what, given), f"{what}: {names[at]} holds though it is spoiled:\n{given[at]}"
                count += 1
    balance = json.loads(read("balance.json"))
    holds = [at for at in range(6) if not refuses(keys, "balance", [json.dumps({**balance, "at": at})])]
    assert holds == [2, 3], holds
    print(f"verify.py holds {len(RUNS)} proofs and refuses {count} spoiled ones")


if __name__ == "__main__":
    main()
