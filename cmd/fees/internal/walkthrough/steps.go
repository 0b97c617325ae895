package walkthrough

// step is one command of the walk.
type step struct {
	title   string
	command string // as typed in the directory; no argument contains a space
	code    int    // the expected exit code
	planted bool   // the code is that of the planted differences
	means   string
	file    string // a file whose first lines are shown, "" for none
}

// steps are the commands of a month end, in the usual order.
var steps = []step{
	{
		title:   "Fill the ledger",
		command: "fees sync --month 2026-01 --gateway gateway",
		means:   "Each block of January was read, priced, verified against the chain's own records and stored in fees.db, with some blocks of February so that the month is complete in every time zone.",
	},
	{
		title:   "Check the ledger",
		command: "fees ledger status",
		means:   "No blocks are missing (gaps), no check failed (findings) and every fee is known (undetermined). The seal covers the whole ledger: altering any row changes it.",
	},
	{
		title:   "Fees by day, also in euros",
		command: "fees report --by day --prices prices.csv --fiat EUR",
		means:   "Each fee is valued at the token's price on its day. The chain starts on 31 January, so the month has only that day; 1 February has the blocks that other time zones need.",
	},
	{
		title:   "Fees by label",
		command: "fees report --month 2026-01 --by label --accounts accounts.csv --prices prices.csv --fiat EUR",
		means:   "accounts.csv is the address book. It gives each address a label and a group, which all commands show. --by group adds up the groups.",
	},
	{
		title:   "The statement of an account",
		command: "fees statement Payroll --month 2026-01 --gateway gateway",
		means:   "Every movement between two balances read from the chain. Opening plus movements equals closing, to the wei, so no fee and no other movement is missing.",
	},
	{
		title:   "Reconcile the company's own records",
		command: "fees reconcile company.csv --month 2026-01 --accounts group:company",
		code:    1,
		planted: true,
		means:   "Line 5 has two digits swapped (amount_differs), line 12 repeats line 11 (duplicate), line 16 names a transaction that does not exist (only_in_books), and the fee of 10-7 was never recorded (only_on_chain). All other rows match to the wei.",
	},
	{
		title:   "From opening to closing balances",
		command: "fees rollforward --month 2026-01 --accounts group:company --gateway gateway",
		means:   "Opening balances, movements by class, and closing balances, for each account, each group and all accounts. Transfers within the group are internal: they add up to 0.",
	},
	{
		title:   "Export a journal",
		command: "fees export --as hledger --month 2026-01 --accounts group:company --prices prices.csv --fiat EUR -o january.journal",
		means:   "A double-entry journal for hledger: one entry per fee, with the accounts from accounts.csv and the day's price. Beancount, Ledger, CSV and XLSX are also available.",
		file:    "january.journal",
	},
	{
		title:   "Close the month",
		command: "fees close --month 2026-01 --accounts group:company --gateway gateway -o january",
		means:   "The directory january is the close package: report, statements, journal and inputs, with a manifest that lists the SHA-256 of each file. Keep the manifest's own SHA-256 elsewhere to prove later that nothing was changed.",
	},
	{
		title:   "Verify the package, as an auditor would",
		command: "fees close --check january --gateway gateway",
		means:   "No file was changed, and the ledger and the gateway still produce the same files.",
	},
}
