package finance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
)

// The verdict names what was compared with what. A check is accepted as partial if that was wanted, unless the ledger's
// audit trail is gone.
func TestVerdicts(t *testing.T) {
	for _, x := range []struct {
		check    app.PackageCheck
		version  int
		offline  bool
		verdict  string
		advice   string // of the error, "" for none
		withheld string // no part of the error
	}{
		{version: 1, verdict: "verified: every file is unchanged and the same as from today's ledger"},
		{version: 2, verdict: "verified: every file of version 2 is unchanged and the same as from today's ledger"},
		{check: app.PackageCheck{Archived: true}, version: 1, verdict: "verified: every file is unchanged and the same as from the archive"},
		{check: app.PackageCheck{NotCompared: []string{"statements.json"}}, version: 3, offline: true, verdict: "partly verified: the other files of version 3 are unchanged and the same as from today's ledger"},
		{check: app.PackageCheck{NotCompared: []string{"statements.json"}}, version: 1, verdict: "partly verified: the other files are unchanged and the same as from today's ledger", advice: "or add --offline if this is wanted"},
		{check: app.PackageCheck{NotCompared: []string{"the audit trail"}, TrailLost: true}, version: 1, offline: true, verdict: "partly verified: the other files are unchanged and the same as from today's ledger", advice: "the ledger with its audit trail", withheld: "--offline"},
	} {
		x.check.Package = &closing.Package{Manifest: &closing.Manifest{Version: x.version}}
		var out strings.Builder
		err := writeChecked(&out, "january", &x.check, app.Vouchers{}, x.offline)
		require.Contains(t, strings.Join(strings.Fields(out.String()), " "), x.verdict)
		if x.advice == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, app.ErrPartly)
		require.ErrorContains(t, err, x.advice)
		if x.withheld != "" {
			require.NotContains(t, err.Error(), x.withheld)
		}
	}
}
