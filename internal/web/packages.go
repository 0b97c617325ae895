package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// closed is a package in the list.
type closed struct {
	Name     string `json:"name"`  // of the directory
	Wrong    string `json:"wrong"` // why it cannot be read; all else is then unknown
	*summary        // nil if it cannot be read
	Check    *check `json:"check"` // nil if this server has made none
}

// summary contains the manifest's entries for the list.
type summary struct {
	Network  string                    `json:"network"`
	Period   closing.Period            `json:"period"`
	Version  int                       `json:"version"`
	Evidence string                    `json:"evidence"`
	EVM      uint64                    `json:"evm_transactions"`
	Native   uint64                    `json:"native_transactions"`
	Fee      chain.Wei                 `json:"fee"`
	Charged  chain.Optional[chain.Wei] `json:"charged"`
	Findings closing.Findings          `json:"findings"`
	Sum      string                    `json:"manifest_sha256"`
	Written  time.Time                 `json:"written"` // modification time of the manifest

	accounts             []closing.Account
	balances, reconciled bool // with proved statements; with a compared record
}

func summaryOf(p *closing.Placed) *summary {
	m := p.Manifest
	return &summary{
		m.Network, m.Period, m.Version, m.Evidence.String(), m.Totals.EVM, m.Totals.Native, m.Totals.Fee, m.Totals.Charged, m.Findings, p.Sum,
		p.Written.UTC().Truncate(time.Second), m.Accounts, m.Options.Balances, m.Options.Reconciliation != nil,
	}
}

// packageCache holds the packages as last read, by name.
type packageCache struct {
	mu   sync.Mutex
	seen map[string]cached
}

type cached struct {
	state string
	closed
	none bool // not a package
}

var errNoPackages = &problem{http.StatusNotFound, "Not found", "This server has no package directory. Start it with fees serve --packages DIR."}

// overviewPackages lists the packages for the overview. They change independently of the ledger.
func (s *server) overviewPackages(ctx context.Context, v *frame) (list []closed, err error) {
	if s.Packages == "" {
		return nil, nil
	}
	v.Unsealed = true
	list, _, err = s.listPackages(ctx)
	var own *problem
	if errors.As(err, &own) {
		v.Warnings = append(v.Warnings, own.Detail)
		return nil, nil
	}
	return list, err
}

// shelf opens the package directory.
func (s *server) shelf() (*closing.Shelf, error) {
	if s.Packages == "" {
		return nil, errNoPackages
	}
	shelf, err := closing.OpenShelf(s.Packages)
	if err != nil {
		s.Log.Error("packages", "error", err.Error())
		return nil, &problem{http.StatusServiceUnavailable, "Packages not available", "The package directory cannot be read. See the server log for the cause."}
	}
	return shelf, nil
}

// listPackages lists the packages of the ledger's network, newest first, with notes on what it leaves
// out.
func (s *server) listPackages(ctx context.Context) (list []closed, notes []string, err error) {
	shelf, err := s.shelf()
	if err != nil {
		return nil, nil, err
	}
	defer shelf.Close()
	names, strange, more, err := shelf.Names()
	if err != nil {
		return nil, nil, err
	}
	s.shown.mu.Lock()
	defer s.shown.mu.Unlock()
	seen, others := map[string]cached{}, 0
	if s.shown.seen == nil {
		s.shown.seen = map[string]cached{}
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		c, known := s.shown.seen[name]
		if state := shelf.State(name); !known || c.state != state {
			c = readClosed(shelf, name)
			c.state = state
			s.shown.seen[name] = c // even if the request times out before all are read
		}
		seen[name] = c
		if c.none {
			strange++
			continue
		}
		if c.summary != nil && c.Network != s.Network {
			others++
			continue
		}
		one := c.closed
		if one.summary != nil {
			one.Check = s.checks.of(s.checkKey(name, one.Sum))
		}
		list = append(list, one)
	}
	s.shown.seen = seen
	slices.SortStableFunc(list, func(a, b closed) int {
		return cmp.Or(cmp.Compare(b.from(), a.from()), cmp.Compare(b.Name, a.Name))
	})
	if others > 0 {
		notes = append(notes, fmt.Sprintf("%s of other networks %s not listed.", console.Counted(others, "package"), console.Verb(others, "is", "are")))
	}
	if strange > 0 {
		notes = append(notes, fmt.Sprintf("%s without a package %s not listed.", console.Counted(strange, "folder"), console.Verb(strange, "is", "are")))
	}
	if more {
		notes = append(notes, "The list is limited to the last packages by name.")
	}
	return list, notes, nil
}

