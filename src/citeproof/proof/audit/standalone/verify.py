"""Verify this export of a citeproof audit log. Needs Python 3.8 or later and nothing else.

    python3 verify.py [--key VKEY|FILE] [--checkpoint FILE]...

WARNING: whoever made this archive may have changed this script. Compare its SHA-256 with the one in citeproof's
docs/audit.md before you run it; `citeproof audit verify` runs nothing of this archive.

VKEY is the public key of the log, from somewhere else than this archive: without it the key in log.json is
used, which proves nothing against whoever made the archive. FORMAT.md describes every file. Writes nothing.

Exit codes: 0 sound, 1 tampering found, 2 wrong usage, 3 no log here.
"""

# mypy: ignore-errors
# ruff: noqa: ANN001, ANN201, ANN204, UP031, E701, T201, RUF005, I001, E401, E704, B905, E501, PTH100, PTH112, PTH113, PTH114, PTH118, PTH120, PTH123, PTH208
# fmt: off
import argparse, base64, collections, hashlib, hmac, json, os, re, stat, sys, zlib

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 256  # hashes in a tile, entries in a bundle
RUN = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NO_KEY = "not the public key of a log: name+8 hex digits+base64"
problems, notes, counts = [], [], collections.Counter()

def problem(place, what): problems.append((place, what))
def plural(count, one, many=""): return "%d %s" % (count, one if count == 1 else many or one + "s")
def span(first, last): return "event %d" % first if first == last else "events %d to %d" % (first, last)

