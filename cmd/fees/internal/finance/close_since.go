package finance

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/plain"
)

// writeSince lists what changed since the package of the month or year before, if there is one.
func (f *closeFlags) writeSince(c *cobra.Command, now *closing.Package) error {
	before, err := f.before(now)
	if f.since == "" && err != nil { // the list is optional
		before, err = nil, nil
	}
	if err != nil || len(before) == 0 {
		return err
	}
	page := console.NewPage(c.OutOrStdout(), cli.WidthOf(c.OutOrStdout()))
	if len(before) > 1 {
		page.Line(fmt.Sprintf("%d packages of %s are beside this one; name one with --since to list what changed", len(before), before[0].Manifest.Period.Name()), 2)
		return page.Flush()
	}
	since, err := closing.CompareInputs(before[0], now)
	switch {
	case err == nil:
		writeChanges(page, &since)
	case f.since == "":
		page.Line(fmt.Sprintf("not compared with %s: %v", before[0].Manifest.Period.Name(), err), 2)
	default:
		return fmt.Errorf("--since: %w", err)
	}
	return page.Flush()
}

// before returns the package of --since, or those of the month or year before that are beside this one.
func (f *closeFlags) before(now *closing.Package) ([]*closing.Package, error) {
	if f.since == "" {
		return closing.FindBefore(now)
	}
	p, err := closing.OpenBefore(f.since)
	if err != nil {
		return nil, fmt.Errorf("--since: %w", err)
	}
	return []*closing.Package{p}, nil
}

// writeChanges lists changes of inputs and options.
func writeChanges(page *console.Page, s *closing.Since) {
	if s.None() {
		page.Line(fmt.Sprintf("Inputs and options are those of %s (%s)", s.Period, plain.Line(s.Dir)), 2)
		page.WriteString("\n")
		return
	}
	page.Line(fmt.Sprintf("Changes of inputs and options since %s (%s)", s.Period, plain.Line(s.Dir)), 2)
	for _, o := range s.Options {
		page.Line(fmt.Sprintf("  %s: %s, before %s", plain.Line(o.Name), shownValue(o.New), shownValue(o.Old)), 4)
	}
	for _, in := range s.Inputs {
		page.Line("  "+plain.Line(in.Name)+": "+howChanged(&in), 4)
		for _, line := range in.Removed {
			page.Line("    - "+line, 6)
		}
		for _, line := range in.Added {
			page.Line("    + "+line, 6)
		}
		if in.More > 0 {
			page.Line(fmt.Sprintf("    and %s more", console.Counted(in.More, "line")), 6)
		}
	}
	page.WriteString("\n")
}

// howChanged describes the change of an input with both of its hashes.
func howChanged(in *closing.InputChange) string {
	switch {
	case in.Old == "":
		return "new, SHA-256 " + in.New
	case in.New == "":
		return "no longer used, before SHA-256 " + in.Old
	}
	return "SHA-256 " + in.New + ", before " + in.Old
}

// maxValue limits the columns of an option's value.
const maxValue = 200

func shownValue(value []byte) string {
	text := plain.Line(string(value))
	if text == "" || text == "null" {
		return "nothing"
	}
	return console.Cut(text, maxValue)
}
