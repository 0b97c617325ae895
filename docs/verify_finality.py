#!/usr/bin/env python3
"""Checks the signatures in evidence of finality (finality.json), without using fees.

    verify_finality.py FILE

Prints the hash of the first set's list, then each block that a set finalized. Compare that hash with
another source. Needs Python 3, and OpenSSL 3 for ed25519. Votes for a descendant of the target, which
are rare, are not supported. See evidence.md."""
import hashlib, json, os, subprocess, sys, tempfile

ED25519 = bytes.fromhex("302a300506032b6570032100")  # RFC 8410: what precedes a public key in DER


def blake2(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def require(condition, problem):
    if not condition:
        sys.exit("not final: " + problem)


class Reader:
    """Reads SCALE."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        part = self.data[self.at:self.at + n]
        require(len(part) == n, "the bytes end too early")
        self.at += n
        return part

    def uint(self, n):
        return int.from_bytes(self.take(n), "little")

    def compact(self):
        mode = self.data[self.at] & 3
        if mode < 3:
            return self.uint(1 << mode) >> 2
        return self.uint((self.uint(1) >> 2) + 4)

    def authorities(self):
        start, members = self.at, {}
        for _ in range(self.compact()):
            key, weight = self.take(32), self.uint(8)
            members[key] = members.get(key, 0) + weight
        return members, self.data[start:self.at]


def announced(header):
    """Returns a header's number, and the set that it announces with the delay, if any."""
    r = Reader(header)
    r.take(32)
    number = r.compact()
    r.take(64)
    found = None
    for _ in range(r.compact()):
        kind = r.uint(1)
        engine = r.take(4) if kind in (4, 5, 6) else b""
        log = Reader(r.take(r.compact()) if kind != 8 else b"")
        if kind == 4 and engine == b"FRNK":
            message = log.uint(1)
            require(message != 2, "a forced change hands over without proof")
            if message == 1 and not found:
                found = log.authorities(), log.uint(4)
    return number, found


def signed(key, message, signature):
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, name) for name in ("key", "message", "signature")]
        for path, data in zip(paths, (ED25519 + key, message, signature)):
            with open(path, "wb") as file:
                file.write(data)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", paths[0], "-rawin", "-in", paths[1], "-sigfile", paths[2]]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def finalize(justification, members, set_id):
    """Returns the hash and the number of the block that a justification finalizes."""
    r = Reader(justification)
    round_number, target, voters = r.take(8), r.take(36), set()
    for _ in range(r.compact()):
        vote, signature, key = r.take(36), r.take(64), r.take(32)
        require(vote == target, "a vote is for another block")
        require(key in members and key not in voters, "a voter is not in the set, or voted twice")
        require(signed(key, b"\x01" + vote + round_number + set_id.to_bytes(8, "little"), signature), "a signature is wrong")
        voters.add(key)
    require(r.compact() == 0 and r.at == len(justification), "bytes are left over")
    weight, total = sum(members[key] for key in voters), sum(members.values())
    require(weight >= total - (total - 1) // 3, f"the votes weigh {weight} of {total}")
    print(f"block {int.from_bytes(target[32:], 'little')} 0x{target[:32].hex()}: final by set {set_id}, weight {weight} of {total}")
    return target[:32], int.from_bytes(target[32:], "little")


def main(path):
    with open(path) as file:
        evidence = json.load(file)
    unhex = lambda text: bytes.fromhex(text[2:])
    root = evidence["root"]
    set_id = int(root["setId"])
    if "authorities" in root:
        members, encoded = Reader(unhex(root["authorities"])).authorities()
    else:
        members, encoded = announced(unhex(root["authoritiesFromScheduledChangeOf"]))[1][0]
    print(f"set {set_id}: {len(members)} validators, list 0x{blake2(encoded).hex()}")
    following = None  # the next set, with the last block before it
    for step in evidence.get("steps", []) + ([evidence["relay"]] if "relay" in evidence else []):
        justification = unhex(step["justification"])
        if following and int.from_bytes(justification[40:44], "little") > following[1]:
            (members, set_id), following = (following[0], set_id + 1), None
        block, number = finalize(justification, members, set_id)
        if "header" in step:
            header = unhex(step["header"])
            height, change = announced(header)
            require(blake2(header) == block and height == number, "the header is of another block")
            if change:
                following = change[0][0], number + change[1]


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"not final: {error}")
