#!/usr/bin/env python3
"""Proves one native fee in an archive from one trusted block hash, without using fees.

    prove_fee.py ARCHIVE TRUSTED_HEIGHT:TRUSTED_HASH HEIGHT EXTRINSIC PAYER FEE_IN_WEI [TIP_IN_WEI]

Needs only Python 3 and the program zstd. See evidence.md."""
import hashlib, json, os, re, subprocess, sys


def blake2(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def require(condition, problem):
    if not condition:
        sys.exit("not proved: " + problem)


class Scale:
    """Reads SCALE: compact integers, and bytes preceded by their length."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        require(self.at <= len(self.data), "data are too short")
        return self.data[self.at - n:self.at]

    def compact(self):
        mode = self.data[self.at] & 3
        if mode < 3:
            return int.from_bytes(self.take(1 << mode), "little") >> 2
        return int.from_bytes(self.take((self.take(1)[0] >> 2) + 4), "little")

    def blob(self):
        return self.take(self.compact())

    def blobs(self):
        return [self.blob() for _ in range(self.compact())]


def compact(n):
    require(n < 1 << 30, "a length is too large")
    return bytes([n << 2]) if n < 64 else (n << 2 | 1).to_bytes(2, "little") if n < 1 << 14 else (n << 2 | 2).to_bytes(4, "little")


def nibbles(data):
    return [n for byte in data for n in (byte >> 4, byte & 15)]


def stored(parts, root, key):
    """Returns the value of a key in the trie with the given root. Each node is found by the hash that its parent contains."""
    encoded, rest = parts.get(root), nibbles(key)
    while True:
        require(encoded is not None, "a node of the proof is missing")
        r = Scale(encoded)
        first = r.take(1)[0]
        kinds = ((6, 1, 0, "inline"), (6, 2, 1, ""), (6, 3, 1, "inline"), (5, 1, 0, "hash"), (4, 1, 1, "hash"))
        bits, branch, value = next(((b, br, v) for b, prefix, br, v in kinds if first >> b == prefix), (0, 0, ""))
        require(bits, "a node has an unknown type")
        length = first & (1 << bits) - 1
        more = 255 if length == (1 << bits) - 1 else 0
        while more == 255:
            more = r.take(1)[0]
            length += more
        partial = nibbles(r.take((length + 1) // 2))[length % 2:]
        children = int.from_bytes(r.take(2), "little") if branch else 0
        own = r.blob() if value == "inline" else r.take(32) if value == "hash" else None
        if rest[:length] != partial:
            return None
        rest = rest[length:]
        if not rest:
            return parts.get(own) if value == "hash" else own
        below = {i: r.blob() for i in range(16) if children >> i & 1}.get(rest[0])
        if below is None:
            return None
        encoded, rest = parts.get(below) if len(below) == 32 else below, rest[1:]


def node(items):
    """Returns the encoded trie node above sorted items, each a pair of remaining key nibbles and bytes."""
    key, item = items[0]
    if len(items) == 1:
        return head(0x40, key) + compact(len(item)) + item
    shared = next(i for i, n in enumerate(key) if n != items[-1][0][i])
    has, children = 0, b""
    for nibble in range(16):
        below = [(k[shared + 1:], x) for k, x in items if k[shared] == nibble]
        if below:
            encoded = node(below)
            encoded = encoded if len(encoded) < 32 else blake2(encoded)
            has, children = has | 1 << nibble, children + compact(len(encoded)) + encoded
    return head(0x80, key[:shared]) + has.to_bytes(2, "little") + children


def head(prefix, partial):
    padded = [0] * (len(partial) % 2) + partial
    return bytes([prefix | len(partial)]) + bytes(a << 4 | b for a, b in zip(padded[::2], padded[1::2]))


def list_root(items):
    return blake2(node(sorted((nibbles(compact(i)), item) for i, item in enumerate(items))))


def unpacked(directory, piece):
    return Scale(subprocess.run(["zstd", "-dcq", os.path.join(directory, piece["path"])], check=True, stdout=subprocess.PIPE).stdout)


directory, trusted, height, extrinsic, payer, fee = sys.argv[1:7]
tip = int(sys.argv[7]) if len(sys.argv) > 7 else 0
top, hash = trusted.split(":")
top, hash, height, extrinsic = int(top), bytes.fromhex(hash[2:]), int(height), int(extrinsic)
payer, fee = bytes.fromhex(payer[2:]), int(fee)
require(top >= height, "the trusted block is below the requested block")

# From the trusted block down, each header must have the hash that the header above contains.
header = segment = None
for segment in reversed(json.load(open(os.path.join(directory, "manifest.json")))["segments"]):
    if segment["first"] > top or segment["last"] < height:
        continue
    headers = unpacked(directory, segment["headers"]).blobs()
    for at in range(min(segment["last"], top), max(segment["first"], height) - 1, -1):
        header = headers[at - segment["first"]]
        require(blake2(header) == hash, "block %d does not have the hash 0x%s" % (at, hash.hex()))
        hash = header[:32]
    if segment["first"] <= height:
        break
require(header is not None, "the archive does not contain the block")
h = Scale(header[32:])
require(h.compact() == height, "the header is for another block")
state_root, extrinsics_root = h.take(32), h.take(32)

# The block's extrinsics must match the root in the header. Its events are in its state.
blocks, parts = unpacked(directory, segment["blocks"]), {}
for at in range(segment["first"], segment["last"] + 1):
    extrinsics = []
    for _ in range(blocks.compact()):
        begin = blocks.at
        blocks.blob()
        extrinsics.append(blocks.data[begin:blocks.at])
    if at == height:
        own = extrinsics
    parts.update((blake2(part), part) for part in blocks.blobs())
require(list_root(own) == extrinsics_root, "the extrinsics do not match the root in the header")
require(extrinsic < len(own), "the block has %d extrinsics" % len(own))
SYSTEM_EVENTS = bytes.fromhex("26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7")
events = stored(parts, state_root, SYSTEM_EVENTS)
require(events is not None, "the state has no events")

# transactionPayment.TransactionFeePaid: the phase (0, then the extrinsic's index), the pallet's and the
# event's index, the payer, the fee including the tip, the tip, no topics.
phase = b"\0" + extrinsic.to_bytes(4, "little")
paid = payer + fee.to_bytes(16, "little") + tip.to_bytes(16, "little") + b"\0"
require(re.search(re.escape(phase) + b".." + re.escape(paid), events, re.DOTALL), "the events do not contain this fee for this payer")
print("proved: block %d, extrinsic %d (0x%s): 0x%s paid %d wei, including a tip of %d" % (height, extrinsic, blake2(own[extrinsic]).hex(), payer.hex(), fee, tip))
