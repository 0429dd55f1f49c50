#!/usr/bin/env python3
"""Checks proofs of a Daybook log with its public key and nothing else; written from docs/reference/proof.md.

  verify.py KEYS checkpoint NOTE                  a checkpoint is signed
  verify.py KEYS event PROOF                      an event is in the log
  verify.py KEYS consistency OLD NEW PROOF        one checkpoint's log is the beginning of the other's
  verify.py KEYS receipt RECEIPT                  the log has promised an event
  verify.py KEYS balance BALANCE                  an entry is an account's newest one at a position
  verify.py KEYS export MANIFEST LINES [NOTE...]  a whole log: LINES has the unpacked segments, one after the other

KEYS has a public key on each line. Needs Python 3.8 and no package. Ends with 0 if it holds, 1 if not, and 2 if nothing
is wrong with an export but commits are signed with keys that are not among KEYS.
"""
import base64
import hashlib
import json
import sys
import uuid


class Refused(Exception):
    pass


class Unchecked(Refused):
    pass


def need(holds, otherwise):
    if not holds:
        raise Refused(otherwise)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text, length=None):
    raw = base64.b64decode(text, validate=True)
    need(base64.b64encode(raw).decode() == text, "base64 with bits too many")
    need(length is None or len(raw) == length, "bytes of another length")
    return raw


# Ed25519: x and y as fractions over z, t = xy/z, on -x² + y² = 1 + dx²y² modulo P.
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    x, w, v, y = f - e, h - g, h + g, f + e
    return x * w % P, v * y % P, w * v % P, x * y % P


def times(n, point):
    result = (0, 1, 1, 0)
    for bit in bin(n)[2:]:
        result = add(result, result)
        result = add(result, point) if bit == "1" else result
    return result


