package web_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/source"
)

// Each command on a page of a ledger whose tables are the user's own names their file: it fails without. The month is
// incomplete, has failed checks, and ends where the ledger does.
func TestOwnTablesInCommands(t *testing.T) {
	recorded, err := source.Open(pairs.Path(t, "stack-template-3", "gateway"), source.Options{})
	require.NoError(t, err)
	d := hubLedger(t, hubBlocks{"0..37", recorded})
	const account = "5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ"
	command := regexp.MustCompile(`>(fees [a-z]+ [^<]* --[^<]*)<`)
	seen := map[string]bool{}
	for _, tables := range []string{"own tables.json", ""} {
		s := served(t, d, func(o *web.Options) {
			l := &o.Ledgers[0]
			l.Source, l.Gateway, l.Place, l.Network = nil, "ws://node:9944", "fees.db", "stack-template"
			l.NetworkFile, l.Packages = tables, t.TempDir()
		})
		for _, path := range []string{
			"/overview", "/overview?period=2026-01&partial=true", "/fees?period=2026-01&partial=true", "/fees?period=2026-03", "/findings", "/accounts/unlabelled?period=2026-01&partial=true",
			"/transactions?period=2026-01&partial=true", "/tx/8-4", "/account/" + account + "?period=2026-01&partial=true", "/account/" + account + "/statement?period=2026-01&partial=true", "/deposits", "/packages", "/chain",
		} {
			page := get(t, s, path, nil)
			for _, found := range command.FindAllStringSubmatch(page.text, -1) {
				line := html.UnescapeString(found[1])
				words := strings.Fields(line)
				own := tables != "" && !strings.HasPrefix(line, "fees ledger status")
				require.Equal(t, own, strings.Contains(line, " --network-file 'own tables.json'"), "%s: %s", path, line)
				seen[words[1]] = true
			}
		}
	}
	for _, name := range []string{"sync", "report", "verify", "explain", "serve", "deposits", "close"} {
		require.True(t, seen[name], "%s: %v", name, seen)
	}
}
