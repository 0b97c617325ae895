"""Reads a journal with Python's own CSV reader, and prints what it adds up to:
the number of entries, the sum of debits and the sum of credits.

    check.py FORM FILE...

It shares nothing with the program that wrote the file.
"""
import csv
import sys
from decimal import Decimal
from itertools import groupby

form, files = sys.argv[1], sys.argv[2:]
entries, debits, credits = 0, Decimal(0), Decimal(0)

columns = {  # the entry's key, debit, credit; a signed amount is its own debit
    "quickbooks": (["*JournalNo", "*JournalDate"], "*Debits", "*Credits"),
    "xero": (["*Narration", "*Date"], "*Amount", None),
    "netsuite": (["External ID", "Date"], "Debit", "Credit"),
    "journal-csv": (["number", "date"], "debit", "credit"),
}


def rows_of(name):
    if form != "datev":
        with open(name, encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, strict=True)
        return
    with open(name, encoding="cp1252", newline="") as file:
        next(file)  # the header
        for number, row in enumerate(csv.DictReader(file, delimiter=";", strict=True)):
            assert None not in row and None not in row.values(), "a row has as many fields as the heading"
            yield {"key": str(number), "amount": row["Umsatz (ohne Soll/Haben-Kz)"].replace(",", "."), "account": row["Konto"], "contra": row["Gegenkonto (ohne BU-Schlüssel)"]}


for name in files:
    if form == "datev":
        for row in rows_of(name):
            assert row["account"].isdigit() and row["contra"].isdigit()
            entries, debits, credits = entries + 1, debits + Decimal(row["amount"]), credits + Decimal(row["amount"])
        continue
    key, debit, credit = columns[form]
    for _, lines in groupby(rows_of(name), key=lambda row: [row[k] for k in key]):
        entries, balance = entries + 1, Decimal(0)
        for row in lines:
            amount = Decimal(row[debit] or 0) - Decimal(row[credit] or 0) if credit else Decimal(row[debit])
            balance += amount
            if amount > 0:
                debits += amount
            else:
                credits -= amount
        assert balance == 0, "an entry does not balance"
print(entries, debits, credits)
