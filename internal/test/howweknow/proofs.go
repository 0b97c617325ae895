package main

import "github.com/feeledger/fees/internal/test/program"

const head = `# How we know

` + "`make proof`" + ` runs these tests and writes this page; no figure is typed. If a test fails, the page is not written. A number without a unit counts cases.
[accuracy.md](accuracy.md) explains the comparisons, and [evidence.md](evidence.md#not-proved) lists what is not proved.

| what is shown | tests, with counts |
|---|---|
`

const foot = `
The tests compare with other programs: polkadot-js, Sidecar, go-ethereum, OpenSSH, OpenSSL, hledger, DuckDB.
`

// proof is a test, and what it shows. Consecutive proofs with the same claim share a row.
type proof struct {
	claim string
	of    string // the test's package
	test  string
	units string // the units that the test counts in its log, separated by "|"
}

// depth sets how deep the tests go and which programs they use, unless the environment does.
var depth = map[string]string{program.Wanted: "installed", "FEES_SEEDS": "200", "FEES_TORN": "10", "FEES_SERVER_KILLS": "20", "FEES_WORKER_DEATHS": "200", "FEES_REQUESTS": "5000"}

const (
	charged      = "fees equal what real runtimes charged"
	tables       = "tables match independent calculations and metadata"
	vectors      = "rules match vectors calculated without `fees`"
	tampering    = "changes to blocks, and missing, duplicate or moved transactions, are found"
	balances     = "movements explain every recorded balance"
	archives     = "archives: roots equal another implementation's; forgeries and changed bytes are found; Python agrees"
	ledger       = "changes to a ledger or package are found; digests follow their documentation"
	order        = "seals do not depend on the order of filling, or on killed writers"
	histories    = "after crashes, forks, wrong answers and faults, the ledger equals a quiet run's"
	torn         = "states that a crash can leave are whole, and the next run continues"
	workers      = "after kills, cut links and failovers, workers reach one seal"
	versions     = "data from earlier versions are opened, proved and continued"
	transactions = "recorded transactions decode and encode to the same bytes"
	sending      = "estimates are exact or above the fee; sent transactions cost what was stated; secrets do not leak"
	pages        = "web pages equal the report, work in a browser, and survive hostile requests"
	interfaces   = "commands, outputs, packages and licences are as documented"
)

// proofs are the tests, in the page's order.
var proofs = []proof{
	{charged, "cmd/fees", "TestCharged", "transactions"},
	{charged, "fee/evidence", "TestProofOfPairs", ""},
	{charged, "internal/app", "TestDataHavenIsCharged", ""},
	{charged, "fee", "TestBlockOfTheRealNetwork", ""},
	{tables, "fee", "TestBlocksOfEveryRuntime", ""},
	{tables, "network", "TestConstantsOfTheMetadata", "runtimes"},
	{vectors, "evm", "TestBaseFeeVectors", ""},
	{vectors, "evm", "TestGasPriceVectors", ""},
	{vectors, "evm", "TestFeeVectors", ""},
	{vectors, "native", "TestNativeFeeVectors", ""},
	{vectors, "network/rule", "TestMultiplierUpdateVectors", ""},
	{vectors, "network/rule", "TestSplitVectors", ""},

	{tampering, "fee/evidence", "TestNamedChanges", "changes"},
	{tampering, "fee/evidence", "TestEverySingleChange", "changes|caught"},
	{tampering, "fee/evidence", "TestOmissions", ""},
	{balances, "internal/movement", "TestRecordedBalances", "balances"},

	{archives, "internal/substrate/trie", "TestRootsOfAnotherImplementation", "tries"},
	{archives, "internal/archive/proofs", "TestForgeriesAreFound", ""},
	{archives, "internal/archive/proofs", "TestChangedBytesAreFound", ""},
	{archives, "internal/archive/proofs", "TestAuditorsPage", ""},

	{ledger, "internal/ledger", "TestEveryChangeOfTheDatabaseIsFound", ""},
	{ledger, "internal/ledger", "TestDigestsAndSealsFollowFromTheDocumentation", ""},
	{ledger, "cmd/fees", "TestCloseFlippedByte", ""},
	{order, "internal/ledger", "TestSealAndTotalsDoNotDependOnTheOrder", ""},
	{order, "internal/ledger", "TestWritersThatAreKilled", "times"},

	{histories, "internal/test/simulation", "TestHistories", "seeds"},
	{torn, "internal/ledger", "TestTornFiles", "states"},
	{torn, "internal/archive/answers", "TestTornArchives", "states"},
	{torn, "internal/archive/proofs", "TestTornArchives", "states"},
	{torn, "internal/finance/closing", "TestTornPackages", "states"},
	{torn, "internal/finance/dataset", "TestTornDatasets", "states"},
	{workers, "internal/ledger/queue", "TestKillsAcrossNamespaces", "blocks"},
	{workers, "internal/ledger/queue", "TestAWorkerIsGone", ""},
	{workers, "internal/ledger/queue", "TestFailover", ""},
	{workers, "cmd/fees", "TestProcessWorkers", "worker deaths|server deaths|blocks"},
	{workers, "cmd/fees", "TestProcessFollowFailover", ""},
	{versions, "cmd/fees", "TestEarlierVersions", ""},

	{transactions, "internal/tx/extrinsic", "TestRecordedExtrinsics", "extrinsics"},
	{transactions, "internal/ethtx", "TestRecordedTransactions", "files"},
	{sending, "internal/tx/extrinsic", "TestRecordedEstimates", "estimates|exact"},
	{sending, "internal/app", "TestSendNative", "sent"},
	{sending, "cmd/fees", "TestSignWithoutLeaks", ""},

	{pages, "internal/web", "TestFeesAreTheReport", ""},
	{pages, "cmd/fees", "TestFinanceTeamInABrowser", ""},
	{pages, "internal/web", "TestHostileRequests", "requests"},

	{interfaces, "cmd/fees", "TestCommandsAreKept", ""},
	{interfaces, "cmd/fees", "TestOutputsAreKept", ""},
	{interfaces, "internal/test/contracts", "TestPackages", ""},
	{interfaces, "internal/test/dependencies", "TestLicences", "modules"},
}
