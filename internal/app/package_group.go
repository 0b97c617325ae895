package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
)

// groupTotals is the table of a group's chains, for people. It is beside [closing.GroupFile] and [CoverFile].
const groupTotals = "totals.csv"

// groupFiles are the files of a group beside the packages.
var groupFiles = []string{closing.GroupFile, groupTotals, CoverFile}

// Group is what the packages of several chains state together.
type Group struct {
	*closing.Group
	Sum     string // SHA-256 of its file
	Changed bool   // its file was written
	tokens  []console.Token
}

// DivideGroup divides a request for packages between ledgers of several chains: each package gets the accounts,
// the labels and the prices that fit its chain, and its own directory. The notes name the accounts that fit only some.
func DivideGroup(ctx context.Context, ledgers []*Ledger, q PackageRequest) (parts []Part, list []PackageRequest, notes []string, err error) {
	var common Request
	if common.Period, err = q.PeriodInput.Parse(); err != nil {
		return nil, nil, nil, err
	}
	chosen, err := q.Labels.Choose(q.Accounts)
	if err != nil {
		return nil, nil, nil, err
	}
	common.Accounts, common.Labels = chosen.Accounts, chosen.Labels
	if parts, notes, err = Divide(ctx, ledgers, common, q.Prices); err != nil {
		return nil, nil, nil, err
	}
	for i := range parts {
		p := &parts[i]
		if slices.ContainsFunc(parts[:i], func(other Part) bool { return other.Network == p.Network }) {
			return nil, nil, nil, notUnderstood("two chains are called %s, and their packages would have one directory. Name the chains differently in %v", p.Network, FieldNetworkFile)
		}
		one := q
		one.Dir, one.Accounts, one.Labels = filepath.Join(q.Dir, p.Network), nil, nil
		for _, account := range p.Request.Accounts {
			one.Accounts = append(one.Accounts, account.String())
		}
		if p.Request.Labels != nil {
			one.Labels = &AddressBook{Book: p.Request.Labels}
			if q.Labels != nil {
				one.Labels.Path = q.Labels.Path
			}
		}
		if one.Prices.Files, err = q.Prices.Of(p.Request.Prices); err != nil {
			return nil, nil, nil, err
		}
		if p.Request.Prices != nil {
			one.Prices.Fiat = string(p.Request.Prices.Currency)
		}
		n, err := p.Ledger.Network(ctx)
		if err != nil {
			return nil, nil, nil, err
		}
		if isBuiltIn(n) { // the file is of another chain
			one.Networks = ""
		}
		list = append(list, one)
	}
	return parts, list, notes, nil
}

// isBuiltIn reports whether a network has the built-in table.
func isBuiltIn(n *network.Network) bool {
	own, known := network.BuiltIn().Named(n.Name)
	if !known {
		return false
	}
	var texts [2]bytes.Buffer
	err := errors.Join(writeTable(&texts[0], n), writeTable(&texts[1], own))
	return err == nil && bytes.Equal(texts[0].Bytes(), texts[1].Bytes())
}

// PrepareGroup creates the directory of a group, unless it is there. It must contain nothing else.
func PrepareGroup(dir string, parts []Part) error {
	networks := make([]string, len(parts))
	for i, p := range parts {
		networks[i] = p.Network
	}
	others, err := notInGroup(dir, networks)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Mkdir(dir, 0o777)
	case err != nil:
		return err
	case len(others) > 0:
		return notUnderstood("%s contains %s, which is not of these chains. Name the ledgers of all chains of the group, or another directory", dir, others[0])
	}
	return nil
}

// notInGroup lists what a directory contains besides the packages of some networks, what a killed process left of them, and the
// files of a group.
func notInGroup(dir string, networks []string) (others []string, err error) {
	if err := disk.CheckDirectory(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name, of := e.Name(), strings.TrimSuffix(e.Name(), ".closing")
		left := slices.ContainsFunc(groupFiles, func(file string) bool { return strings.HasPrefix(name, file+".") && strings.HasSuffix(name, ".tmp") })
		if !slices.Contains(networks, of) && !slices.Contains(groupFiles, name) && !left {
			others = append(others, plain.Line(name))
		}
	}
	return others, err
}

