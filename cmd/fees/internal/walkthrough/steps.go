package walkthrough

// step is one command of the walk.
type step struct {
	title   string
	command string // as it is typed in the directory; no argument has a space
	code    int    // what it ends with
	planted bool   // the code says that it found what was planted
	means   string
	file    string // whose first lines are shown too; "" for none
}

// steps are the walk: a month's end, in the order in which people do it.
var steps = []step{
	{
		title:   "Fill the ledger",
		command: "fees sync --month 2026-01 --gateway gateway",
		means:   "Each block of January was read, priced by the rules, proved by the chain's own records and stored in fees.db, with some blocks of February, so that the month is there in every time zone.",
	},
	{
		title:   "See what the ledger has",
		command: "fees ledger status",
		means:   "Nothing is missing (gaps), nothing is left over that does not hold (findings) or has no fee (undetermined). The seal stands for all that is in it: whoever alters a row changes the seal.",
	},
	{
		title:   "Fees by day, in euros too",
		command: "fees report --by day --prices prices.csv --fiat EUR",
		means:   "Each fee is worth what the token cost on its own day. January is its last day alone here, for the chain begins on it; of 1 February there is what the time zones need.",
	},
	{
		title:   "Fees by label",
		command: "fees report --month 2026-01 --by label --accounts accounts.csv --prices prices.csv --fiat EUR",
		means:   "accounts.csv is the address book: it has a label and a group for each address, and all commands show them. --by group adds up the groups.",
	},
	{
		title:   "The statement of an account",
		command: "fees statement Payroll --month 2026-01 --gateway gateway",
		means:   "Every movement between two balances that the chain itself tells. What was there and what moved make what was left, to the wei: the fees are all there, and no other movement is missing.",
	},
	{
		title:   "The company's own record beside the ledger",
		command: "fees reconcile company.csv --month 2026-01 --accounts group:company",
		code:    1,
		planted: true,
		means:   "Line 5 has an amount with two digits changed over (amount_differs), line 12 repeats line 11 (duplicate), line 16 names a transaction that does not exist (only_in_books), and the fee of 10-7 was never written down (only_on_chain). All else matches to the wei.",
	},
	{
		title:   "From opening to closing",
		command: "fees rollforward --month 2026-01 --accounts group:company --gateway gateway",
		means:   "What the accounts had, what came and went by class, and what they had in the end, for each account, the group and all. Transfers within the group are internal: they add up to 0.",
	},
	{
		title:   "The journal for the books",
		command: "fees export --as hledger --month 2026-01 --accounts group:company --prices prices.csv --fiat EUR -o january.journal",
		means:   "Double entry that hledger reads: each fee an entry, with the accounts that accounts.csv names and the day's price. Beancount, Ledger, CSV and XLSX are there too.",
		file:    "january.journal",
	},
	{
		title:   "Close the month",
		command: "fees close --month 2026-01 --accounts group:company --gateway gateway -o january",
		means:   "The directory january is the month's package: report, statements, journal and inputs, with a manifest that has the sum of each file. Who keeps the manifest's SHA-256 elsewhere can prove later that nothing was changed.",
	},
	{
		title:   "Prove the package, as an auditor would",
		command: "fees close --check january --gateway gateway",
		means:   "Every file is as it was written, and the ledger and the gateway give the same files again today.",
	},
}