# --- Ed25519 signatures, as in RFC 8032, section 5.1 and appendix A -----------------------------------------
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def point_of(data):
    """The point that 32 bytes represent, as (X, Y, Z, T) with x = X/Z, y = Y/Z, x * y = T/Z; None for none."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P: x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or y >= P or (sign and not x): return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P

def add(one, two):
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(number, point):
    found = 0, 1, 1, 0
    while number:
        found = add(found, point) if number & 1 else found
        point, number = add(point, point), number >> 1
    return found

BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))

def ed25519_verifies(public, message, signature):
    """Whether `signature` over `message` was made with the private half of `public`."""
    if len(public) != 32 or len(signature) != 64: return False
    key, r, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= ORDER: return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    one, two = times(s, BASE), add(r, times(h, key))
    return not ((one[0] * two[2] - two[0] * one[2]) % P or (one[1] * two[2] - two[1] * one[2]) % P)

# --- files: plain ones below this folder, bounded; no link is followed, no pipe waited for ------------------
def read(name, limit=1 << 26):
    """The bytes of a file; None when it cannot be had."""
    parts = name.split("/")
    if any(os.path.islink(os.path.join(HERE, *parts[:depth])) for depth in range(1, len(parts) + 1)): return None
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(os.path.join(HERE, *parts), flags)
        with os.fdopen(handle, "rb") as file:
            data = file.read(limit + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except (OSError, ValueError): return None
    return data if data is not None and len(data) <= limit else None

def names(folder="."):
    path = os.path.join(HERE, folder)
    return sorted(os.listdir(path)) if os.path.isdir(path) else []

def loaded(data):
    """The object in JSON text; an empty one when it is not one."""
    try: found = json.loads((data or b"").decode())
    except (ValueError, RecursionError): found = None
    return found if isinstance(found, dict) else {}

def safe(text): return "".join(c if c.isprintable() else "\\u%04x" % ord(c) for c in str(text)[:600])

# --- the tree, as in RFC 6962: leaf = SHA-256(0 | entry), node = SHA-256(1 | left | right) -------------------
def leaf(entry): return hashlib.sha256(b"\x00" + entry).digest()

class Tree:
    """The hashes of all complete subtrees: `rows[k][i]` is over the 2**k leaves from i * 2**k."""

    def __init__(self, leaves, proved=True):
        self.rows, self.proved = [leaves], proved
        while len(self.rows[-1]) > 1:
            pairs = zip(self.rows[-1][::2], self.rows[-1][1::2])
            self.rows.append([hashlib.sha256(b"\x01" + one + two).digest() for one, two in pairs])

    def root(self, size):
        parts, start = [], 0
        while start < size:
            level = (size - start).bit_length() - 1
            parts.append(self.rows[level][start >> level])
            start += 1 << level
        found = parts.pop() if parts else hashlib.sha256(b"").digest()
        while parts: found = hashlib.sha256(b"\x01" + parts.pop() + found).digest()
        return found

def tiles(level, count):
    """(first, width, path) of each file of a level that has `count` hashes or entries."""
    for first in range(0, count, WIDTH):
        width, number = min(WIDTH, count - first), first // WIDTH
        groups = "%03d" % (number % 1000)
        while number >= 1000:
            number //= 1000
            groups = "x%03d/%s" % (number % 1000, groups)
        yield first, width, "tile/%s/%s%s" % (level, groups, "" if width == WIDTH else ".p/%d" % width)

def entries_of(size):
    """Every entry, None for one that cannot be read: two bytes of length before each."""
    every = []
    for first, width, place in tiles("entries", size):
        data, found, at = read(place) or b"", [], 0
        while at + 2 <= len(data):
            end = at + 2 + int.from_bytes(data[at : at + 2], "big")
            found.append(data[at + 2 : end])
            at = end
        if at != len(data) or len(found) != width:
            problem(place, "%s cannot be read: it was cut off or changed" % span(first, first + width - 1))
            found = [None] * width
        every += found
    return every

def grown(size, root, entries):
    """The tree that gives `root`, made of the entries or, where those fail, of the stored hashes."""
    stored = []
    for _, width, place in tiles(0, size):
        data = read(place) or b""
        whole = len(data) == 32 * width
        stored += [data[32 * at : 32 * at + 32] if whole else b"" for at in range(width)]
    made = stored
    if entries is not None:
        made = [stored[seq] if entry is None else leaf(entry) for seq, entry in enumerate(entries)]
    tree = Tree(made)
    tree = tree if tree.root(size) == root else Tree(stored)
    if tree.root(size) != root:
        problem("tile", span(0, size - 1) + " can no longer be proved")
        return Tree(made, proved=False)
    for seq in range(size):
        if made[seq] != tree.rows[0][seq]: problem("tile/entries", "event %d was changed" % seq)
    for level in range(8):
        row = tree.rows[8 * level] if 8 * level < len(tree.rows) else []
        for first, width, place in tiles(level, size >> (8 * level)):
            if read(place) != b"".join(row[first : first + width]):
                under = span(first << (8 * level), min(size, (first + width) << (8 * level)) - 1)
                problem(place, "it is damaged or missing; %s under it %s intact" % (under, "are" if "s " in under else "is"))
    return tree

# --- signed checkpoints: text, empty line, signature lines ----------------------------------------------------
def parsed_key(text):
    """(name, key id, public key) of name+hex+base64; ValueError when it is no Ed25519 key."""
    name, hexed, coded = text.strip().split("+", 2)
    blob = base64.b64decode(coded, validate=True)
    key_id = hashlib.sha256(name.encode() + b"\n" + blob).digest()[:4]
    if len(blob) != 33 or blob[0] != 1 or key_id.hex() != hexed: raise ValueError("no Ed25519 key")
    return name, key_id, blob[1:]

def checkpoint(note, key, place):
    """(origin, size, root) of a checkpoint that the key signed; None and a problem for any other."""
    body, _, signatures = (note or b"").rpartition(b"\n\n")
    signed = False
    for line in signatures.split(b"\n")[:-1] if signatures.endswith(b"\n") else []:
        found = re.fullmatch("\u2014 ([^ ]+) ([A-Za-z0-9+/]+={0,2})".encode(), line)
        try: blob = base64.b64decode(found[2], validate=True) if found else b""
        except ValueError: blob = b""
        if len(blob) < 5 or base64.b64encode(blob) != found[2]: return problem(place, "a signature line is malformed")
        if key and found[1] == key[0].encode() and blob[:4] == key[1]:
            if not ed25519_verifies(key[2], body + b"\n", blob[4:]):
                return problem(place, "the signature of %r does not match the text: one of them was changed" % key[0])
            signed = True
    if not signed: return problem(place, "none of the given keys signed this")
    found = re.fullmatch(rb"([^\n]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)(\n.+)*", body)
    if not found or found[1] != key[0].encode(): return problem(place, "this is not a checkpoint of the log")
    return key[0], int(found[2]), base64.b64decode(found[3])

# --- the steps ------------------------------------------------------------------------------------------------
def lines_of(name):
    """The lines of a file, and what comes after the last line end."""
    *lines, rest = (read(name, 1 << 32) or b"").split(b"\n")
    return lines + [rest + b" (unfinished)"] if rest else lines

def check_run(run, wanted):
    """Hold a run's file against its entries, (seq, entry) in order; the first difference is named."""
    name, expected = run + ".jsonl", [entry for _, entry in wanted]
    found, at = lines_of(name), 0
    if found == expected: return
    while at < min(len(found), len(expected)) and found[at] == expected[at]: at += 1
    seq = wanted[at][0] if at < len(wanted) else -1
    here, fewer = found[at] if at < len(found) else None, len(found) < len(expected)
    if name not in names(): what = "it is missing: %s, %s" % (plural(len(wanted), "line"), span(wanted[0][0], wanted[-1][0]))
    elif here is None or (fewer and here in expected):
        what = "line %d is missing: event %d" % (at + 1, seq)
    elif seq < 0 or (len(found) > len(expected) and found[at + 1] == expected[at]):
        what = "line %d was inserted" % (at + 1)
    elif here in expected:
        what = "line %d was swapped: event %d belongs there" % (at + 1, seq)
    else:
        what = "line %d was changed: event %d" % (at + 1, seq)
    problem(name, what)

