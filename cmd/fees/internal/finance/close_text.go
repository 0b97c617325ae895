package finance

import (
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/closing"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/console"
)

// writeClosed says what was closed.
func writeClosed(w io.Writer, p *desk.Closed) error {
	if err := writePackage(w, p.Package, p.Symbol); err != nil {
		return err
	}
	said := "nothing has changed: every byte is the same"
	switch {
	case p.Changed && p.Manifest.Version == 1:
		said = "made"
	case p.Changed:
		said = fmt.Sprintf("made as version %d: %s says what changed, versions/%d is as it was", p.Manifest.Version, closing.ChangesFile, p.Manifest.Version-1)
	}
	writeVouched(w, p.Signatures, p.Stamp)
	tell(w, unproved(p.Signatures, p.Stamp, desk.Vouchers{}))
	if p.Unsigned {
		fmt.Fprintf(w, "not signed: version %d was, and --sign signs this one\n", p.Manifest.Version-1)
	}
	if p.Unstamped {
		fmt.Fprintf(w, "no timestamp: version %d had one, and --timestamp asks for this one's\n", p.Manifest.Version-1)
	}
	_, err := fmt.Fprintln(w, said)
	return err
}

// writePackage shows a package in some lines.
func writePackage(w io.Writer, p *closing.Package, symbol string) error {
	m := p.Manifest
	var out strings.Builder
	fmt.Fprintf(&out, "Package of %s, %s, %s, version %d\n\n", console.Printable(m.Period.Name()), console.Printable(m.Period.Timezone), console.Printable(m.Network), m.Version)
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&out, "%-14s %s\n", name, console.Printable(fmt.Sprintf(format, values...)))
	}
	sealed := "final and sealed"
	if !m.Blocks.Final {
		sealed = "NOT all final and sealed"
	}
	line("blocks", "%d..%d, %d, %s", m.Blocks.First, m.Blocks.Last, m.Blocks.Count, sealed)
	if end := m.Period.ChainEnd; end != nil {
		line("chain's end", "block %d, %s: nothing comes after it", end.Block, end.Hash)
	}
	line("evidence", "%v", m.Evidence)
	for _, lack := range m.Period.Missing {
		line("PARTIAL", "it lacks %s", lack)
	}
	line("accounts", "%d", len(m.Accounts))
	line("transactions", "%d evm, %d native", m.Totals.EVM, m.Totals.Native)
	for _, total := range []struct {
		name   string
		amount chain.Optional[chain.Wei]
	}{{"fee", chain.Some(m.Totals.Fee)}, {"charged", m.Totals.Charged}} {
		text := cli.NotKnown
		if wei, known := total.amount.Get(); known {
			text = strings.TrimSpace(console.Scaled(wei, console.TokenDecimals) + " " + symbol)
		}
		line(total.name, "%s", text)
	}
	f := m.Findings
	for _, n := range []struct {
		name  string
		count uint64
	}{
		{"checks that do not hold", f.Checks}, {"undetermined fees", f.Undetermined}, {"drifts", f.Drifts},
		{"events not understood", f.Unclassified}, {"statements that do not hold", f.Statements}, {"rollforwards that do not close", f.Rollforward},
		{"journals that cannot be made", f.Journal}, {"differences to the books", f.Differences},
	} {
		if n.count > 0 {
			line("FINDING", "%s: %d", n.name, n.count)
		}
	}
	for _, what := range m.LeftOut {
		line("left out", "%s", what)
	}
	line("files", "%d", len(m.Files))
	for _, file := range m.Files {
		line("", "%s", file.Name)
	}
	line("seal", "%s", m.Blocks.Seal)
	line("manifest", "%s (SHA-256: note it elsewhere)", p.Sum)
	_, err := io.WriteString(w, out.String()+"\n")
	return err
}

// writeChecked says what came of the check of a package.
func writeChecked(w io.Writer, dir string, c *desk.PackageCheck, v desk.Vouchers) error {
	if len(c.Damage) > 0 {
		tell(w, c.Damage)
		return fmt.Errorf("%w: %s: %d problems", closing.ErrDamaged, dir, len(c.Damage))
	}
	wrong := unproved(c.Signatures, c.Stamp, v)
	if len(c.Differences)+len(wrong) > 0 {
		tell(w, c.Differences)
		if len(c.Differences) > 0 {
			fmt.Fprintf(w, "%s is not what today's ledger gives: %d differences\n", dir, len(c.Differences))
		}
		tell(w, wrong)
		return cli.ErrFinding
	}
	if err := writePackage(w, c.Package, c.Symbol); err != nil {
		return err
	}
	writeVouched(w, c.Signatures, c.Stamp)
	for _, note := range c.Notes {
		fmt.Fprintln(w, "note: "+console.Printable(note))
	}
	proved, as := "proved", "as it was written, and as today's ledger gives it"
	if c.Part {
		proved = "proved but for what was not compared"
	}
	if c.Alone {
		as = "as the manifest has it"
	}
	_, err := fmt.Fprintf(w, "%s: every file is %s\n", proved, as)
	return err
}

func tell(w io.Writer, list []string) {
	for _, line := range list {
		fmt.Fprintln(w, console.Printable(line))
	}
}
