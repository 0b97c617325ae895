package main

import "github.com/feeledger/fees/internal/test/program"

const head = `# How we know

Each row is something that people rely on, the test that shows it, and what that test counted when this page was made. ` + "`make proof`" + ` runs the tests and writes the page;
nothing on it was typed. A test that fails keeps the page from being written. One that needs what is not there says so, and is no proof then.

[accuracy.md](accuracy.md) says in words what is proved and what is not, [SECURITY.md](SECURITY.md) who could make a figure wrong.
`

const foot = `
## What the figures of tests are worth

A golden file shows that output changed, not that it is right. So what stands above compares with something that the program did not make: what a real runtime charged, balances of
accounts, metadata of runtimes, vectors worked out by hand or with ` + "`math/big`" + `, other implementations (polkadot-js, Sidecar, go-ethereum, OpenSSH, OpenSSL, hledger, DuckDB). What is
not known yet stands in [accuracy.md](accuracy.md), *What is not proved*.
`

// proof is one row of the page: a claim, the package and the test that show it, and an expression
// for what the test counted in its log.
type proof struct{ group, claim, of, test, figure string }

// states is what tests of crashes count.
const states = `\d+ states at \d+ syncs`

// depth is how deep the tests go whose depth can be chosen, and with which programs, unless the environment says so.
var depth = map[string]string{program.Wanted: "installed", "FEES_SEEDS": "200", "FEES_TORN": "10", "FEES_SERVER_KILLS": "20", "FEES_REQUESTS": "5000"}