def whole_log(size, root):
    """The tree and the events of an export of everything: order, times and the files of all runs."""
    entries = entries_of(size)
    tree, events, last = grown(size, root, entries), [], ""
    rows = enumerate(tree.rows[0])
    lost = {row: seq for seq, row in rows if entries[seq] is None or leaf(entries[seq]) != row}
    for seq in lost.values(): entries[seq] = None
    for name in names() if lost else []:  # what a bundle has lost may still be in a run's file
        for line in lines_of(name) if name.endswith(".jsonl") else []:
            if leaf(line) in lost: entries[lost[leaf(line)]] = line
    wanted, whole = collections.OrderedDict(), None not in entries
    for seq, entry in enumerate(entries):
        event = loaded(entry)
        if not isinstance(event.get("run"), str) or not RUN.fullmatch(event["run"]):
            if entry is not None: problem("tile/entries", "event %d is not an event" % seq)
            continue
        if event.get("seq") != seq: problem("tile/entries", "event %d says that it is event %s" % (seq, event.get("seq")))
        if str(event.get("ts")) < last: problem("tile/entries", "event %d has a time before that of the event before it" % seq)
        last = max(str(event.get("ts")), last)
        events.append((seq, event))
        wanted.setdefault(event["run"], []).append((seq, entry))
    for run in wanted if whole else []: check_run(run, wanted[run])
    for name in names() if whole else []:
        if name.endswith(".jsonl") and name[:-6] not in wanted: problem(name, "the log has no event of this run")
    notes.extend([] if whole else ["the files of runs were not compared: events that may belong to them cannot be read"])
    counts["runs"] = len(wanted)
    return tree, events

def some_runs(size, root, runs):
    """The tree and the events of an export of some runs: each line is proved by the hash at its number."""
    tree, events, listed = grown(size, root, None), [], [run for run in map(str, runs) if RUN.fullmatch(run)]
    for name in names() + ["tile/entries"] * bool(names("tile/entries")):
        if name.endswith((".jsonl", "/entries")) and name[:-6] not in listed:
            problem(name, "an export of the runs that export.json lists has no such file: one was changed")
    for run in listed:
        last, count = -1, len(events)
        for number, line in enumerate(lines_of(run + ".jsonl"), 1):
            event = loaded(line)
            seq = event.get("seq")
            fits = isinstance(seq, int) and last < seq < size and event.get("run") == run
            if not fits or leaf(line) != tree.rows[0][seq]:
                problem(run + ".jsonl", "line %d was changed: event %s" % (number, seq))
                continue
            events.append((seq, event))
            last = seq
        if len(events) == count: problem(run + ".jsonl", "it is missing, or none of its lines is in the log")
        counts["runs"] += 1
    notes.append("an export of some runs: each line is proved, but not that a run has no other line")
    return tree, sorted(events, key=lambda one: one[0])

