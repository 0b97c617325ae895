// Package architecture holds the picture of ARCHITECTURE.md: what may import
// what.
package architecture

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/feeledger/fees/"

// mayImport lists, for each package, which of ours it may import.
var mayImport = map[string][]string{
	"wire":                       {},
	"chain":                      {"wire"},
	"network":                    {"chain", "wire"},
	"evm":                        {"chain", "network", "wire"},
	"native":                     {"chain", "wire"},
	"fee":                        {"chain", "network", "evm", "native"},
	"evidence":                   {"chain", "network", "evm", "native", "fee", "wire"},
	"sidecar":                    {"chain", "wire"},
	"ask":                        {},
	"gatewayclient":              {"ask", "chain", "sidecar", "wire"},
	"nodeclient":                 {"ask", "chain", "wire"},
	"archive":                    {"ask", "chain", "sidecar", "wire", "internal/inorder"},
	"archive/demo":               {"archive"},
	"archive/demo/internal/pack": {},
	"source":                     {"ask", "chain", "network", "gatewayclient", "archive", "archive/demo", "sidecar", "internal/inorder"},
	"proof":                      {"ask", "chain", "source", "fee", "evidence", "internal/inorder"},
	"ledger":                     {"chain", "fee", "evidence", "internal/inorder", "internal/scratch"},
	"queue":                      {"ledger"},
	"addressbook":                {"chain"},
	"balances":                   {"chain", "ledger"},
	"sheet":                      {"chain", "internal/console", "internal/spill", "internal/jsontext"},
	"report":                     {"chain", "fee", "evidence", "ledger", "sheet", "internal/console", "internal/jsontext"},
	"statement":                  {"addressbook", "balances", "chain", "evidence", "fee", "ledger", "sheet", "internal/console", "internal/jsontext"},
	"reconcile":                  {"chain", "ledger", "sheet", "wire", "internal/console", "internal/spill", "internal/jsontext"},
	"journal":                    {"addressbook", "balances", "chain", "fee", "ledger", "sheet", "internal/console"},
	"closing":                    {"chain", "evidence", "ledger", "sheet", "internal/jsontext", "internal/scratch"},
	"invoice":                    {"chain", "evidence", "evm", "fee", "network", "source", "wire"},
	"desk":                       {"ask", "addressbook", "archive", "balances", "chain", "closing", "evidence", "evm", "fee", "gatewayclient", "invoice", "journal", "ledger", "network", "nodeclient", "proof", "queue", "reconcile", "report", "sheet", "sidecar", "source", "statement", "wire", "internal/console", "internal/jsontext"},
	"cmd/fees":                   {"ask", "desk", "invoice", "addressbook", "chain", "closing", "network", "evm", "fee", "evidence", "gatewayclient", "nodeclient", "archive", "archive/demo", "sidecar", "source", "proof", "ledger", "queue", "journal", "reconcile", "report", "statement", "sheet", "wire", "internal/console", "internal/jsontext"},
	"bench/ledger":               {"archive", "chain", "network", "fee", "evidence", "sidecar", "source", "proof", "ledger", "report", "internal/chaingen"},
	"bench":                      {"chain", "network", "fee", "sidecar"},
	"internal/inorder":           {},
	"internal/console":           {"chain"},
	"internal/jsontext":          {},
	"internal/scratch":           {},
	"internal/spill":             {},
	"archive/gatewaytest":        {"archive"}, // for tests only
	"internal/ledgertest":        {},          // for tests only
	"internal/postgrestest":      {},          // for tests only
	"internal/vectors":           {},          // for tests only
	// For tests, benchmarks and its own command only: nothing else has it in its list.
	"internal/chaingen":              {"chain", "sidecar"},
	"internal/chaingen/cmd/chaingen": {"internal/chaingen"},
	"internal/architecture":          {},
}

// onlyIn lists where a library may be imported. A path that ends in a slash is
// all that stands under it.
var onlyIn = map[string][]string{
	"github.com/holiman/uint256":         {"chain", "evidence"}, // evidence fills go-ethereum's types
	"github.com/shopspring/decimal":      {"cmd/fees", "sheet", "journal", "report"},
	"github.com/wcharczuk/go-chart/v2":   {"report"},
	"html/template":                      {"report"},
	"github.com/jedib0t/":                {"cmd/fees", "internal/console", "sheet"},
	"github.com/xuri/":                   {"sheet"},
	"github.com/parquet-go/":             {"sheet"},
	"github.com/go-resty/resty/v2":       {"ask"},
	"github.com/coder/websocket":         {"nodeclient"},
	"github.com/klauspost/compress/zstd": {"archive"},
	"github.com/jackc/":                  {"ledger", "queue", "internal/postgrestest"},
	"github.com/riverqueue/":             {"queue"},
	"modernc.org/sqlite":                 {"ledger"},
	"modernc.org/sqlite/lib":             {"ledger"},
	"github.com/pressly/goose/v3":        {"ledger"},
	"github.com/xuri/excelize/v2":        {"sheet"},
	"net/http":                           {"ask", "gatewayclient", "nodeclient", "archive", "archive/gatewaytest", "internal/chaingen", "internal/chaingen/cmd/chaingen"},
	"math/big":                           {"chain", "evidence", "internal/vectors", "internal/chaingen"},
	"github.com/ethereum/":               {"evidence", "internal/chaingen"}, // one verifies signatures, the other makes them
	"unsafe":                             {},
	"C":                                  {},
}

func TestImports(t *testing.T) {
	for name, imports := range imports(t) {
		allowed, known := mayImport[name]
		require.True(t, known, "package %s is not in the picture: add it to ARCHITECTURE.md and here", name)
		for _, path := range imports {
			if ours, ok := strings.CutPrefix(path, module); ok {
				require.Contains(t, allowed, ours, "%s must not import %s", name, ours)
			}
			for library, where := range onlyIn {
				if path == library || strings.HasSuffix(library, "/") && strings.HasPrefix(path, library) {
					require.Contains(t, where, name, "%s must not import %s", name, path)
				}
			}
		}
	}
}

// imports lists the imports of every package, tests apart.
func imports(t *testing.T) map[string][]string {
	list := exec.Command("go", "list", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", module+"...")
	list.Dir = "../.."
	out, err := list.Output()
	require.NoError(t, err)
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		found[strings.TrimPrefix(fields[0], module)] = fields[1:]
	}
	require.GreaterOrEqual(t, len(found), len(mayImport))
	require.True(t, slices.Contains(found["fee"], module+"chain"), "the listing is not what it should be")
	return found
}

// Made-up blocks must not come near figures that somebody believes.
func TestNothingThatIsShippedMakesUpBlocks(t *testing.T) {
	const generator = module + "internal/chaingen"
	for name, imports := range imports(t) {
		if name != "internal/chaingen/cmd/chaingen" && name != "bench" && !strings.HasPrefix(name, "bench/") {
			require.NotContains(t, imports, generator, "%s: chaingen is for tests, benchmarks and its own command", name)
		}
	}
}