// from returns the start of the period, or "" if unknown, which sorts last.
func (c *closed) from() string {
	if c.summary == nil {
		return ""
	}
	return c.Period.From
}

// readClosed reads a package for the list.
func readClosed(shelf *closing.Shelf, name string) cached {
	p, err := shelf.Open(name, 0)
	if err != nil {
		return cached{closed: closed{Name: name, Wrong: packageTrouble(err).Detail}, none: errors.Is(err, closing.ErrNone)}
	}
	defer p.Close()
	return cached{closed: closed{Name: name, summary: summaryOf(p)}}
}

// packageTrouble converts a package's error for the client.
func packageTrouble(err error) *problem {
	var own *problem
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, closing.ErrDamaged):
		return &problem{http.StatusConflict, "Package damaged", plain.Line(err.Error()) + ". Run fees close --check for details."}
	case errors.Is(err, fs.ErrNotExist):
		return &problem{http.StatusNotFound, "Not found", "This package, version or file does not exist."}
	case errors.Is(err, closing.ErrNone):
		return &problem{http.StatusNotFound, "Not found", "This directory does not contain a close package."}
	}
	return &problem{http.StatusConflict, "Package not readable", "The server cannot read this package. Run fees close --check there for details."}
}

// packagesPage is the list of packages.
type packagesPage struct {
	frame
	tables
}

func (p *packagesPage) main() g.Node {
	return p.body(p.notices.node(), p.related(), p.tables.node(), p.notesList())
}

// packageList lists the packages.
func (s *server) packageList(w http.ResponseWriter, r *http.Request) error {
	list, notes, err := s.listPackages(r.Context())
	if err != nil {
		return err
	}
	token, err := s.Ledger.Token(r.Context())
	if err != nil {
		return err
	}
	v := &packagesPage{frame: frame{Title: "Packages", Path: "packages"}}
	create := s.closeCommand("2026-01")
	v.Lead = "Close packages, created with fees close and checked here against the ledger."
	if s.closes() {
		v.Links = []link{{"Prepare, review or close a package", "close"}}
	}
	if len(list) == 0 {
		v.Lead, v.Remedy = "No close packages yet. Create them with fees close.", create
	} else {
		notes = append(notes, "To close a month, run: "+create)
	}
	v.Notes = notes
	t := &tabular{Heads: heads("package", "period", "check", "version", "findings", "fees, "+token.Symbol, "charged, "+token.Symbol, "evidence", "manifest", "written, UTC")}
	t.Heads[5].Class, t.Heads[6].Class = "figure", "figure"
	for i := range list {
		c := &list[i]
		if c.summary == nil {
			row := make([]cell, len(t.Heads))
			row[0], row[2] = cell{Text: plain.Line(c.Name)}, cell{Text: c.Wrong, Class: "bad"}
			t.Rows = append(t.Rows, row)
			continue
		}
		period := dayNames(c.Period.Name())
		if !c.Period.Complete {
			period += ", partial"
		}
		version := fmt.Sprint(c.Version)
		if c.Version > 1 {
			version += fmt.Sprintf(", %d earlier", c.Version-1)
		}
		t.Rows = append(t.Rows, []cell{
			{Text: plain.Line(c.Name), To: "packages/" + url.PathEscape(c.Name)}, {Text: period + ", " + c.Period.Timezone, To: feesOf(c.Period, c.accounts)}, c.Check.cell(), {Text: version}, findingsOf(c.Findings),
			wei(token, chain.Some(c.Fee)), wei(token, c.Charged), {Text: c.Evidence}, {Text: console.Ends(c.Sum, 6), Class: "hex"}, {Text: timeIn(time.UTC, c.Written), Time: c.Written.Format(time.RFC3339)},
		})
	}
	if len(list) > 0 {
		v.Tables = []*tabular{t}
	}
	s.render(w, r, http.StatusOK, v)
	return nil
}

func heads(names ...string) (list []cell) {
	for _, name := range names {
		list = append(list, cell{Text: strings.TrimSpace(name)})
	}
	return list
}

