#!/usr/bin/env python3
"""Computes the seals of records from `fees export --as records`, without using fees.

    verify_seal.py FILE [SEAL]

Prints the seal of each month and of all records, and the sum of their fees. If SEAL is given, checks
that it is one of these. Needs only Python 3. See evidence.md."""
import datetime, hashlib, json, sys

USUAL = ("evm native legacy eip2930 eip1559 eip7702 ethereum.transact rule cash succeeded reverted out_of_gas failed match drift cash_only no_evidence "
         "Stopped Returned Reverted OutOfGas Suicided balances.Withdraw balances.Deposit balances.Transfer balances.Reserved balances.Unreserved "
         "balances.Endowed balances.Issued deposit withdrawal transfer-out transfer-in reserve unreserve mint burn").split()

# The columns of each list. n: number; o: optional number; t: text; h: hash; e: optional hash;
# a: optional account; w: optional amount; s: optional signed amount.
BLOCK = "time:o runtime:o rules:t certain:n base_fee_per_gas:w multiplier_at:o multiplier:w inherents:n"
ROWS = {
    "transactions": "extrinsic:n layer:t type:t call:t hash:h evm_hash:e sender:a recipient:a payer:a nonce:w gas_price:w gas:w weight:w fee:w method:t "
                    "priority_fee:w tip:w success:o outcome:t status:t error:t charged:w verdict:t drift:s burned:w treasury:w author:w",
    "movements": "place:n event_index:n event:t kind:t account:a counterparty:a amount:w free:s reserved:s",
    "transfers": "extrinsic:n token:a sender:a recipient:a amount:w",
    "unclassified": "place:n event_index:n event:t data:t reason:t",
}
# Further columns of version 2.
EXTENDED = {"transactions": " fee_asset:t asset_fee:w asset_fee_tip:w asset_fee_equivalent:w", "movements": " reason:t"}
SIZED = 1 << 32  # added to the number of accounts if the size of each precedes it


def require(condition, problem):
    if not condition:
        sys.exit("not verified: " + problem)


class Record:
    """A block's record: a header; lists of texts, accounts and amounts; and values that refer to these lists."""

    def __init__(self, data):
        self.data, self.at = data, 0
        version = self.take(1)
        require(version in (b"\1", b"\2"), "the record has another version")
        self.height = int.from_bytes(self.take(8), "big")
        self.hash, self.parent = self.take(32), self.take(32)
        self.texts = USUAL + [self.take(self.number()).decode() for _ in range(self.number())]
        accounts = self.number()
        self.accounts = [self.take(self.number() if accounts & SIZED else 20) for _ in range(accounts & ~SIZED)]
        self.amounts = [self.amount() for _ in range(self.number())]
        self.block = {name: self.value(kind) for name, kind in columns(BLOCK)}
        for table, fields in ROWS.items():
            rows = [{} for _ in range(self.number())]
            for name, kind in columns(fields + (EXTENDED.get(table, "") if version == b"\2" else "")):
                for row in rows:
                    row[name] = self.value(kind)
            setattr(self, table, rows)
        require(self.at == len(data), "block %d: the record is too long" % self.height)

    def take(self, size):
        self.at += size
        require(self.at <= len(self.data), "a record is too short")
        return self.data[self.at - size:self.at]

    def number(self):  # LEB128
        n = shift = 0
        while True:
            byte = self.take(1)[0]
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n

    def amount(self):  # if bit 128 of the length is set, the amount is in billions
        size = self.take(1)[0]
        return int.from_bytes(self.take(size & 127), "big") * (10**9 if size & 128 else 1)

    def value(self, kind):
        if kind == "h" or kind == "e":
            return self.take(32) if kind == "h" or self.number() else None
        n = self.number()
        if kind == "n":
            return n
        if kind == "s":
            return None if n == 0 else 0 if n == 1 else self.amounts[n // 2 - 1] * (-1 if n % 2 else 1)
        if n == 0:
            return None
        return n - 1 if kind == "o" else {"t": self.texts, "a": self.accounts, "w": self.amounts}[kind][n - 1]


def columns(fields):
    return [field.split(":") for field in fields.split()]


def sha(data):
    return hashlib.sha256(data).digest()


def seal(digests):
    so_far = bytes(32)
    for digest in digests:
        so_far = sha(so_far + digest)
    return so_far


def line(day, digests):
    return sha(day.to_bytes(8, "big", signed=True) + len(digests).to_bytes(8, "big") + seal(digests))


def month_of(day):
    return "without time" if day < 0 else (datetime.date(1970, 1, 1) + datetime.timedelta(day)).strftime("%Y-%m")


def main(path, *seals):
    days, before, fee, unknown, assets = {}, None, 0, 0, {}
    for text in open(path):
        data = bytes.fromhex(json.loads(text)["record"])
        r = Record(data)
        if before:
            require(r.height > before.height, "block %d comes after block %d" % (r.height, before.height))
            require(r.height > before.height + 1 or r.parent == before.hash, "block %d is not the child of block %d" % (r.height, before.height))
        before, at = r, r.block["time"]
        days.setdefault(-1 if at is None else at // 86_400_000, []).append(sha(data))
        fee += sum(t["fee"] or 0 for t in r.transactions)
        unknown += sum(t["fee"] is None for t in r.transactions)
        for t in r.transactions:
            if t.get("fee_asset"):
                assets[t["fee_asset"]] = assets.get(t["fee_asset"], 0) + t["asset_fee"]
    seals_by_name = {}
    for name in [*sorted({month_of(day) for day in days}), "all"]:
        included = {day: digests for day, digests in sorted(days.items()) if name in ("all", month_of(day))}
        seals_by_name[name] = seal(line(day, digests) for day, digests in included.items()).hex()
        print("%-20s %9d blocks  seal %s" % (name, sum(map(len, included.values())), seals_by_name[name]))
    print("fees %d wei%s" % (fee, ", and %d unknown" % unknown if unknown else ""))
    for asset, amount in sorted(assets.items()):
        print("fees %d of the asset %s" % (amount, asset))
    for wanted in seals:
        require(wanted.removeprefix("0x").lower() in seals_by_name.values(), "none of these seals is " + wanted)
        print("verified: " + wanted)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError, LookupError, TypeError, OverflowError) as problem:
        require(False, "%s: %s" % (sys.argv[1], problem))
