package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// closed is a package as the list has it.
type closed struct {
	Name     string `json:"name"`  // of its directory
	Wrong    string `json:"wrong"` // why it cannot be read; nothing else is known then
	*summary        // nil where it cannot
	Check    *check `json:"check"` // nil where this server has made none
}

// summary is what of a manifest the list has.
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
	Written  string                    `json:"written"` // when the manifest's file was

	accounts []closing.Account
}

func summaryOf(p *closing.Placed) *summary {
	m := p.Manifest
	return &summary{
		m.Network, m.Period, m.Version, m.Evidence.String(), m.Totals.EVM, m.Totals.Native, m.Totals.Fee, m.Totals.Charged, m.Findings, p.Sum,
		p.Written.UTC().Format(time.RFC3339), m.Accounts,
	}
}

// packageCache are the packages as they were last seen, by name.
type packageCache struct {
	mu   sync.Mutex
	seen map[string]cached
}

type cached struct {
	state string
	closed
	none bool // it is no package
}

var errNoPackages = &problem{http.StatusNotFound, "Not there", "This server shows no packages: fees serve --packages names the directory that they are in."}

// closedTable is what the cockpit says of the packages. They change without the ledger.
func (s *server) closedTable(ctx context.Context, v *view) error {
	if s.Packages == "" {
		return nil
	}
	v.Unsealed = true
	list, _, err := s.closedMonths(ctx)
	var own *problem
	if errors.As(err, &own) {
		v.Warnings = append(v.Warnings, own.Detail)
		return nil
	}
	if err != nil || len(list) == 0 {
		return err
	}
	t := &tabular{Title: "Closed months", Heads: heads("package", "version", "findings", "check", "manifest, SHA-256")}
	for _, c := range list[:min(len(list), mostOfCockpit)] {
		row := []cell{{Text: console.Printable(c.Name)}, {Text: c.Wrong, Class: "bad"}, {}, {}, {}}
		if c.summary != nil {
			row = []cell{{Text: c.Name, To: "packages/" + url.PathEscape(c.Name)}, {Text: fmt.Sprint(c.Version)}, findingsOf(c.Findings), c.Check.cell(), {Text: c.Sum, Class: "hex"}}
		}
		t.Rows = append(t.Rows, row)
	}
	if more := len(list) - len(t.Rows); more > 0 {
		t.Links = []link{{fmt.Sprintf("%d more", more), "packages"}}
	}
	v.Tables = append(v.Tables, t)
	return nil
}

// mostOfCockpit is how many packages the cockpit shows: those of a year.
const mostOfCockpit = 12

// shelf opens the directory of the packages.
func (s *server) shelf() (*closing.Shelf, error) {
	if s.Packages == "" {
		return nil, errNoPackages
	}
	shelf, err := closing.OpenShelf(s.Packages)
	if err != nil {
		s.Log.Error("packages", "error", err.Error())
		return nil, &problem{http.StatusServiceUnavailable, "Not there now", "The directory of the packages cannot be read: the log of the server says why."}
	}
	return shelf, nil
}

// closedMonths lists the packages of the ledger's network, the newest first, and says what it leaves
// out.
func (s *server) closedMonths(ctx context.Context) (list []closed, notes []string, err error) {
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
			s.shown.seen[name] = c // also where the time is over before all are read
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
		notes = append(notes, fmt.Sprintf("%s of other networks %s there, too.", console.Counted(others, "package"), console.Verb(others, "is", "are")))
	}
	if strange > 0 {
		notes = append(notes, fmt.Sprintf("%s without a package %s not listed.", console.Counted(strange, "folder"), console.Verb(strange, "is", "are")))
	}
	if more {
		notes = append(notes, "There are more packages than are listed: these are the last by name.")
	}
	return list, notes, nil
}

// from is when the period begins, "" where that is not known: these come last.
func (c *closed) from() string {
	if c.summary == nil {
		return ""
	}
	return c.Period.From
}

// readClosed reads a package of the list.
func readClosed(shelf *closing.Shelf, name string) cached {
	p, err := shelf.Open(name, 0)
	if err != nil {
		return cached{closed: closed{Name: name, Wrong: packageTrouble(err).Detail}, none: errors.Is(err, closing.ErrNone)}
	}
	defer p.Close()
	return cached{closed: closed{Name: name, summary: summaryOf(p)}}
}

// packageTrouble is what is wrong with a package, to who asks for it.
func packageTrouble(err error) *problem {
	var own *problem
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, closing.ErrDamaged):
		return &problem{http.StatusConflict, "The package is not what was written", console.Printable(err.Error()) + ": fees close --check says what differs."}
	case errors.Is(err, fs.ErrNotExist):
		return &problem{http.StatusNotFound, "Not there", "There is no such package, version or file."}
	case errors.Is(err, closing.ErrNone):
		return &problem{http.StatusNotFound, "Not there", "This is no package of fees close."}
	}
	return &problem{http.StatusConflict, "The package cannot be read", "It cannot be read on the server's machine: fees close --check says why."}
}