// wei returns an amount in the token as a cell.
func wei(token console.Token, o chain.Optional[chain.Wei]) cell {
	return amountCell(o, token, cell{Text: notKnown, Class: "bad figure"})
}

// maxLinked limits the accounts of a package that are listed in a URL.
const maxLinked = 20

// feesOf returns the page of the fees of a package's period, limited to its accounts if they are few.
func feesOf(p closing.Period, accounts []closing.Account) string {
	return "fees" + scopeOf(p, accounts).query(nil)
}

// scopeOf returns the scope of a package's period, limited to accounts if they are few. It states all, so that nothing of
// the page's own scope is added.
func scopeOf(p closing.Period, accounts []closing.Account) *scope {
	sc := &scope{Period: p.Name(), Partial: !p.Complete, Zone: p.Timezone, Accounts: everyone}
	if len(accounts) <= maxLinked {
		sc.Accounts = accountList(accounts)
	}
	return sc
}

func accountList(accounts []closing.Account) string {
	var list []string
	for _, a := range accounts {
		list = append(list, a.Address)
	}
	return strings.Join(list, ",")
}

func findingsOf(f closing.Findings) cell {
	var said []string
	for what, count := range f.Counts {
		said = append(said, fmt.Sprintf("%s: %d", what, count))
	}
	switch {
	case len(said) == 0:
		return cell{Text: "none", Class: "ok"}
	case f.None() && f.InAssets > 0:
		return cell{Text: strings.Join(said, ", ")}
	case f.None():
		return cell{Text: strings.Join(said, ", "), Class: "ok"}
	}
	return cell{Text: strings.Join(said, ", "), Class: "bad"}
}

// placed opens the package named by a path, or a version of it.
func (s *server) placed(r *http.Request) (shelf *closing.Shelf, p *closing.Placed, err error) {
	version := 0
	if text := r.PathValue("version"); text != "" {
		number, found := strings.CutPrefix(text, "v")
		if version, err = strconv.Atoi(number); !found || err != nil || version < 1 || strconv.Itoa(version) != number {
			return nil, nil, packageTrouble(fs.ErrNotExist)
		}
	}
	if shelf, err = s.shelf(); err != nil {
		return nil, nil, err
	}
	if p, err = shelf.Open(r.PathValue("package"), version); err == nil && p.Manifest.Network != s.Network {
		p.Close()
		err = &problem{http.StatusNotFound, "Not found", fmt.Sprintf("This package belongs to %s, but the ledger to %s.", plain.Line(p.Manifest.Network), s.Network)}
	}
	if err != nil {
		shelf.Close()
		return nil, nil, packageTrouble(err)
	}
	return shelf, p, nil
}

// packageHandler handles a request about an open package.
type packageHandler = func(*server, http.ResponseWriter, *http.Request, *closing.Shelf, *closing.Placed) error

// ofPackage wraps a handler of a package.
func ofPackage(ask packageHandler) endpoint {
	return opened((*server).placed, ask)
}

// ofPrepared wraps a handler of a package that is not closed yet.
func ofPrepared(ask packageHandler) endpoint {
	return opened(func(s *server, r *http.Request) (*closing.Shelf, *closing.Placed, error) {
		return s.openPrepared(r.PathValue("name"))
	}, ask)
}

func opened(open func(*server, *http.Request) (*closing.Shelf, *closing.Placed, error), ask packageHandler) endpoint {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		shelf, p, err := open(s, r)
		if err != nil {
			return err
		}
		defer shelf.Close()
		defer p.Close()
		return ask(s, w, r, shelf, p)
	}
}

// maxVersions limits the versions listed.
const maxVersions = 20

// version is a version of a package.
type version struct {
	Version int    `json:"version"`
	Sum     string `json:"manifest_sha256"`
	Wrong   string `json:"wrong"` // why it cannot be read, "" if it can
}

