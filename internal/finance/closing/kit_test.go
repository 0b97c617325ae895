package closing

import (
	"cmp"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

var ctx = context.Background()

// january returns the manifest of a month with a fee.
func january(fee uint64) Manifest {
	return Manifest{
		Network: "moonbeam", Period: Period{Month: "2026-01", Timezone: "UTC", Complete: true, Missing: []string{}},
		Blocks: Blocks{First: 5, Last: 9, Count: 5, Seal: "aa", Rules: []string{}}, Evidence: evidence.Recorded(5).By(chain.Anchor{Height: 7}, 3),
		Accounts: []Account{}, LeftOut: []string{},
		Totals: Totals{Fee: chain.NewWei(fee)},
	}
}

// install installs a package with these files.
func install(t *testing.T, dir string, m Manifest, files map[string]string) (*Package, bool) {
	t.Helper()
	d, err := Begin(dir)
	require.NoError(t, err)
	defer d.Discard()
	old, err := Prepare(dir)
	require.NoError(t, err)
	for name, text := range files {
		require.NoError(t, d.Add(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
	}
	p, changed, err := d.Install(dir, m, old)
	require.NoError(t, err)
	return p, changed
}

// content returns all files below a directory.
func content(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		local, _ := filepath.Rel(dir, name)
		all[filepath.ToSlash(local)] = string(text)
		return err
	}))
	return all
}

// book is a generated ledger.
type book struct {
	blocks       []ledger.Block
	seal         chain.Optional[ledger.Seal]
	findings     []evidence.Finding
	transactions []ledger.Transaction
	unclassified []ledger.Unclassified
	err          error // of whatever is asked
	damaged      error // of the rows of blocks and transactions, after those that are there
}

func (b *book) SealOf(context.Context, ledger.Period, chain.Heights) (ledger.Seal, error) {
	s, ok := b.seal.Get()
	if !ok {
		return s, cmp.Or(b.err, ledger.ErrNone)
	}
	return s, b.err
}

func (b *book) Heads(context.Context, chain.Heights) iter.Seq2[*ledger.Block, error] {
	return rowsOf(b.blocks, b.damaged)
}

func (b *book) Findings(context.Context, ledger.Query) iter.Seq2[*ledger.Finding, error] {
	var list []ledger.Finding
	for i, f := range b.findings {
		list = append(list, ledger.Finding{Position: i, Finding: f})
	}
	return rowsOf(list, nil)
}

func (b *book) Unmatched(context.Context, ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	matches := func(t ledger.Transaction) bool { return t.Fee.Known() && t.Verdict != evidence.Drift }
	return rowsOf(slices.DeleteFunc(slices.Clone(b.transactions), matches), b.damaged)
}

func (b *book) Unclassified(context.Context, ledger.Query) iter.Seq2[*ledger.Unclassified, error] {
	return rowsOf(b.unclassified, b.err)
}

// rowsOf returns the rows of a list, followed by an error.
func rowsOf[T any](list []T, err error) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range list {
			if !yield(&list[i], nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}