def check_kept(tree, size, key, given):
    """The older checkpoints by their place; each must be of the beginning of this log."""
    held = {}
    places = ["commits/%s/%s" % (run, name) for run in names("commits") for name in names("commits/" + run)]
    kept = [(place, read(place, 1000000)) for place in places if place.endswith(".merkle")]
    for place, note in kept + given:
        held[place] = found = checkpoint(note, key, place)
        if not found: continue
        if found[1] > size:
            problem(place, "the log was rolled back: it had %s, %d of them are gone" % (plural(found[1], "event"), found[1] - size))
        elif tree.proved and tree.root(found[1]) != found[2]:
            problem(place, "the first %d events are not those that were signed then" % found[1])
    return held

def check_commits(tree, events, held, whole):
    """Each merkle_commit states the root of that time, the commit before it, and a file that holds the same."""
    prior, gone, counts["checkpoints"] = None, 0, len(held)
    for seq, event in ((seq, event) for seq, event in events if event.get("ev") == "merkle_commit"):
        size, root, counts["commits"] = event.get("size"), event.get("root"), counts["commits"] + 1
        fits = isinstance(size, int) and 0 <= size <= seq and (not tree.proved or tree.root(size).hex() == root)
        if not fits: problem("merkle_commit", "event %d commits to a root that does not match %s events" % (seq, size))
        if whole and event.get("prior") != prior: problem("merkle_commit", "event %d names a different previous commit" % seq)
        prior = root
        for one in event["anchors"] if isinstance(event.get("anchors"), list) else []:
            place = str(one.get("place")) if isinstance(one, dict) and one.get("ok") is True else ""
            if not re.fullmatch(r"commits/[^/]+/[^/]+\.merkle", place): continue
            gone += place not in held
            if held.get(place) and (held[place][1], held[place][2].hex()) != (size, root):
                problem(place, "it does not contain the checkpoint that event %d names" % seq)
    if gone: notes.append(plural(gone, "checkpoint") + " that merkle_commit events name: not in this export")

def body_state(digest):
    """Whether a stored body is whole, damaged or missing."""
    place = "evidence/%s/%s" % (digest[:2], digest)
    data, packed = read(place), read(place + ".gz")
    if data is None and packed is None: return "missing"
    try:
        unpacking = zlib.decompressobj(31)
        body = unpacking.decompress(packed, 1 << 27) if data is None else data
    except zlib.error: return "damaged"
    whole = data is not None or (unpacking.eof and not unpacking.unused_data)  # nothing may follow the stream
    return "whole" if whole and hashlib.sha256(body).hexdigest() == digest else "damaged"

def check_evidence(events, absent):
    """Each body that an event names is there, unless it was pruned or already gone when this was made."""
    before = max([str(event.get("before")) for _, event in events if event.get("ev") == "pruned"] or [""])
    states, owners = {}, collections.OrderedDict()
    for seq, event in events:
        listed = event["evidence"] if isinstance(event.get("evidence"), list) else []
        for digest in listed + [event[name] for name in ("judge_hash",) if name in event]:
            if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
                problem("tile/entries", "event %d names an invalid hash" % seq)
                continue
            states[digest] = states.get(digest) or body_state(digest)
            excused = str(event.get("ts")) < before or digest in absent
            if states[digest] == "damaged" or (states[digest] == "missing" and not excused):
                owners.setdefault(digest, []).append(seq)
    for digest, seqs in owners.items():
        more = " and %s rest" % plural(len(seqs) - 1, "other") if len(seqs) > 1 else " rests"
        problem("evidence", "the body %s\u2026 that event %d%s on is %s" % (digest[:16], seqs[0], more, states[digest]))
    counts["bodies"] = list(states.values()).count("whole")
    lost = [digest for digest in states if states[digest] == "missing" and digest in absent]
    if lost:
        every = "; this export has no evidence at all" if len(lost) == len(states) else ""
        notes.append(plural(len(lost), "body is", "bodies are") + " marked as absent at export, but no signature proves it" + every)