// versionsOf returns a package's versions from the given one back, and the changes of the given one from its
// predecessor, or nil.
func versionsOf(ctx context.Context, shelf *closing.Shelf, p *closing.Placed) (list []version, changes *closing.Changes, err error) {
	list = append(list, version{Version: p.Manifest.Version, Sum: p.Sum})
	for at := p; len(list) < maxVersions; {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		before, err := shelf.Before(at)
		if before == nil && err == nil {
			break
		}
		if err != nil {
			return append(list, version{Version: at.Manifest.Version - 1, Wrong: packageTrouble(err).Detail}), changes, nil
		}
		defer before.Close()
		if at == p {
			compared, err := closing.Compare(before.Manifest, p.Manifest)
			if err != nil {
				return nil, nil, err
			}
			changes = &compared
		}
		list = append(list, version{Version: before.Manifest.Version, Sum: before.Sum})
		at = before
	}
	return list, changes, nil
}

// packagePage is the page of a package, closed or not.
type packagePage struct {
	frame
	figures
	tables
	Conclusion *conclusion
	Form       *form      // the acts; nil for none
	Side       []*tabular // its files and versions
	Changed    *changed   // since the version before; nil for the first
}

func (p *packagePage) main() g.Node {
	return p.body(p.Conclusion.node(), p.Form.node(), p.notices.node(), twoColumns(p.Side, p.figures.node(), p.related(), p.Changed.node(), p.tables.beside()), p.notesList())
}

// showPackage shows a package, or a version of it.
func (s *server) showPackage(w http.ResponseWriter, r *http.Request, shelf *closing.Shelf, p *closing.Placed) error {
	versions, changes, err := versionsOf(r.Context(), shelf, p)
	if err != nil {
		return err
	}
	token, err := s.Ledger.Token(r.Context())
	if err != nil {
		return err
	}
	m, at := p.Manifest, "packages/"+url.PathEscape(p.Name)
	here := at + "/v" + strconv.Itoa(m.Version)
	v := &packagePage{frame: frame{Title: fmt.Sprintf("Package %s, version %d", console.PeriodName(plain.Line(m.Period.Name())), m.Version), Path: "packages", Command: "fees close --check " + console.Argument(path.Join(s.Packages, p.Name)) + s.gatewayFlag() + s.dataFlag()}}
	v.Lead = fmt.Sprintf("%s, %s. Created by %s.", plain.Line(m.Network), plain.Line(m.Period.Timezone), plain.Line(m.Tool))
	v.Kept = packageScope(r, m.Period)
	sealed := "final and sealed"
	if !m.Blocks.Final {
		sealed = "not all final and sealed"
	}
	v.Facts = []fact{
		textFact("blocks", fmt.Sprintf("%d..%d, %s", m.Blocks.First, m.Blocks.Last, sealed)), {Name: "fees in the ledger", cell: cell{Text: console.PeriodName(m.Period.Name()), To: feesOf(m.Period, m.Accounts)}},
		textFact("evidence", m.Evidence.String()), textFact("accounts", fmt.Sprint(len(m.Accounts))), layersFact("transactions", m.Totals.EVM, m.Totals.Native),
		amount("EVM fees", chain.Some(m.Totals.EVMFee), token), amount("native fees", chain.Some(m.Totals.NativeFee), token), amount("burned", m.Totals.Burned, token), amount(token.TreasuryLabel(), m.Totals.Treasury, token),
		{Name: "findings", cell: findingsOf(m.Findings)}, hash("seal", m.Blocks.Seal), hash("manifest, SHA-256", p.Sum), {Name: "manifest written", cell: cell{Text: timeIn(time.UTC, p.Written) + " UTC", Time: p.Written.UTC().Format(time.RFC3339)}},
	}
	if m.Balances != nil {
		v.Facts = append([]fact{amount("opening balance", chain.Some(m.Balances.Opening), token), amount("closing balance", chain.Some(m.Balances.Closing), token)}, v.Facts...)
	}
	v.Main = feesAndCharge(eachCharged, m.Totals.Fee, m.Totals.Charged, m.Findings.Undetermined+m.Findings.Drifts, token)
	v.Notes = append(m.Totals.AssetFees.Notes(token.Amount), "Record the manifest's SHA-256 in a place that cannot be altered. It covers the whole package.")
	v.Warnings = append(v.Warnings, gapsOf(m)...)
	unread := func(err error) {
		if err != nil {
			v.Warnings = append(v.Warnings, problemOf(r.Context(), err, s.Time).Detail)
		}
	}
	accepted, err := acceptedRows(r.Context(), p)
	unread(err)
	unread(s.addContents(v, r, shelf, p, accepted, here, token))
	acts, err := packageActs(r.Context(), p)
	unread(err)
	v.Conclusion = concluded(m, acts, "", closedBy(acts), "")
	if r.PathValue("version") == "" {
		s.checked(v, r, p, at)
	}
	if len(acts) > 0 {
		v.Tables = append(v.Tables, actTable(acts))
	}
	v.Tables = append(v.Tables, acceptedTable(m, accepted, token, here)...)
	v.Side, v.Primary = []*tabular{versionTable(versions, at), fileTable(m, here)}, zipLink(here)
	if changes != nil {
		v.Tables = append(v.Tables, changeTable(changes))
	}
	v.Paper, v.PDF = true, coverLink(m, here)
	v.Sealed = packageFooter(p)
	s.render(w, r, http.StatusOK, v)
	return nil
}