def encode(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decode(raw):
    y = int.from_bytes(raw, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if (x * x - square) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    need(y < P and (x * x - square) % P == 0 and (x or not sign), "not a point of the curve")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


BASE = decode(bytes([0x58]) + bytes([0x66]) * 31)


def signed(public, message, signature):
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    a = decode(public)
    k = int.from_bytes(hashlib.sha512(r + public + message).digest(), "little") % ORDER
    is_small = encode(times(8, a)) == encode((0, 1, 1, 0))
    return len(signature) == 64 and s < ORDER and not is_small and encode(add(times(s, BASE), times(ORDER - k, a))) == r


def read_keys(text):
    keys = {}
    for line in text.split():
        name, key_id, encoded = line.split("+", 2)
        raw = unbase64(encoded, 33)
        need(raw[0] == 1 and key_id == sha256(name.encode(), b"\n", raw)[:4].hex(), "not a key of Ed25519: " + line)
        keys[name, bytes.fromhex(key_id)] = raw[1:]
    return keys


def unuuid(text):
    need(str(uuid.UUID(text)) == text, "not a UUID as it is written here")
    return uuid.UUID(text).bytes


def node(left, right):
    return sha256(b"\1", left, right)


def take(proof):
    need(proof, "the proof is too short")
    return unbase64(proof.pop(0), 32)


def check_path(leaf, index, path, head):
    size, root = head
    need(0 <= index < size, "no such position in this tree")
    path, at, end = list(path), index, size - 1
    while end > 0:
        if at & 1:
            leaf = node(take(path), leaf)
        elif at < end:
            leaf = node(leaf, take(path))
        at, end = at >> 1, end >> 1
    need(not path and leaf == root, "the path leads to another root")


def check_consistency(proof, old, new):
    proof, at, end = list(proof), old[0] - 1, new[0] - 1
    need(old[0] <= new[0], "the second one is smaller")
    if old[0] in (0, new[0]):
        return need(not proof and old[1] == (new[1] if old[0] else sha256()), "they are not of one log")
    while at & 1:
        at, end = at >> 1, end >> 1
    a = b = old[1] if at == 0 else take(proof)
    while end > 0:
        if at & 1:
            n = take(proof)
            a, b = node(n, a), node(n, b)
        elif at < end:
            b = node(b, take(proof))
        at, end = at >> 1, end >> 1
    need(not proof and a == old[1] and b == new[1], "they are not of one log")


def checkpoint(keys, note):
    need(all(letter >= " " or letter == "\n" for letter in note), "control characters in a note")
    text, gap, lines = note.rpartition("\n\n")
    need(gap and lines.endswith("\n"), "not a note")
    text, trusted = text + "\n", []
    for line in lines[:-1].split("\n"):
        dash, name, encoded = line.split(" ")
        raw = unbase64(encoded)
        need(dash == "\u2014" and name and "+" not in name and len(raw) > 4, "not a line of a signature")
        if (name, raw[:4]) in keys:
            need(signed(keys[name, raw[:4]], text.encode(), raw[4:]), "a signature by " + name + " does not hold")
            trusted.append(name)
    origin, size, root, *more = text[:-1].split("\n")
    need(size.isascii() and size.isdigit() and str(int(size)) == size and origin and all(more), "not a checkpoint")
    need(origin in trusted, "not signed by a known key of " + origin)
    return int(size), unbase64(root, 32)


COLUMNS = [("shard", 2), ("position", 8), ("event_id", 16), ("stream", 16), ("stream_kind", 2), ("version", 4),
           ("type", 2), ("schema_version", 2), ("recorded_at_us", 8), ("effective_at_us", 8), ("actor", 16),
           ("cause_id", 16), ("correlation_id", 16), ("platform", 16)]
NULLABLE = {"effective_at_us", "actor", "cause_id", "correlation_id"}


def leaf_hash(event):
    parts = [b"daybook-leaf-v1\n"]
    for name, length in COLUMNS:
        value = event[name]
        need(value is not None or name in NULLABLE, name + " is null")
        if value is not None and length == 16:
            value = unuuid(value)
        elif value is not None:
            value = value.to_bytes(length, "big", signed=True)
        parts += [b"\0"] if value is None else [bytes([length]), value]
    parts += [b"\x20", sha256(event["data"].encode())]
    sealed = event["sealed_hash"]
    parts += [b"\0"] if sealed is None else [b"\x20", unbase64(sealed, 32)]
    return sha256(b"\0", *parts)


def check_event(proof, head):
    leaf, event = leaf_hash(proof["event"]), proof["event"]
    check_path(leaf, event["position"] - 1, proof["path"], head)
    return leaf, event


def commit_text(c):
    need("\n" not in c["origin"] + c["batch"] + c["writer"] + c["root"], "more lines than there are")
    return ("daybook-commit/v1\norigin {origin}\nshard {shard}\ncommit {commit_no}\nbatch {batch}\nwriter {writer}\n"
            "recorded_at_us {recorded_at_us}\nsize {size}\nroot {root}\n").format(**c).encode()


def check_receipt(keys, receipt):
    c = receipt["commit"]
    raw = unbase64(receipt["signature"], 68)
    need((c["origin"], raw[:4]) in keys, "not signed by a known key of " + c["origin"])
    need(signed(keys[c["origin"], raw[:4]], commit_text(c), raw[4:]), "the signature does not hold")
    need(receipt["path"] is not None, "signed, but without a path: it promises nothing about the event")
    head = c["size"], unbase64(c["root"], 32)
    check_path(unbase64(receipt["leaf_hash"], 32), receipt["position"] - 1, receipt["path"], head)
    return f"{c['origin']} has promised this leaf at position {receipt['position']}, in commit {c['commit_no']}"


def check_balance(keys, balance):
    head, account, at = checkpoint(keys, balance["checkpoint"]), balance["account"], balance["at"]
    leaf, entry = check_event(balance["entry"], head) if balance["entry"] else (None, None)
    need(entry is None or entry["stream"] == account and entry["position"] <= at, "not an entry of this account by then")
    if "next" in balance:
        _, after = check_event(balance["next"], head)
        follows = after["stream"] == account and after["version"] == (entry["version"] if entry else 0) + 1
        need(follows and after["position"] > at, "the second entry is not the next one")
    else:
        need(entry is not None, "no entry")
        last = balance["last"]
        _, committed = check_event(last["committed"], head)
        tree = json.loads(committed["data"])
        exact = '{"position":%d,"accounts":%d,"root":"%s"}' % (tree["position"], tree["accounts"], tree["root"])
        need(committed["data"] == exact and at <= tree["position"] < committed["position"], "no tree about this position")
        need(committed["platform"] == entry["platform"], "a tree of another platform")
        parts = unuuid(account), entry["position"].to_bytes(8, "big"), leaf
        path = last["path"]
        check_path(sha256(b"\0daybook-last-v1\n", *parts), last["index"], path, (tree["accounts"], unbase64(tree["root"], 32)))
    was = f"is event {entry['position']} of type {entry['type']}, {entry['data']}" if entry else "is not there yet"
    return f"at position {at} the newest entry of {account} {was}"


def grow(peaks, leaf):
    """Adds a leaf to the roots of the largest complete subtrees; each root has its number of leaves."""
    peaks.append((1, leaf))
    while len(peaks) > 1 and peaks[-1][0] == peaks[-2][0]:
        (size, right), (_, left) = peaks.pop(), peaks.pop()
        peaks.append((2 * size, node(left, right)))


def root_of(peaks):
    root = peaks[-1][1] if peaks else sha256()
    for _, left in reversed(peaks[:-1]):
        root = node(left, root)
    return root


def check_export(keys, manifest, lines, *notes):
    anchors = [(checkpoint(keys, note), note.split("\n")[0]) for note in notes]
    shard, peaks, position, number, roots, origins = manifest["shard"], [], 0, 0, {0: sha256()}, set()
    untrusted = []
    need(lines.endswith("\n") or not lines, "the last line has no end")
    for line in lines.split("\n")[:-1]:
        (kind, row), = json.loads(line).items()
        if kind == "event":
            position += 1
            need(row["position"] == position, f"position {position} is missing")
            sealed, box = row["sealed_hash"], row["sealed"]
            need(box is None or unbase64(sealed) == sha256(unbase64(box)), f"position {position}: another box")
            grow(peaks, leaf_hash({**row, "shard": shard}))
            roots[position] = root_of(peaks) if any(position == head[0] for head, _ in anchors) else None
            continue
        number += 1
        place, root = f"commit {number}, which ends at position {position}: ", root_of(peaks)
        need((kind, row["commit_no"], row["last_position"]) == ("commit", number, position), place + "missing")
        need(unbase64(row["root"]) == root, place + "another root")
        raw = unbase64(row["signature"], 68)
        names = [name for name, key_id in keys if key_id == raw[:4]]
        if not names:
            untrusted.append(place + "not signed by a known key")
            continue
        origins.add(names[0])
        commit = {**row, "origin": names[0], "shard": shard, "size": position}
        need(signed(keys[names[0], raw[:4]], commit_text(commit), raw[4:]), place + "the signature does not hold")
    need((manifest["head"]["position"], manifest["head"]["commit_no"]) == (position, number), "not up to the head")
    for (size, root), origin in anchors:
        origins.add(origin)
        need(size <= position, f"the export is cut: a checkpoint has {size} events, it has {position}")
        need(roots[size] == root, f"another log than that of the checkpoint of {size} events")
    need(len(origins) < 2, "of several logs")
    if untrusted:
        raise Unchecked(untrusted[0])
    return f"{position} events in {number} commits are what was signed"


def check(keys, what, *texts):
    if what == "export":
        return check_export(keys, json.loads(texts[0]), *texts[1:])
    if what == "checkpoint":
        size, root = checkpoint(keys, *texts)
        return f"signed: {size} events, root {root.hex()}"
    *notes, proof = texts
    proof = json.loads(proof)
    if what == "event":
        _, event = check_event(proof, checkpoint(keys, proof["checkpoint"]))
        return f"event {event['event_id']} is at position {event['position']}"
    if what == "consistency":
        old, new = (checkpoint(keys, note) for note in notes)
        need(notes[0].split("\n")[0] == notes[1].split("\n")[0], "two origins")
        need((proof["from"], proof["to"]) == (old[0], new[0]), "a proof about other sizes")
        check_consistency(proof["proof"], old, new)
        return f"the log of {old[0]} events is the beginning of that of {new[0]}"
    return {"receipt": check_receipt, "balance": check_balance}[what](keys, proof)


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    read = [open(path, encoding="utf-8", newline="").read() for path in (arguments[0], *arguments[2:])]
    try:
        print(check(read_keys(read[0]), arguments[1], *read[1:]))
    except Unchecked as error:
        print(f"not checked: {error}", file=sys.stderr)
        sys.exit(2)
    except (Refused, ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
        sys.exit(f"refused: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