def check_private(events):
    named = set()
    for _, event in events:
        listed = event["documents"] if isinstance(event.get("documents"), list) else []
        named.update(map(str, [event.get(name) for name in ("case", "claim", "set", "line", "config")] + listed))
    for number, line in enumerate(lines_of("private/private.jsonl"), 1):
        row, counts["rows"] = loaded(line), number
        try: made = hmac.new(bytes.fromhex(row["salt"]), base64.b64decode(row["data"]), "sha256").hexdigest()
        except (ValueError, KeyError, TypeError): made = ""
        if made not in named or made != row.get("commitment"): problem("private/private.jsonl", "line %d does not open what an event commits to" % number)

def chosen_key(text, about):
    if not text:
        notes.append("the key was taken from the log's own log.json: that proves nothing against whoever wrote the log")
    elif about.get("key") != text.strip():
        problem("log.json", "the key it names is not the one that was given")
    try: return parsed_key(text or str(about.get("key")))
    except ValueError: return problem("log.json", "its key is " + NO_KEY)

def check(text, given):
    """Fill problems, notes and counts; (origin, size, root) of the signed checkpoint. None: no log here."""
    if read("checkpoint") is None and read("log.json") is None: return None
    about, part = loaded(read("log.json")), loaded(read("export.json"))
    key = chosen_key(text, about)
    origin, size, root = checkpoint(read("checkpoint", 1000000), key, "checkpoint") or ("", 0, b"")
    held = sum(len(files) for _, _, files in os.walk(os.path.join(HERE, "tile")))
    if about.get("origin") != origin or part.get("size") != size:
        problem("log.json", "it, or export.json, is missing or does not match the checkpoint")
    elif size > 1000 * WIDTH * (held + 1):  # a false size must not keep us looking for files for ever
        problem("tile", span(0, size - 1) + " can no longer be proved")
    else:
        whole = not isinstance(part.get("runs"), list)
        tree, events = whole_log(size, root) if whole else some_runs(size, root, part["runs"])
        counts["events"] = len(events)
        check_commits(tree, events, check_kept(tree, size, key, given), whole)
        check_evidence(events, () if whole else str(part.get("absent")))
        check_private(events)
    if not given and not any("rolled back" in what for _, what in problems):
        notes.append("cannot know whether the log was rolled back as a whole: no checkpoint was kept elsewhere")
    return origin, size, root

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", default="", metavar="VKEY|FILE")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="FILE")
    asked = parser.parse_args()
    given = []
    for path in asked.checkpoint:
        with open(path, "rb") if os.path.isfile(path) else parser.error("%s is not a file" % path) as file:
            given.append((path, file.read(1000000)))
    if os.path.isfile(asked.key):
        with open(asked.key) as file: asked.key = file.read(10000)
    try: parsed_key(asked.key) if asked.key else None
    except ValueError: parser.error("--key is " + NO_KEY)
    sys.stdout.reconfigure(errors="backslashreplace")
    origin, _, root = check(asked.key, given) or ("", 0, None)
    if root is None: return print("this folder has no log") or 3
    for place, what in problems[:50]: print("\u2717 %s: %s" % (safe(place), safe(what)))
    for text in notes: print("  note: " + safe(text))
    told = plural(counts["events"], "event"), plural(counts["runs"], "run"), root.hex()[:8], root.hex()[-4:]
    print("%s: %s of %s, root %s\u2026%s; " % (safe(origin), *told) + plural(counts["bodies"], "body", "bodies"))
    print(plural(len(problems), "problem") + " found" if problems else "sound")
    return 1 if problems else 0

if __name__ == "__main__":
    sys.exit(main())
