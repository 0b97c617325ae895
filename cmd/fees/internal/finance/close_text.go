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

// writeClosed writes the result of closing.
func writeClosed(w io.Writer, p *app.Closed) error {
	if err := writePackage(w, p.Package, p.Token); err != nil {
		return err
	}
	if p.Record != "" {
		say(w, fmt.Sprintf("record of fees: %s, kept from the version before; leave it out with --drop record", p.Record))
	}
	if len(p.Journals) > 0 {
		say(w, fmt.Sprintf("journals: %s, kept from the version before; name others with --as", strings.Join(p.Journals, ", ")))
	}
	result := "unchanged: every byte is the same"
	switch {
	case p.Changed && p.Manifest.Version == 1:
		result = "created"
	case p.Changed:
		result = fmt.Sprintf("created version %d: see %s for the changes; the old version is in versions/%d", p.Manifest.Version, closing.ChangesFile, p.Manifest.Version-1)
	}
	writeVouched(w, p.Signatures, p.Stamp)
	sayAll(w, unproved(p.Signatures, p.Stamp, app.Vouchers{}))
	if p.Unsigned {
		say(w, fmt.Sprintf("not signed, but version %d was; sign this one with --sign", p.Manifest.Version-1))
	}
	if p.Unstamped {
		say(w, fmt.Sprintf("no timestamp, but version %d had one; get one with --timestamp", p.Manifest.Version-1))
	}
	return say(w, result)
}

// writePackage writes a summary of a package.
func writePackage(w io.Writer, p *closing.Package, token console.Token) error {
	m := p.Manifest
	page := console.NewPage(w, cli.WidthOf(w))
	page.Line(fmt.Sprintf("Package of %s, %s, %s, version %d", console.PeriodName(m.Period.Name()), m.Period.Timezone, m.Network, m.Version), 2)
	page.WriteString("\n")
	var pairs console.Pairs
	line := func(name, format string, values ...any) { pairs.Add(name, fmt.Sprintf(format, values...)) }
	sealed := "final and sealed"
	if !m.Blocks.Final {
		sealed = "not all final and sealed"
	}
	line("blocks", "%d..%d, %d, %s", m.Blocks.First, m.Blocks.Last, m.Blocks.Count, sealed)
	if end := m.Period.ChainEnd; end != nil {
		line("chain's end", "block %d, %s: the last block of the chain", end.Block, end.Hash)
	}
	line("evidence", "%v", m.Evidence)
	for _, lack := range m.Period.Missing {
		line("known part", "missing: %s", lack)
	}
	line("accounts", "%d", len(m.Accounts))
	line("transactions", "%d evm, %d native", m.Totals.EVM, m.Totals.Native)
	for _, total := range []struct {
		name   string
		amount chain.Optional[chain.Wei]
	}{{"fee", chain.Some(m.Totals.Fee)}, {"charged", m.Totals.Charged}} {
		text := cli.NotKnown
		if wei, known := total.amount.Get(); known {
			text = strings.TrimSpace(token.Tokens(wei) + " " + token.Symbol)
		}
		line(total.name, "%s", text)
	}
	for _, note := range m.Totals.AssetFees.Notes(token.Amount) {
		line("fees in assets", "%s", note)
	}
	for what, count := range m.Findings.Counts {
		line("finding", "%s: %d", what, count)
	}
	for _, what := range m.LeftOut {
		line("left out", "%s", what)
	}
	line("files", "%d", len(m.Files))
	for _, file := range m.Files {
		line("", "%s", file.Name)
	}
	line("seal", "%s", m.Blocks.Seal)
	line("audit trail", "%v (keep a copy elsewhere)", m.Trail)
	line("manifest", "%s (SHA-256; keep a copy elsewhere)", p.Sum)
	page.Pairs(pairs)
	page.WriteString("\n")
	return page.Flush()
}

// writeChecked writes the result of checking a package. If some of it was not compared, that is an error unless the check
// was offline, except for an audit trail that the ledger has lost.
func writeChecked(w io.Writer, dir string, c *app.PackageCheck, v app.Vouchers, offline bool) error {
	if c.OwnTables != "" {
		say(w, c.OwnTables)
	}
	if v.Signers == nil && len(c.Signatures) == 0 {
		say(w, notSigned)
	}
	writeVouched(w, c.Signatures, c.Stamp)
	if len(c.Damage) > 0 {
		sayAll(w, c.Damage)
		return fmt.Errorf("%w: %s: %s", closing.ErrDamaged, dir, console.Counted(len(c.Damage), "problem"))
	}
	from, of := "today's ledger", ""
	if c.Archived {
		from = "the archive"
	}
	if m := c.Manifest; m.Version > 1 { // which says nothing about the earlier ones
		of = fmt.Sprintf(" of version %d", m.Version)
	}
	wrong := unproved(c.Signatures, c.Stamp, v)
	if len(c.Differences)+len(wrong) > 0 {
		sayAll(w, c.Differences)
		if len(c.Differences) > 0 {
			say(w, fmt.Sprintf("%s differs from %s: %s", dir, from, console.Counted(len(c.Differences), "difference")))
		}
		sayAll(w, wrong)
		return cli.ErrFinding
	}
	if err := writePackage(w, c.Package, c.Token); err != nil {
		return err
	}
	for _, note := range c.Notes {
		say(w, "note: "+note)
	}
	if !c.Partly() {
		return say(w, "verified: every file"+of+" is unchanged and the same as from "+from)
	}
	for _, what := range c.NotCompared {
		say(w, "not compared: "+what)
	}
	others := "the other files" + of + " are unchanged and the same as from " + from
	if c.Alone {
		others = "the files" + of + " have the SHA-256 of the manifest"
	}
	if err := say(w, "partly verified: "+others); err != nil || offline && !c.TrailLost {
		return err
	}
	advice := "Name the gateway, and the ledger with its audit trail"
	if !c.TrailLost {
		advice += ", or add --offline if this is wanted"
	}
	return fmt.Errorf("%w: %s. %s", app.ErrPartly, strings.Join(c.NotCompared, ", "), advice)
}

// sayAll writes lines.
func sayAll(w io.Writer, list []string) {
	for _, line := range list {
		say(w, line)
	}
}

// say writes a line, wrapped to the width.
func say(w io.Writer, line string) error {
	page := console.NewPage(w, cli.WidthOf(w))
	page.Line(line, 2)
	return page.Flush()
}
