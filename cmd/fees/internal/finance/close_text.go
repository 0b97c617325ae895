package finance

import (
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
)

// writeClosed says what was closed.
func writeClosed(w io.Writer, p *app.Closed) error {
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
	tell(w, unproved(p.Signatures, p.Stamp, app.Vouchers{}))
	if p.Unsigned {
		say(w, fmt.Sprintf("not signed: version %d was, and --sign signs this one", p.Manifest.Version-1))
	}
	if p.Unstamped {
		say(w, fmt.Sprintf("no timestamp: version %d had one, and --timestamp asks for this one's", p.Manifest.Version-1))
	}
	return say(w, said)
}

// writePackage shows a package in some lines.
func writePackage(w io.Writer, p *closing.Package, symbol string) error {
	m := p.Manifest
	page := console.NewPage(w, cli.WidthOf(w))
	page.Line(fmt.Sprintf("Package of %s, %s, %s, version %d", m.Period.Name(), m.Period.Timezone, m.Network, m.Version), 2)
	page.WriteString("\n")
	var pairs console.Pairs
	line := func(name, format string, values ...any) { pairs.Add(name, fmt.Sprintf(format, values...)) }
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
	for what, count := range m.Findings.Counts {
		line("FINDING", "%s: %d", what, count)
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
	page.Pairs(pairs)
	page.WriteString("\n")
	return page.Flush()
}

// writeChecked says what came of the check of a package.
func writeChecked(w io.Writer, dir string, c *app.PackageCheck, v app.Vouchers) error {
	if c.OwnTables != "" {
		say(w, c.OwnTables)
	}
	if v.Signers == nil && len(c.Signatures) == 0 {
		say(w, notSigned)
	}
	writeVouched(w, c.Signatures, c.Stamp)
	if len(c.Damage) > 0 {
		tell(w, c.Damage)
		return fmt.Errorf("%w: %s: %s", closing.ErrDamaged, dir, console.Counted(len(c.Damage), "problem"))
	}
	wrong := unproved(c.Signatures, c.Stamp, v)
	if len(c.Differences)+len(wrong) > 0 {
		tell(w, c.Differences)
		if len(c.Differences) > 0 {
			say(w, fmt.Sprintf("%s is not what today's ledger gives: %s", dir, console.Counted(len(c.Differences), "difference")))
		}
		tell(w, wrong)
		return cli.ErrFinding
	}
	if err := writePackage(w, c.Package, c.Symbol); err != nil {
		return err
	}
	for _, note := range c.Notes {
		say(w, "note: "+note)
	}
	proved, as := "proved", "as it was written, and as today's ledger gives it"
	if c.Part {
		proved = "proved but for what was not compared"
	}
	if c.Alone {
		as = "as the manifest has it"
	}
	return say(w, fmt.Sprintf("%s: every file is %s", proved, as))
}

func tell(w io.Writer, list []string) {
	for _, line := range list {
		say(w, line)
	}
}

// say writes a line in as many columns as there are.
func say(w io.Writer, line string) error {
	page := console.NewPage(w, cli.WidthOf(w))
	page.Line(line, 2)
	return page.Flush()
}