// packageList shows the closed months.
func (s *server) packageList(w http.ResponseWriter, r *http.Request) error {
	list, notes, err := s.closedMonths(r.Context())
	if err != nil {
		return err
	}
	symbol, err := s.Desk.Symbol(r.Context())
	if err != nil {
		return err
	}
	v := &view{Title: "Closed months", Path: "packages"}
	v.Notes = append(notes, "A month is closed by fees close --month 2026-01 --accounts FILE -o "+console.Argument(path.Join(s.Packages, "2026-01"))+s.placeFlag())
	v.Lead = "Packages are made on the command line. They are shown and checked here."
	if len(list) == 0 {
		v.Lead = "No month is closed yet. Packages are made on the command line."
	}
	t := &tabular{Heads: heads("package", "period", "check", "version", "findings", "fees "+symbol, "charged "+symbol, "evidence", "manifest", "written")}
	t.Heads[5].Class, t.Heads[6].Class = "figure", "figure"
	for i := range list {
		c := &list[i]
		if c.summary == nil {
			row := make([]cell, len(t.Heads))
			row[0], row[2] = cell{Text: console.Printable(c.Name)}, cell{Text: c.Wrong, Class: "bad"}
			t.Rows = append(t.Rows, row)
			continue
		}
		period := c.Period.Name()
		if !c.Period.Complete {
			period += ", partial"
		}
		version := fmt.Sprint(c.Version)
		if c.Version > 1 {
			version += fmt.Sprintf(", and %d before", c.Version-1)
		}
		t.Rows = append(t.Rows, []cell{
			{Text: console.Printable(c.Name), To: "packages/" + url.PathEscape(c.Name)}, {Text: period + " " + c.Period.Timezone, To: feesOf(c.Period, c.accounts)}, c.Check.cell(), {Text: version}, findingsOf(c.Findings),
			wei(chain.Some(c.Fee)), wei(c.Charged), {Text: c.Evidence}, {Text: console.Ends(c.Sum, 6), Class: "hex"}, {Text: c.Written},
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

// wei is an amount in the token as a cell.
func wei(o chain.Optional[chain.Wei]) cell {
	amount, known := o.Get()
	if !known {
		return cell{Text: notKnown, Class: "bad figure"}
	}
	return cell{Text: console.Tokens(amount), Exact: amount.String(), Class: "figure"}
}

// mostLinked is how many accounts of a package stand in an address.
const mostLinked = 20

// feesOf is the page of the fees of a package's period, of its accounts where they are few.
func feesOf(p closing.Period, accounts []closing.Account) string {
	sc := scope{Period: p.Name(), Partial: !p.Complete}
	if p.Timezone != "UTC" {
		sc.Zone = p.Timezone
	}
	if len(accounts) <= mostLinked {
		var list []string
		for _, a := range accounts {
			list = append(list, a.Address)
		}
		sc.Accounts = strings.Join(list, ",")
	}
	return "fees" + sc.query(nil)
}

func findingsOf(f closing.Findings) cell {
	var said []string
	for what, count := range f.Counts {
		said = append(said, fmt.Sprintf("%s: %d", what, count))
	}
	if len(said) == 0 {
		return cell{Text: "none", Class: "ok"}
	}
	return cell{Text: strings.Join(said, ", "), Class: "bad"}
}

// placed opens the package that a path names, or a version of it.
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
		err = &problem{http.StatusNotFound, "Not there", fmt.Sprintf("This package is of %s, and the ledger of %s.", console.Printable(p.Manifest.Network), s.Network)}
	}
	if err != nil {
		shelf.Close()
		return nil, nil, packageTrouble(err)
	}
	return shelf, p, nil
}

// ofPackage is an answer about the package that a path names.
func ofPackage(ask func(*server, http.ResponseWriter, *http.Request, *closing.Shelf, *closing.Placed) error) asker {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		shelf, p, err := s.placed(r)
		if err != nil {
			return err
		}
		defer shelf.Close()
		defer p.Close()
		return ask(s, w, r, shelf, p)
	}
}

// mostVersions is how many versions of a package are listed.
const mostVersions = 20

// version is one of a package.
type version struct {
	Version int    `json:"version"`
	Sum     string `json:"manifest_sha256"`
	Wrong   string `json:"wrong"` // why it cannot be read, "" where it can
}

// versionsOf are a package and those before it, and what the first of them has otherwise than the one
// before; nil where there is none.
func versionsOf(ctx context.Context, shelf *closing.Shelf, p *closing.Placed) (list []version, changes *closing.Changes, err error) {
	list = append(list, version{Version: p.Manifest.Version, Sum: p.Sum})
	for at := p; len(list) < mostVersions; {
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

// packagePage shows a package, or a version of it.
func (s *server) packagePage(w http.ResponseWriter, r *http.Request, shelf *closing.Shelf, p *closing.Placed) error {
	versions, changes, err := versionsOf(r.Context(), shelf, p)
	if err != nil {
		return err
	}
	symbol, err := s.Desk.Symbol(r.Context())
	if err != nil {
		return err
	}
	m, at := p.Manifest, "packages/"+url.PathEscape(p.Name)
	here := at + "/v" + strconv.Itoa(m.Version)
	v := &view{Title: fmt.Sprintf("Package of %s, version %d", console.Printable(m.Period.Name()), m.Version), Path: "package", Command: "fees close --check " + console.Argument(path.Join(s.Packages, p.Name)) + s.placeFlag()}
	v.Lead = fmt.Sprintf("%s, %s. Made by %s.", console.Printable(m.Network), console.Printable(m.Period.Timezone), console.Printable(m.Tool))
	sealed := "final and sealed"
	if !m.Blocks.Final {
		sealed = "not all final and sealed"
	}
	v.Facts = []fact{
		plain("blocks", fmt.Sprintf("%d..%d, %s", m.Blocks.First, m.Blocks.Last, sealed)), {Name: "the month in the ledger", cell: cell{Text: m.Period.Name(), To: feesOf(m.Period, m.Accounts)}},
		plain("evidence", m.Evidence.String()), plain("accounts", fmt.Sprint(len(m.Accounts))), plain("transactions", fmt.Sprintf("%d evm, %d native", m.Totals.EVM, m.Totals.Native)),
		amount("fees", chain.Some(m.Totals.Fee), symbol), amount("charged", m.Totals.Charged, symbol), amount("burned", m.Totals.Burned, symbol), amount("treasury", m.Totals.Treasury, symbol),
		{Name: "findings", cell: findingsOf(m.Findings)}, plain("seal", m.Blocks.Seal), plain("manifest, SHA-256", p.Sum), plain("manifest written", p.Written.UTC().Format(time.RFC3339)),
	}
	for _, lack := range m.Period.Missing {
		v.Warnings = append(v.Warnings, "Partial: it lacks "+console.Printable(lack)+".")
	}
	for _, what := range m.LeftOut {
		v.Warnings = append(v.Warnings, "Left out: "+console.Printable(what)+".")
	}
	if r.PathValue("version") == "" {
		s.checked(v, r, p, at)
	}
	v.Tables = append(v.Tables, fileTable(m, here), versionTable(versions, at))
	if changes != nil {
		v.Tables = append(v.Tables, changeTable(changes))
	}
	v.Downloads = []link{{closing.ManifestFile, here + "/" + closing.ManifestFile}}
	v.Notes = []string{"Note the manifest's SHA-256 where nobody can change it: it stands for the whole package."}
	s.render(w, r, http.StatusOK, v)
	return nil
}

// fileTable are the files of a package.
func fileTable(m *closing.Manifest, here string) *tabular {
	t := &tabular{Title: "Files", Heads: heads("file", "bytes", "SHA-256")}
	t.Heads[1].Class = "figure"
	for _, f := range m.Files {
		to := here
		for part := range strings.SplitSeq(f.Name, "/") {
			to += "/" + url.PathEscape(part)
		}
		t.Rows = append(t.Rows, []cell{{Text: console.Printable(f.Name), To: to}, {Text: fmt.Sprint(f.Size), Class: "figure"}, {Text: console.Printable(f.SHA256), Class: "hex"}})
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
	if len(list) == mostVersions && list[len(list)-1].Version > 1 {
		t.More = "Older versions are in the directory."
	}
	return t
}

// changeTable is what a version has otherwise than the one before.
func changeTable(c *closing.Changes) *tabular {
	t := &tabular{Title: fmt.Sprintf("What changed from version %d", c.Version-1), Heads: heads("what", "before", "now")}
	add := func(name, before, now string) {
		if len(t.Rows) < mostRows {
			t.Rows = append(t.Rows, []cell{{Text: console.Printable(name)}, {Text: cmp.Or(before, "none"), Class: "hex"}, {Text: cmp.Or(now, "none"), Class: "hex"}})
		}
	}
	for _, list := range [][]closing.Change{c.Totals, c.Manifest} {
		for _, change := range list {
			add(words(change.Name), shortJSON(change.Old), shortJSON(change.New))
		}
	}
	for _, f := range c.Files {
		add(f.Name, shortSum(f.Old), shortSum(f.New))
	}
	return t
}

// shortJSON is a value as a page shows it.
func shortJSON(text json.RawMessage) string { return shortened(strings.Trim(string(text), `"`)) }

func shortSum(sum string) string {
	if sum == "" {
		return ""
	}
	return console.Ends(console.Printable(sum), 6)
}

// packageFile sends a file of a package once it is known to be what the manifest says.
func (s *server) packageFile(w http.ResponseWriter, r *http.Request, _ *closing.Shelf, p *closing.Placed) error {
	return s.send(w, r, func(to *answer) error {
		name := r.PathValue("file")
		if to.contentType = contentTypes[strings.TrimPrefix(path.Ext(name), ".")]; to.contentType == "" {
			to.contentType = "application/octet-stream" // it is no page of this server
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

// packagesJSON lists the packages for programs.
func (s *server) packagesJSON(w http.ResponseWriter, r *http.Request) error {
	list, notes, err := s.closedMonths(r.Context())
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

// packageJSON is a package for programs.
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
