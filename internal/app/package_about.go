package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/jsonscan"
)

// aboutFile is the statement of how the package was made, for people. The manifest has the same for programs.
const aboutFile = "about.txt"

// packageReport is a report of a package.
type packageReport struct {
	by    report.By
	name  string
	forms []string
}

// markedReports are the reports by the user's chart of accounts and tags.
func (x *maker) markedReports() (list []packageReport) {
	forms := []string{"json", "csv", "xlsx"}
	if x.charted.Chart != nil {
		list = append(list, packageReport{report.AccountCode, "account-codes", forms})
	}
	if x.charted.Tags != nil {
		list = append(list, packageReport{report.Tag, "tags", forms})
	}
	return list
}

// makeChart stores the chart of accounts and the tags.
func (x *maker) makeChart() (err error) {
	if x.manifest.Options.Chart {
		if x.charted.Chart, err = keepList(x, FieldChart, x.inputs.Chart, inputChart, chart.Read); err != nil {
			return err
		}
	}
	if x.manifest.Options.Tags {
		x.charted.Tags, err = keepList(x, FieldTags, x.inputs.Tags, inputTags, chart.ReadTags)
	}
	return err
}

// makeAbout makes the statement of how the package was made, which contains nothing that needs a gateway, and the cover.
func (x *maker) makeAbout(ctx context.Context) error {
	if err := errors.Join(x.makeActs(ctx), x.readTrail(ctx)); err != nil || !x.manifest.Options.About {
		return err
	}
	a, err := x.aboutPackage(ctx)
	if err != nil {
		return err
	}
	if err := x.draft.Add(aboutFile, a.Write); err != nil {
		return err
	}
	x.takeOver()
	return x.draft.Add(CoverFile, func(w io.Writer) error { return x.writeCover(w, a) })
}

// aboutPackage states how the package was made.
func (x *maker) aboutPackage(ctx context.Context) (*closing.About, error) {
	m := &x.manifest
	asked := m.Period
	a := &closing.About{
		Title: "close package, fees of " + m.Network + ", " + asked.Name(), Tool: cmp.Or(x.tool, m.Tool), Command: "fees close --check .",
		Network: m.Network, Genesis: m.Genesis, Evidence: m.Evidence.String(), Period: asked.Name(), Timezone: asked.Timezone, From: asked.From, Before: asked.Before,
		Missing: asked.Missing, Blocks: m.Blocks, Accounts: m.Accounts,
		Notes: []string{"run in the directory of the package, fees close --check . makes every file again from inputs/ and a ledger, and compares it; the ledger may come from another source", "manifest.json has the SHA-256 of every file"},
	}
	var err error
	if a.First, a.Last, err = x.timesOf(ctx, x.span()); err != nil {
		return nil, err
	}
	if a.Filters, err = parametersOf(&m.Options); err != nil {
		return nil, err
	}
	for _, f := range x.draft.Files() {
		if name, isInput := strings.CutPrefix(f.Name, "inputs/"); isInput { // networks.json may be an earlier version with the same figures
			a.Inputs = append(a.Inputs, closing.Input{Name: strings.TrimSuffix(name, ".csv"), Path: f.Name, SHA256: f.SHA256})
		}
	}
	a.Trail = fmt.Sprintf("%s; keep %v elsewhere", console.Counted(m.Trail.Lines, "line"), m.Trail)
	t := &m.Totals
	token := console.Token(x.network.Token())
	a.Totals = totalPairs(t.EVM+t.Native, chain.Some(t.Fee), t.Charged, token)
	a.Notes = append(a.Notes, t.AssetFees.Notes(token.Amount)...)
	return a, nil
}

// parametersOf lists the options of a package as names and values.
func parametersOf(o *closing.Options) (list []string, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	options, err := jsonscan.Parse(string(text))
	if err != nil {
		return nil, err
	}
	for name, value := range options.Members() {
		if value.Kind() != jsonscan.Null {
			list = append(list, strings.ReplaceAll(name, "_", " ")+" "+strings.Trim(value.Raw(), `"`))
		}
	}
	return list, nil
}
