package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// proving is a source that proves what it says up to a trusted block.
type proving struct {
	source.Source
	trusted chain.Anchor
}

func (p proving) Unwrap() source.Source { return p.Source }

func (p proving) Proved() chain.Optional[chain.Anchor] { return chain.Some(p.trusted) }

// trustedAt is a trusted block at a height.
func trustedAt(height uint64) chain.Anchor {
	return chain.Anchor{Height: height, Hash: chain.Hash{0xef, 8}}
}

// proved is a reader of the demo whose blocks are proved up to a height.
func proved(t testing.TB, height uint64) *source.Reader {
	reader := demo(t)
	reader.Source = proving{reader.Source, trustedAt(height)}
	return reader
}

// What is priced and proved says how well it is known: a fee, and the checks of a range.
func TestEvidenceOfFees(t *testing.T) {
	which, err := app.ParseTransactionRef("25-7", "")
	require.NoError(t, err)
	plain, err := app.Explain(t.Context(), demo(t), which)
	require.NoError(t, err)
	require.Equal(t, evidence.Recorded(1), plain.Evidence)
	v, err := app.Explain(t.Context(), proved(t, 25), which)
	require.NoError(t, err)
	require.Equal(t, evidence.Recorded(1).By(trustedAt(25), 1), v.Evidence)
	require.Equal(t, chain.Some(evidence.LevelProved), v.Transaction.Level)
	require.Equal(t, plain.Steps, v.Steps)
	above, err := app.Explain(t.Context(), proved(t, 24), which)
	require.NoError(t, err)
	require.Equal(t, plain.Evidence, above.Evidence)
	require.Equal(t, chain.Some(evidence.LevelRecorded), above.Transaction.Level)

	summary, found, err := examined(t, chain.Heights{First: 3, Last: 27}, app.Examination{Reader: proved(t, 20), Concurrency: 3})
	require.NoError(t, err)
	require.Empty(t, found)
	require.Equal(t, evidence.Recorded(25).By(trustedAt(20), 18), summary.Evidence)
}

// A ledger knows what it was told with proofs, by whatever way it was filled. Its seal is that
// of a ledger that was filled by a gateway's word.
func TestEvidenceOfALedger(t *testing.T) {
	seal := sealOf(t, copied(t))
	want := evidence.Recorded(28).By(trustedAt(19), 20)
	has := func(place string) {
		t.Helper()
		require.Equal(t, want, statusOf(t, place).Evidence)
		require.Equal(t, seal, sealOf(t, place))
		require.Empty(t, verified(t, place, nil).Damage)
	}
	require.Equal(t, evidence.Recorded(28), statusOf(t, copied(t)).Evidence)

	inParts := file(t)
	for _, part := range []string{"0..9", "15..27", "10..14"} {
		_, err := app.Sync(t.Context(), inParts, blocks(t, part), app.FillOptions{Reader: proved(t, 19)})
		require.NoError(t, err)
	}
	has(inParts)

	followed, reader := file(t), proved(t, 19)
	require.NoError(t, app.Follow(t.Context(), followed, app.FollowOptions{FillOptions: app.FillOptions{Reader: reader},
		Heads: source.Poll(reader.Source, time.Millisecond), From: chain.Some[uint64](0), Lag: func(uint64, uint64) {}}))
	has(followed)

	d, err := app.Temporary(t.Context(), "of the moment", app.Heights(10, 27), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	defer d.Close()
	r, err := d.Report(t.Context(), app.Request{Period: app.Heights(10, 27)}, report.Choice{By: report.Day})
	require.NoError(t, err)
	require.Equal(t, evidence.Recorded(18).By(trustedAt(19), 10), r.Evidence)

	copyOf := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, opened(t, inParts).Backup(t.Context(), copyOf, app.Progress{}))
	has(copyOf)
}

