.PHONY: test test-all bench bench-ledger bench-limits bench-node cover lint fuzz golden proof

# Tests use little memory: less frequent garbage collection saves time.
test test-all: export GOGC = 800

# As on a machine with Go alone: linking takes a quarter less time without C.
test test-all: export CGO_ENABLED = 0

# Packages whose tests take longest: they begin first.
SLOW = ./cmd/fees ./internal/ledger ./internal/web ./internal/app ./internal/archive/proofs ./internal/reconcile

# Run the everyday tests. They need and use only Go. Without debug information they are linked faster. The last lines
# list the skipped tests.
test:
	FEES_WITH= go run ./internal/test/skipped go test -short -ldflags=-w -timeout 20m $(SLOW) ./...

# Run all tests, with the installed programs: see CONTRIBUTING.
test-all:
	FEES_WITH=installed go run ./internal/test/skipped go test -timeout 60m ./...

# Compare blocks per second with the plain reference for Node.js; the last line is the ratio.
bench:
	go run ./internal/bench

# The number of blocks for the next two targets.
N = 100000

# Read N blocks directly from a node that replays recorded ones, and price them. With
# -latency 50ms -concurrency 16 it measures the use of concurrent requests.
bench-node:
	go run ./internal/bench/node -n $(N)
	go run ./internal/bench/node -n $$(($(N) / 10)) -signatures

# Measure a ledger of N blocks: fill rate, memory, disk and query times. A million blocks
# take about 6 GB of TMPDIR.
bench-ledger:
	go run ./internal/bench/ledger -n $(N)

# Measure the program beside what bounds it, as one table; on a quiet machine, with TMPDIR on a disk. LIMITS are the
# tool's flags: -postgres postgres://... adds PostgreSQL, -n 2000 -sizes 8000 -rounds 1 takes about a minute.
bench-limits:
	go run ./internal/bench/limits $(LIMITS)

# Check the coverage of the packages that compute figures; each needs 95 %.
cover:
	.ci/cover

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go tool staticcheck -checks=inherit,-ST1005 ./... # errors for users are sentences
	go tool predeclared ./...
	git ls-files "*.go" "*.md" "*.html" "*.js" "*.sh" | grep -v testdata/ | xargs go tool misspell -error -i transfered
	go run ./internal/test/phrases

# Run each fuzz target for a few seconds.
fuzz:
	.ci/fuzz 5s

# Rewrite the golden files and the expected output in the scripts.
golden:
	go test ./cmd/fees ./internal/test/contracts ./internal/table ./internal/finance/journal ./internal/reconcile ./internal/finance/report ./internal/finance/statement -update

# Run the tests behind the promises of fees, and write docs/how-we-know.md from their counts.
proof:
	go run ./internal/test/howweknow