// proofs are the rows, in the page's order.
var proofs = []proof{
	{"The fees are right", "what the rules say is what two real runtimes charged, transaction by transaction", "cmd/fees", "TestCharged", `moonbeam-\d+: \d+ transactions`},
	{"The fees are right", "so it is on other recorded chains of four runtimes", "fee/evidence", "TestProofOfPairs", ""},
	{"The fees are right", "and on another network, with every share that governance set", "internal/app", "TestDataHavenIsCharged", ""},
	{"The fees are right", "a real block of a real network comes to its known total", "fee", "TestBlockOfTheRealNetwork", ""},
	{"The fees are right", "every row of every table prices as an independent calculation does", "fee", "TestBlocksOfEveryRuntime", ""},
	{"The fees are right", "the tables' figures are those in the metadata of real runtimes", "network", "TestConstantsOfTheMetadata", `\d+ runtimes`},
	{"The fees are right", "each rule follows vectors that were worked out without the program: base fees", "evm", "TestBaseFeeVectors", ""},
	{"The fees are right", "… gas prices", "evm", "TestGasPriceVectors", ""},
	{"The fees are right", "… fees of the EVM layer", "evm", "TestFeeVectors", ""},
	{"The fees are right", "… fees of the native layer", "native", "TestNativeFeeVectors", ""},
	{"The fees are right", "… the multiplier's update", "network", "TestMultiplierUpdateVectors", ""},
	{"The fees are right", "… the parts of treasury, author and burned", "network", "TestSplitVectors", ""},

	{"Nothing is missed", "a change to a single value of a recorded block is found and named", "fee/evidence", "TestNamedChanges", `\d+ changes`},
	{"Nothing is missed", "each leaf of recorded blocks is changed alone; those that are not found are listed with their reasons", "fee/evidence", "TestEverySingleChange", `\d+ changes, \d+ caught, \d+ that cannot be`},
	{"Nothing is missed", "a transaction that is left out, doubled or moved is found", "fee/evidence", "TestOmissions", ""},
	{"Nothing is missed", "movements explain every balance of every account at every height", "chain", "TestRecordedBalances", `\d+ balances`},

	{"Evidence holds without us", "roots are those of another implementation", "internal/substrate/trie", "TestRootsOfAnotherImplementation", `\d+ tries`},
	{"Evidence holds without us", "a forged archive does not prove", "internal/archive/proofs", "TestForgeriesAreFound", ""},
	{"Evidence holds without us", "each changed byte of an archive is found", "internal/archive/proofs", "TestChangedBytesAreFound", ""},
	{"Evidence holds without us", "an auditor's page of Python comes to the same", "internal/archive/proofs", "TestAuditorsPage", ""},

	{"The book stays whole", "any change of the database is found, in SQLite and PostgreSQL", "internal/ledger", "TestEveryChangeOfTheDatabaseIsFound", ""},
	{"The book stays whole", "a writer that is killed leaves a whole book, and the next goes on", "internal/ledger", "TestWritersThatAreKilled", `killed \d+ times`},
	{"The book stays whole", "digests and seals follow from their documentation alone", "internal/ledger", "TestDigestsAndSealsFollowFromTheDocumentation", ""},
	{"The book stays whole", "seals and totals do not depend on the order of filling", "internal/ledger", "TestSealAndTotalsDoNotDependOnTheOrder", ""},
	{"The book stays whole", "a package with any byte flipped is found", "cmd/fees", "TestCloseFlippedByte", ""},

	{"It survives what happens", "whatever a seed has in store (crashes, forks, lies, faults, refused commits), the book is that of a quiet run", "internal/test/simulation", "TestHistories", `\d+ seeds`},
	{"It survives what happens", "what a crash of the machine can leave of a ledger is whole, and the next run comes to the same", "internal/ledger", "TestTornFiles", states},
	{"It survives what happens", "… of a gateway's archive", "internal/archive/answers", "TestTornArchives", states},
	{"It survives what happens", "… of an archive with proofs", "internal/archive/proofs", "TestTornArchives", states},
	{"It survives what happens", "… of a month's package", "internal/finance/closing", "TestTornPackages", states},
	{"It survives what happens", "… of exported months", "internal/ledger/dataset", "TestTornDatasets", states},
	{"It survives what happens", "workers and their server are killed and cut off, and come to one seal", "internal/ledger/queue", "TestKillsAcrossNamespaces", `killed or cut off: .*`},
	{"It survives what happens", "what workers see of jobs and seals is linear", "internal/ledger/queue", "TestWhatWorkersSawIsLinear", `\d+ calls of the queue|\d+ reads of the seal`},
	{"It survives what happens", "a standby takes over, and what it lacked is found again: workers", "internal/ledger/queue", "TestFailover", ""},
	{"It survives what happens", "… and `fees follow`", "cmd/fees", "TestProcessFollowFailover", ""},
	{"It survives what happens", "what earlier versions wrote is opened, proved and continued", "cmd/fees", "TestEarlierVersions", ""},

	{"Transactions are what they say", "recorded extrinsics are decoded, and made again byte for byte", "internal/tx/extrinsic", "TestRecordedExtrinsics", `\d+ extrinsics decoded and made again, \d+ of them signed`},
	{"Transactions are what they say", "so are recorded EVM transactions", "internal/tx/ethtx", "TestRecordedTransactions", `made again: .*`},
	{"Transactions are what they say", "an estimate is what was charged, or above it", "internal/tx/extrinsic", "TestRecordedEstimates", `\d+ estimates: .*`},
	{"Transactions are what they say", "what is built from text, signed and sent was charged as told", "internal/app", "TestSendNative", `\d+ sent as recorded`},
	{"Transactions are what they say", "a secret is in no output, error, file, environment or list of processes", "cmd/fees", "TestSignWithoutLeaks", ""},

	{"The pages are the report", "a page, its chart and its downloads are what `fees report` says", "internal/web", "TestFeesAreTheReport", ""},
	{"The pages are the report", "a team finds a wrong fee in a browser alone", "cmd/fees", "TestFinanceTeamInABrowser", ""},
	{"The pages are the report", "whatever is asked, nothing breaks and nothing leaks", "internal/web", "TestHostileRequests", `\d+ requests`},

	{"It can be relied on", "commands, flags and exit codes are those of before", "cmd/fees", "TestCommandsAreKept", ""},
	{"It can be relied on", "so are keys of JSON and columns of CSV", "cmd/fees", "TestOutputsAreKept", ""},
	{"It can be relied on", "so is what the packages export", "internal/test/contracts", "TestPackages", ""},
	{"It can be relied on", "each library in the program has a known licence", "internal/test/dependencies", "TestLicences", `\d+ modules`},
}