// Workers that share a range tell their ledger likewise.
func TestEvidenceOfWorkers(t *testing.T) {
	long(t)
	place, reader := postgrestest.Start(t).Database(t), proved(t, 19)
	_, err := app.Enqueue(t.Context(), place, blocks(t, "0..27"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.NoError(t, app.Work(t.Context(), place, app.WorkOptions{Jobs: 2, UntilDone: true, Waiting: func(error) {}, FillOptions: app.FillOptions{Reader: reader}}))
	require.Equal(t, evidence.Recorded(28).By(trustedAt(19), 20), statusOf(t, place).Evidence)
	require.Equal(t, sealOf(t, copied(t)), sealOf(t, place))
}

// A ledger that was filled by a gateway's word becomes proved when it is compared with a
// source that proves the same.
func TestVerifyProves(t *testing.T) {
	place := copied(t)
	seal := sealOf(t, place)
	v := verified(t, place, demo(t))
	require.Equal(t, evidence.Recorded(28), v.Evidence, "another gateway's word is a word")

	// Another program writes it: that is said, and nothing is proved.
	writer, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	v = verified(t, place, proved(t, 1000))
	require.NotNil(t, v.NotKept)
	require.Equal(t, evidence.Recorded(28), v.Evidence)
	require.NoError(t, writer.Close())

	// One falsified event: that block is a finding, and not proved.
	off := demo(t)
	off.Source = proving{otherwise{Source: off.Source, block: func(b *chain.Block) error {
		if b.Number == 25 {
			b.Extrinsics = b.Extrinsics[:len(b.Extrinsics)-1]
		}
		return nil
	}}, trustedAt(1000)}
	v = verified(t, place, off)
	require.Equal(t, failure.Damaged, app.KindOf(v.Err()))
	require.Equal(t, evidence.Recorded(28).By(trustedAt(1000), 27), v.Evidence)
	at25, err := opened(t, place).Held(t.Context(), app.Heights(25, 25))
	require.NoError(t, err)
	require.Equal(t, evidence.LevelRecorded, at25.Evidence.Level)

	v = verified(t, place, proved(t, 1000))
	require.NoError(t, v.Err())
	require.Nil(t, v.NotKept)
	require.Equal(t, evidence.Recorded(28).By(trustedAt(1000), 28), v.Evidence)
	require.Equal(t, v.Evidence, statusOf(t, place).Evidence)
	require.Equal(t, seal, sealOf(t, place))

	// What is known already needs no writing.
	writer, err = app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	require.Nil(t, verified(t, place, proved(t, 1000)).NotKept)
	require.Nil(t, verified(t, place, proved(t, 900)).NotKept)
	require.NoError(t, writer.Close())

	// Nothing is proved of a ledger that was altered, and nothing is said of it.
	altered := copied(t)
	alter(t, altered, "UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 7")
	require.Equal(t, failure.Damaged, app.KindOf(verified(t, altered, proved(t, 1000)).Err()))
	v = verified(t, altered, nil)
	require.Error(t, v.Err())
	require.Equal(t, evidence.LevelUnknown, v.Evidence.Level)
	held, err := opened(t, altered).Book.Evidence(t.Context(), chain.Heights{Last: 27})
	require.NoError(t, err)
	require.Zero(t, held.Proved)
}

// A report and a statement say how well their period's blocks are known, in each form.
func TestEvidenceOfAPeriod(t *testing.T) {
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, "0..27"), app.FillOptions{Reader: proved(t, 19)})
	require.NoError(t, err)
	d, plain := opened(t, place), opened(t, copied(t))
	want := evidence.Recorded(18).By(trustedAt(19), 10)
	hash := "0xef08" + strings.Repeat("0", 60)
	words := "10 of 18 blocks proved up to block 19, hash " + hash + "; the rest is recorded (reported by the gateway, not proved)"
	inJSON := `"evidence":{"level":"recorded","blocks":18,"proved":10,"trusted":[{"height":19,"hash":"` + hash + `","blocks":10}]}`
	bare := strings.NewReplacer(" ", "", "\n", "")
	says := func(text, words string) {
		t.Helper()
		require.Contains(t, bare.Replace(text), bare.Replace(words))
	}

	q, choice := app.Request{Period: app.Heights(10, 27)}, report.Choice{By: report.Day}
	r, err := d.Report(t.Context(), q, choice)
	require.NoError(t, err)
	require.Equal(t, want, r.Evidence)
	for _, write := range []func(*bytes.Buffer) error{
		func(w *bytes.Buffer) error { return r.Document().Write(w, "table", 100) },
		func(w *bytes.Buffer) error { return r.Document().HTML(w) },
	} {
		var text bytes.Buffer
		require.NoError(t, write(&text))
		says(strings.ReplaceAll(text.String(), "&#39;", "'"), words)
	}
	var text bytes.Buffer
	require.NoError(t, r.Document().JSON(&text))
	says(text.String(), inJSON)
	other, err := plain.Report(t.Context(), q, choice)
	require.NoError(t, err)
	require.Equal(t, evidence.Recorded(18), other.Evidence)
	require.Equal(t, other.Totals, r.Totals)

	made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(10, 27), Accounts: []chain.Address{address(t, alith)}}})
	require.NoError(t, err)
	var table, document bytes.Buffer
	require.NoError(t, made.Document(t.Context()).Write(&table, "table", 100))
	says(table.String(), words)
	require.NoError(t, made.Style.WriteJSON(t.Context(), &document, made.List[0]))
	says(document.String(), inJSON)
}