// packageScope returns what the links of a package's page keep: the scope of its address, with the package's period if that
// has none.
func packageScope(r *http.Request, p closing.Period) *scope {
	of := scope{}
	if kept := keptScope(r); kept != nil {
		of = *kept
	}
	if of.Period == "" {
		of.Period, of.Partial = p.Name(), !p.Complete
		if of.Zone == "" && p.Timezone != "UTC" {
			of.Zone = p.Timezone
		}
	}
	return &of
}

// addContents adds what a package contains to its page: the results of its checks, the fees by account and what changed since
// the version before.
func (s *server) addContents(v *packagePage, r *http.Request, shelf *closing.Shelf, p *closing.Placed, accepted []reconcile.AcceptedRow, here string, token console.Token) error {
	checks, err := s.reviewChecks(r.Context(), p, accepted, here)
	if err != nil {
		return err
	}
	v.Tables = append(v.Tables, checks)
	before, err := shelf.Before(p)
	if err != nil {
		before = nil // the list of versions says so
	}
	if before != nil {
		defer before.Close()
		v.Changed = &changed{Title: fmt.Sprintf("What changed since version %d", before.Manifest.Version)}
		if err := v.Changed.since(r.Context(), before, p, accepted, token); err != nil {
			return err
		}
	}
	fees, err := feesTable(r.Context(), p, before, nil, token)
	if err != nil {
		return err
	}
	v.Tables = append(v.Tables, fees)
	return nil
}

// coverLink returns the link to a package's cover; nil if it has none.
func coverLink(m *closing.Manifest, here string) *link {
	if !slices.ContainsFunc(m.Files, func(f closing.File) bool { return f.Name == app.CoverFile }) {
		return nil
	}
	return &link{"Cover (PDF)", here + "/" + app.CoverFile}
}

// packageFooter identifies a package for the foot of its page.
func packageFooter(p *closing.Placed) string {
	m := p.Manifest
	return fmt.Sprintf("%s, %s, %s; seal %s; %v; manifest %s", plain.Line(m.Network), m.Period.Name(), plain.Line(m.Period.Timezone), cmp.Or(m.Blocks.Seal, "none"), m.Evidence, p.Sum)
}

// gapsOf describes what the period and the package lack.
func gapsOf(m *closing.Manifest) (list []string) {
	for _, lack := range m.Period.Missing {
		list = append(list, "Incomplete: missing "+plain.Line(lack)+".")
	}
	for _, what := range m.LeftOut {
		list = append(list, "Left out: "+plain.Line(what)+".")
	}
	return list
}

// fileTable lists the files of a package.
func fileTable(m *closing.Manifest, here string) *tabular {
	t := &tabular{Title: "Files", Heads: heads("file", "bytes", "SHA-256")}
	t.Heads[1].Class = "figure"
	t.Rows = [][]cell{{{Text: closing.ManifestFile, To: here + "/" + closing.ManifestFile}, {}, {}}}
	for _, f := range m.Files {
		to := here
		for part := range strings.SplitSeq(f.Name, "/") {
			to += "/" + url.PathEscape(part)
		}
		t.Rows = append(t.Rows, []cell{{Text: plain.Line(f.Name), To: to}, {Text: fmt.Sprint(f.Size), Class: "figure", Number: true}, {Text: shortSum(f.SHA256), Class: "hex"}})
	}
	return t
}