// MakeGroup writes the files of a group about the packages in its directory, the one that names the manifests last.
func MakeGroup(dir string, networks []string) (*Group, error) {
	packages := make([]*closing.Package, len(networks))
	for i, name := range slices.Sorted(slices.Values(networks)) {
		var err error
		if packages[i], err = closing.Open(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	g, err := groupOf(packages)
	if err != nil {
		return nil, err
	}
	files, err := g.files()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{groupTotals, CoverFile, closing.GroupFile} {
		path := filepath.Join(dir, name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, files[name]) {
			continue
		}
		g.Changed = true
		err := disk.Replace(path, 0o666, func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// files returns the files of a group, by name.
func (g *Group) files() (files map[string][]byte, err error) {
	var totals, cover bytes.Buffer
	if err := errors.Join(table.WriteCSV(&totals, g.sheet()), g.writeCover(&cover)); err != nil {
		return nil, err
	}
	files = map[string][]byte{groupTotals: totals.Bytes(), CoverFile: cover.Bytes()}
	files[closing.GroupFile], g.Sum, err = g.Encode()
	return files, err
}

// groupOf returns what packages state together. They must be of one period and have values in one currency.
func groupOf(packages []*closing.Package) (*Group, error) {
	first := packages[0].Manifest
	g := &Group{Group: &closing.Group{Month: first.Period.Month, Year: first.Period.Year, Timezone: first.Period.Timezone, Company: first.Options.Company, Notes: []string{}}}
	if first.Options.Prices != nil {
		g.Currency = first.Options.Prices.Currency
	}
	for _, p := range packages {
		link, token, err := linkOf(p, g.Group)
		if err != nil {
			return nil, err
		}
		for _, note := range p.Manifest.Totals.AssetFees.Notes(token.Amount) {
			g.Notes = append(g.Notes, link.Network+": "+note)
		}
		g.Chains, g.tokens = append(g.Chains, *link), append(g.tokens, token)
		g.Company = cmp.Or(g.Company, p.Manifest.Options.Company)
	}
	if g.Currency == "" {
		g.Notes = append(g.Notes, noTotal)
		return g, nil
	}
	for _, x := range []struct {
		what string
		sum  *chain.Optional[string]
		of   func(*closing.Values) chain.Optional[string]
	}{
		{"fees charged", &g.Total.Charged, func(v *closing.Values) chain.Optional[string] { return v.Charged }},
		{"opening balances", &g.Total.Opening, func(v *closing.Values) chain.Optional[string] { return v.Opening }},
		{"valuation difference", &g.Total.ValuationDifference, func(v *closing.Values) chain.Optional[string] { return v.ValuationDifference }},
		{"closing balances", &g.Total.Closing, func(v *closing.Values) chain.Optional[string] { return v.Closing }},
	} {
		if err := g.addUp(x.what, x.sum, x.of); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// addUp adds up rounded values of all chains. The sum is not known if one is unknown, or of part of the period.
func (g *Group) addUp(what string, to *chain.Optional[string], of func(*closing.Values) chain.Optional[string]) error {
	sum := money.NothingIn(money.Currency(g.Currency))
	for i := range g.Chains {
		link := &g.Chains[i]
		text, known := of(&link.Values).Get()
		if !known || !link.Complete {
			why := "not known"
			if !link.Complete {
				why = "of part of the period"
			}
			g.Notes = append(g.Notes, fmt.Sprintf("%s: the total is not known: that of %s is %s", what, link.Network, why))
			return nil
		}
		value, err := money.ParseAmount(text, sum.Currency())
		if err != nil {
			return fmt.Errorf("%w: %s: %w", closing.ErrDamaged, link.Path, err)
		}
		sum = sum.Add(value)
	}
	*to = chain.Some(sum.String())
	return nil
}

// linkOf returns what a package states, for a group of its period and currency.
func linkOf(p *closing.Package, g *closing.Group) (_ *closing.Link, token console.Token, err error) {
	m := p.Manifest
	if m.Period.Name() != g.Period() || m.Period.Timezone != g.Timezone {
		return nil, token, fmt.Errorf("%w: %s is of %s in %s, the group of %s in %s", closing.ErrOtherPeriod, p.Dir, m.Period.Name(), m.Period.Timezone, g.Period(), g.Timezone)
	}
	currency := ""
	if m.Options.Prices != nil {
		currency = m.Options.Prices.Currency
	}
	if currency != g.Currency {
		return nil, token, notUnderstood("%s has values in %s, and another chain has them in %s. Close all chains with prices in one currency", p.Dir, cmp.Or(currency, "no currency"), cmp.Or(g.Currency, "no currency"))
	}
	tables, err := (&PackageCheck{Package: p}).tables()
	if err != nil {
		return nil, token, err
	}
	n, known := tables.Named(m.Network)
	if !known {
		return nil, token, fmt.Errorf("%w: %s has no table of %s", closing.ErrDamaged, p.Dir, m.Network)
	}
	token = console.Token(n.Token())
	name := filepath.Base(p.Dir)
	link := &closing.Link{
		Network: m.Network, Token: token.Symbol, Path: name, Version: m.Version, Manifest: p.Sum, Seal: m.Blocks.Seal, Complete: m.Period.Complete, Charged: m.Totals.Charged, Findings: m.Findings,
	}
	if m.Network != name {
		return nil, token, fmt.Errorf("%w: %s is of %s", closing.ErrOtherPeriod, p.Dir, m.Network)
	}
	if currency != "" {
		if link.Values, err = valuesOf(p, money.Currency(currency)); err != nil {
			return nil, token, err
		}
	}
	if m.Options.Reconciliation != nil {
		link.Reconciliation = &closing.Verdict{}
		err = readStated(p, ReconciliationFile, link.Reconciliation)
	}
	return link, token, err
}

// valuesOf returns the values that a package states: of the fees in its report, of the balances in its manifest.
func valuesOf(p *closing.Package, currency money.Currency) (v closing.Values, err error) {
	var report struct {
		Totals map[string]json.RawMessage `json:"totals"`
	}
	if err := readStated(p, "report.json", &report); err != nil {
		return v, err
	}
	undetermined := string(report.Totals["undetermined"])
	if value, has := report.Totals["charged_"+currency.Suffix()]; has && undetermined == "0" {
		if err := json.Unmarshal(value, &v.Charged); err != nil {
			return v, fmt.Errorf("%w: %s: report.json: %w", closing.ErrDamaged, p.Dir, err)
		}
	}
	for _, f := range p.Manifest.Figures {
		switch f.Name {
		case "opening":
			v.Opening = f.Value
		case valuationFigure:
			v.ValuationDifference = f.Value
		case "closing":
			v.Closing = f.Value
		}
	}
	return v, nil
}

// readStated reads what a JSON file of a package states.
func readStated(p *closing.Package, name string, into any) error {
	file, err := os.Open(filepath.Join(p.Dir, name))
	if err == nil {
		defer file.Close()
		err = json.NewDecoder(file).Decode(into)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %s: %w", closing.ErrDamaged, p.Dir, name, err)
	}
	return nil
}

// sheet is the table of the chains, with the total if there are values.
func (g *Group) sheet() *table.Sheet {
	s := &table.Sheet{Name: "totals", Title: "Fees and balances", Notes: g.Notes}
	names := []string{"network", "token", "charged"}
	if g.Currency != "" {
		for _, name := range []string{"charged", "opening", valuationFigure, "closing"} {
			names = append(names, name+"_"+money.Currency(g.Currency).Suffix())
		}
	}
	for _, name := range append(names, "reconciliation") {
		s.Columns = append(s.Columns, table.Column{Name: name, Kind: table.Text})
	}
	var rows [][]any
	add := func(network, token, charged, verdict string, v *closing.Values) {
		row := []any{network, token, charged}
		if g.Currency != "" {
			for _, value := range []chain.Optional[string]{v.Charged, v.Opening, v.ValuationDifference, v.Closing} {
				row = append(row, shownValue(value))
			}
		}
		rows = append(rows, append(row, verdict))
	}
	for i := range g.Chains {
		link := &g.Chains[i]
		charged := unknownValue
		if wei, known := link.Charged.Get(); known {
			charged = console.Plain(g.tokens[i].Tokens(wei))
		}
		add(link.Network, link.Token, charged, verdictOf(link), &link.Values)
	}
	if g.Currency != "" {
		add("total", "", "", "", &g.Total)
	}
	s.Rows = rowsOf(rows, func(row []any) []any { return row })
	return s
}

// verdictOf returns the verdict on the record of a chain.
func verdictOf(link *closing.Link) string {
	if link.Reconciliation == nil {
		return "no record compared"
	}
	return plain.Line(link.Reconciliation.Headline)
}

// unknownValue stands for a value that is not known.
const unknownValue = "not known"

func shownValue(value chain.Optional[string]) string {
	if text, known := value.Get(); known {
		return text
	}
	return unknownValue
}

// Write writes the group for people.
func (g *Group) Write(w io.Writer, width int) error {
	s := g.sheet()
	s.Title = fmt.Sprintf("Packages of %d chains, %s, %s", len(g.Chains), console.PeriodName(g.Period()), g.Timezone)
	return table.WriteTable(w, s, width)
}

// writeCover writes the cover of a group: the table of its chains, and what identifies their packages.
func (g *Group) writeCover(w io.Writer) error {
	s := statement.Without(g.sheet(), "reconciliation") // which is below
	s.Above = &table.Above{}
	facts := &s.Above.Facts
	facts.Add("Company", cmp.Or(plain.Line(g.Company), "not stated"))
	facts.Add("Period", console.PeriodName(g.Period())+", "+g.Timezone)
	if g.Currency != "" {
		facts.Add("Currency", g.Currency)
	}
	identity := &table.Sheet{Name: "packages", Title: "Packages", Columns: []table.Column{{Name: "network", Kind: table.Text}, {Name: "item", Kind: table.Text}, {Name: "value", Kind: table.Text}}}
	var rows [][]any
	for i := range g.Chains {
		link := &g.Chains[i]
		findings := "none"
		if !link.Findings.None() {
			findings = "see the cover of " + link.Path
		}
		for _, row := range [][2]string{
			{"package", fmt.Sprintf("%s, version %d", link.Path, link.Version)}, {"manifest", link.Manifest}, {"seal", cmp.Or(link.Seal, "none, because not all blocks are sealed")}, {"reconciliation", verdictOf(link)}, {"findings", findings},
		} {
			rows = append(rows, []any{link.Network, row[0], row[1]})
		}
	}
	identity.Rows = rowsOf(rows, func(row []any) []any { return row })
	return table.WritePDF(w, table.Paper{
		Size: pdf.Size(PaperSizes[0]), Title: fmt.Sprintf("Close packages of %d chains, %s", len(g.Chains), console.PeriodName(g.Period())), Sign: true, Portrait: true,
		Footer: []string{console.PeriodName(g.Period()) + ", " + g.Timezone, closing.GroupFile + " has the figures and the SHA-256 of each manifest"},
	}, s, identity)
}

// CheckGroup compares a group with the packages in its directory, by their manifests: each package is checked by itself, with
// [CheckPackage]. It lists what differs.
func CheckGroup(dir string, named *closing.Group) (*Group, []string, error) {
	g := &Group{Group: named}
	var networks, wrong []string
	for _, link := range named.Chains {
		networks = append(networks, link.Network)
	}
	others, err := notInGroup(dir, networks)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range others {
		wrong = append(wrong, name+" is not in the group")
	}
	var packages []*closing.Package
	for i := range named.Chains {
		link := &named.Chains[i]
		path := filepath.Join(dir, link.Path)
		if err := closing.Mend(path); err != nil {
			return nil, nil, err
		}
		p, err := closing.Open(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, link.Path+" is missing")
			continue
		case err != nil:
			wrong = append(wrong, err.Error())
			continue
		case p.Sum != link.Manifest && p.Manifest.Version > link.Version:
			wrong = append(wrong, fmt.Sprintf("%s is newer than the group: version %d, and %s names version %d; close all chains again to renew the group", link.Path, p.Manifest.Version, closing.GroupFile, link.Version))
		case p.Sum != link.Manifest:
			wrong = append(wrong, fmt.Sprintf("%s is not the package that %s names: its manifest has another SHA-256", link.Path, closing.GroupFile))
		}
		packages = append(packages, p)
	}
	if len(wrong) > len(others) { // there is no more to compare with
		_, g.Sum, err = g.Encode()
		return g, wrong, err
	}
	made, err := groupOf(packages)
	if err != nil {
		return g, append(wrong, err.Error()), nil
	}
	files, err := made.files()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range groupFiles {
		have, err := disk.ReadSmall(filepath.Join(dir, name), int64(len(files[name]))+1<<20)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			wrong = append(wrong, name+" is missing")
		case err != nil || !bytes.Equal(have, files[name]):
			wrong = append(wrong, name+" is not what follows from the packages"+differing(name, named, made.Group))
		}
	}
	return made, wrong, nil
}

// differing names what differs between a group and what follows from its packages, for its own file.
func differing(name string, have, want *closing.Group) string {
	if name != closing.GroupFile {
		return ""
	}
	var what []string
	for i := range want.Chains {
		if !sameJSON(have.Chains[i], want.Chains[i]) {
			what = append(what, want.Chains[i].Network)
		}
	}
	if !sameJSON(have.Total, want.Total) {
		what = append(what, "total")
	}
	if len(what) == 0 {
		return ""
	}
	return ": " + strings.Join(what, ", ")
}

func sameJSON(a, b any) bool {
	x, wrong := json.Marshal(a)
	y, too := json.Marshal(b)
	return wrong == nil && too == nil && bytes.Equal(x, y)
}