// A package says in its manifest how well its blocks were known when it was made. Where the
// ledger knows them better by now, a check says so; where it does not know what the package
// says, that is a difference.
func TestEvidenceOfAPackage(t *testing.T) {
	place := copied(t)
	q := question(t)
	q.Books = app.BooksInput{}
	made := packed(t, opened(t, place), q)
	require.Equal(t, evidence.Recorded(26), made.Manifest.Evidence, "blocks 2 to 27 are of January")
	recorded := copied(t)

	require.Equal(t, 28, int(verified(t, place, proved(t, 1000)).Evidence.Proved))
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Differences)
	hash := "0xef08" + strings.Repeat("0", 60)
	require.Equal(t, []string{"the ledger's evidence is better now (26 of 26 blocks proved up to block 1000, hash " + hash + "); close the period again"}, c.Notes)

	again := packed(t, opened(t, place), q)
	require.Equal(t, 2, again.Manifest.Version)
	require.Equal(t, evidence.Recorded(26).By(trustedAt(1000), 26), again.Manifest.Evidence)
	require.Equal(t, made.Manifest.Blocks, again.Manifest.Blocks)
	c = checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Len(t, c.Notes, 1, "on the earlier version")
	for _, name := range []string{"report.json", "report.html", "statements.json"} {
		text, err := os.ReadFile(filepath.Join(q.Dir, name))
		require.NoError(t, err)
		require.Contains(t, string(text), hash, name)
	}

	// The ledger of somebody who has no proofs does not show it.
	c = checked(t, q.Dir, recorded, q.PackageOptions)
	require.Len(t, c.Differences, 1)
	require.Contains(t, c.Differences[0], "evidence: 26 of 26 blocks proved up to block 1000")
	require.Contains(t, c.Differences[0], "in the package; recorded (reported by the gateway, not proved) in the ledger")

	// One who has proofs by a higher trusted block shows as much.
	require.NoError(t, verified(t, recorded, proved(t, 2000)).Err())
	c = checked(t, q.Dir, recorded, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Len(t, c.Notes, 2, "on the earlier version, and on the evidence")

	// Another trusted block, or more blocks, written into the manifest are found.
	manifest := filepath.Join(q.Dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, bytes.Replace(text, []byte(hash), []byte("0xef09"+hash[6:]), 1), 0o600))
	differences := checked(t, q.Dir, place, q.PackageOptions).Differences
	require.Len(t, differences, 2)
	require.Contains(t, differences[0], "changes.json differs")
	require.Contains(t, differences[1], "evidence: 26 of 26 blocks")
}
