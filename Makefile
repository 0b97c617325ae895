.PHONY: test test-all bench bench-ledger bench-node cover lint fuzz golden proof

# Tests hold little: to collect garbage more seldom takes a fifth less time.
test test-all: export GOGC = 400

# The tests of every day. Nothing but Go is needed, or used. The last lines say what was skipped.
test:
	FEES_WITH= go run ./internal/test/skipped go test -short -timeout 20m ./...

# All tests, with the programs that are installed: CONTRIBUTING says what runs when.
test-all:
	FEES_WITH=installed go run ./internal/test/skipped go test -timeout 60m ./...

# Blocks a second, beside the plain reference for Node.js; the last line is the ratio.
bench:
	go run ./internal/bench

# How many blocks the two that follow take.
N = 100000

# N blocks read straight from a node that replays recorded ones, and their fees. With
# -latency 50ms -concurrency 16 it says how well the questions under way are used.
bench-node:
	go run ./internal/bench/node -n $(N)
	go run ./internal/bench/node -n $$(($(N) / 10)) -signatures

# A ledger of N blocks: how fast it is filled, its memory and disk, and how fast it
# answers. A million takes about 6 GB of TMPDIR.
bench-ledger:
	go run ./internal/bench/ledger -n $(N)

# The coverage of the packages that make the figures; each must have 95 %.
cover:
	.ci/cover

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go tool staticcheck ./...

# Each fuzz target for a few seconds.
fuzz:
	.ci/fuzz 5s

# Rewrite the golden files and the expected output in the scripts.
golden:
	go test ./cmd/fees ./internal/test/contracts ./internal/table ./internal/finance/journal ./internal/reconcile ./internal/finance/report ./internal/finance/statement -update

# Run the tests that show what fees promises, and write docs/how-we-know.md of what they counted.
proof:
	go run ./internal/test/howweknow