func versionTable(list []version, at string) *tabular {
	t := &tabular{Title: "Versions", Heads: heads("version", "manifest, SHA-256")}
	for _, v := range list {
		row := []cell{{Text: fmt.Sprint(v.Version), To: fmt.Sprintf("%s/v%d", at, v.Version)}, {Text: v.Sum, Class: "hex"}}
		if v.Wrong != "" {
			row = []cell{{Text: fmt.Sprint(v.Version)}, {Text: v.Wrong, Class: "bad"}}
		}
		t.Rows = append(t.Rows, row)
	}
	if len(list) == maxVersions && list[len(list)-1].Version > 1 {
		t.More = "Older versions are in the package directory."
	}
	return t
}

// changeTable lists the changes from the previous version.
func changeTable(c *closing.Changes) *tabular {
	t := &tabular{Title: fmt.Sprintf("Values and files that differ from version %d", c.Version-1), Heads: heads("item", "before", "now")}
	add := func(name, before, now string) {
		if len(t.Rows) < maxRows {
			t.Rows = append(t.Rows, []cell{{Text: plain.Line(name)}, {Text: cmp.Or(before, "none"), Class: "hex", Number: true}, {Text: cmp.Or(now, "none"), Class: "hex", Number: true}})
		}
	}
	for _, list := range [][]closing.Change{c.Totals, c.Manifest} {
		for _, change := range list {
			before, now := membersOf(change.Old), membersOf(change.New)
			if before == nil || now == nil {
				add(table.Words(change.Name), shortJSON(change.Old), shortJSON(change.New))
				continue
			}
			names := maps.Clone(before)
			maps.Copy(names, now)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if string(before[name]) != string(now[name]) {
					add(table.Words(change.Name+": "+name), shortJSON(before[name]), shortJSON(now[name]))
				}
			}
		}
	}
	for _, f := range c.Files {
		add(f.Name, shortSum(f.Old), shortSum(f.New))
	}
	return t
}

// membersOf returns the members of a JSON object; nil if it is none.
func membersOf(text json.RawMessage) (members map[string]json.RawMessage) {
	if json.Unmarshal(text, &members) != nil {
		return nil
	}
	return members
}

// shortJSON shortens a JSON value for display.
func shortJSON(text json.RawMessage) string {
	if string(text) == "null" {
		return ""
	}
	return shortened(strings.Trim(string(text), `"`))
}

func shortSum(sum string) string {
	if sum == "" {
		return ""
	}
	return console.Ends(plain.Line(sum), 6)
}

// packageFile sends a file of a package after verifying it against the manifest.
func (s *server) packageFile(w http.ResponseWriter, r *http.Request, _ *closing.Shelf, p *closing.Placed) error {
	return s.send(w, r, func(to *answer) error {
		name := r.PathValue("file")
		if to.contentType = contentTypes[strings.TrimPrefix(path.Ext(name), ".")]; to.contentType == "" {
			to.contentType = "application/octet-stream" // never rendered as a page of this server
		}
		if err := p.Copy(r.Context(), name, to); err != nil {
			if r.Context().Err() != nil {
				return err
			}
			return packageTrouble(err)
		}
		return nil
	})
}

// packagesJSON sends the list of packages.
func (s *server) packagesJSON(w http.ResponseWriter, r *http.Request) error {
	list, notes, err := s.listPackages(r.Context())
	if err != nil {
		return err
	}
	return s.send(w, r, func(to *answer) error {
		return jsontext.Write(to, struct {
			Packages []closed `json:"packages"`
			Notes    []string `json:"notes"`
		}{append([]closed{}, list...), append([]string{}, notes...)})
	})
}

// packageJSON sends a package's details.
func (s *server) packageJSON(w http.ResponseWriter, r *http.Request, shelf *closing.Shelf, p *closing.Placed) error {
	versions, changes, err := versionsOf(r.Context(), shelf, p)
	if err != nil {
		return err
	}
	return s.send(w, r, func(to *answer) error {
		return jsontext.Write(to, struct {
			Name     string            `json:"name"`
			Sum      string            `json:"manifest_sha256"`
			Versions []version         `json:"versions"`
			Changes  *closing.Changes  `json:"changes"`
			Check    *check            `json:"check"`
			Manifest *closing.Manifest `json:"manifest"`
		}{p.Name, p.Sum, versions, changes, s.checks.of(s.checkKey(p.Name, p.Sum)), p.Manifest})
	})
}
