package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/web/users"
	"github.com/feeledger/fees/source"
)

// preparedDir is the directory, among the packages, of those that are not closed yet. A shelf does not list it.
const preparedDir = ".prepared"

var errNoClosing = &problem{http.StatusNotFound, "Not found", "This server does not close packages. Start it with fees serve --close."}

// closes reports whether packages are prepared, reviewed and closed here.
func (s *server) closes() bool {
	return s.Closes && s.OpenTrail != nil && s.Open != nil && s.Users != nil && s.Packages != ""
}

// actor returns the user of a request with the roles of the file of users.
func (s *server) actor(r *http.Request) app.Actor {
	name := s.owner(r)
	return app.Actor{Name: name, Preparer: s.Users.Is(name, users.Preparer), Reviewer: s.Users.Is(name, users.Reviewer)}
}

// packageName returns the directory name of a period's package: 2026-01, or 2026-01-Europe-Berlin.
func (s *server) packageName(period, zone string) string {
	name := period
	if zone != "UTC" {
		name += "-" + strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '+' || r == '_' {
				return r
			}
			return '-'
		}, zone)
	}
	if s.base != "" { // the ledgers share the directory
		name = s.base[1:] + "-" + name
	}
	return name
}

// jobKey identifies the background work on a package that is not closed yet.
func (s *server) jobKey(name string) string { return "close\n" + s.base + "\n" + name }

// maxCloseForm limits the form of a package: a list of accounts may be long.
const maxCloseForm = maxForm

// preparePackage starts to make a package for review.
func (s *server) preparePackage(w http.ResponseWriter, r *http.Request) error {
	if !s.closes() {
		return errNoClosing
	}
	fields, err := s.fields(w, r, maxCloseForm)
	if err != nil {
		return err
	}
	by := s.actor(r)
	sc := scope{Period: fields.Get("period"), Zone: fields.Get("zone"), Accounts: fields.Get("accounts")}
	if sc.Partial, err = ticked(fields, "partial"); err != nil {
		return err
	}
	q, act, err := s.packageRequest(&sc, fields.Get("journal"))
	if err != nil {
		return err
	}
	act.User, act.Kind, act.Comment = by.Name, ledger.Prepared, commentIn(fields)
	if err := act.Check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	trail, err := s.Ledger.Book.Trail(ctx)
	if err != nil {
		return err
	}
	if err := app.RoundOf(trail, act.Period, act.Zone).Allows(by, act.Kind, act.Manifest); err != nil {
		return err
	}
	period, err := sc.period()
	if err != nil {
		return err
	}
	if _, err := s.Ledger.Held(ctx, period); err != nil {
		return err
	}
	if err = s.packageRecord(r.WithContext(ctx), &sc, fields, q); err != nil {
		return err
	}
	name := s.packageName(act.Period, act.Zone)
	q.Dir = filepath.Join(s.Packages, preparedDir, name)
	if q.Before, _, err = s.lastPackage(ctx, act.Period, act.Zone); err != nil {
		return err
	}
	work := func(ctx context.Context, show func(done, total uint64)) (string, error) {
		return "prepared", s.makePrepared(ctx, *q, by, act, show)
	}
	return s.startJob(w, r, name, work)
}

// packageRequest returns the request for a package, and the beginning of an act about it.
func (s *server) packageRequest(sc *scope, program string) (q *app.PackageRequest, act ledger.Act, err error) {
	in := sc.input()
	if in.Month == "" && in.Year == "" {
		return nil, act, invalidRequest("period: packages are of a month or a year, such as 2026-01 or 2026.")
	}
	period, err := in.Parse()
	if err != nil {
		return nil, act, err
	}
	chosen, err := s.choose(sc.list())
	if err != nil {
		return nil, act, err
	}
	if len(chosen.Accounts) == 0 {
		return nil, act, invalidRequest("accounts: name the accounts of the package, such as %sNAME.", app.GroupPrefix)
	}
	if err := app.OneOf("journal", program, app.ProgramNames()...); err != nil {
		return nil, act, err
	}
	in.Timezone = period.Zone.String()
	act.Period, act.Zone = in.Month+in.Year, in.Timezone
	q = &app.PackageRequest{PeriodInput: in, Journal: program, With: app.WithFees, Proved: s.balances() != nil}
	q.Labels = s.labels()
	for _, a := range chosen.Accounts { // addresses only: a text could name a file of the server
		q.Accounts = append(q.Accounts, a.String())
	}
	return q, act, nil
}

// startJob starts work on a package that is not closed yet, and redirects to its page.
func (s *server) startJob(w http.ResponseWriter, r *http.Request, name string, work func(context.Context, func(done, total uint64)) (string, error)) error {
	started := s.start(s.jobKey(name), func(ctx context.Context, show func(done, total uint64)) (string, []string) {
		state, err := work(ctx, show)
		if err == nil {
			return state, nil
		}
		if ctx.Err() != nil {
			return checkFailed, []string{"The work was stopped before it finished. Nothing was recorded."}
		}
		s.Log.Error("package not closed", "error", err.Error())
		line := strings.ReplaceAll(s.actProblem(ctx, err).Detail, filepath.Clean(s.Packages)+string(os.PathSeparator), "")
		line = strings.ReplaceAll(line, string(app.FieldDrop)+" "+app.DropAcceptances, "“"+dropLabel+"”")
		return checkFailed, []string{line}
	})
	if !started {
		return &problem{http.StatusConflict, "Busy", "Another package is being prepared, closed or checked. Wait until that ends."}
	}
	s.seeOther(w, r, "close/"+url.PathEscape(name))
	return nil
}

// actProblem converts an error of an act for the user.
func (s *server) actProblem(ctx context.Context, err error) *problem {
	if errors.Is(err, ledger.ErrLocked) {
		return &problem{http.StatusServiceUnavailable, "Busy", "Another program is changing this ledger. Nothing was recorded. Try again in a moment."}
	}
	return problemOf(ctx, err, maxCheckTime)
}

// packageOptions returns the options that prepared and closed packages share.
func (s *server) packageOptions(show func(done, total uint64)) app.PackageOptions {
	return app.PackageOptions{Program: s.Program, Progress: app.Progress{Show: show}, Balances: func() (source.Source, error) {
		if from := s.balances(); from != nil {
			return from, nil
		}
		return nil, fmt.Errorf("%w: the server has no source of balances", app.ErrUnanswered)
	}}
}

// makePrepared makes a package for review, and records that.
func (s *server) makePrepared(ctx context.Context, q app.PackageRequest, by app.Actor, act ledger.Act, show func(done, total uint64)) error {
	if err := os.MkdirAll(filepath.Dir(q.Dir), 0o777); err != nil { // minus the umask
		return err
	}
	d, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer d.Close()
	q.PackageOptions = s.packageOptions(show)
	made, err := d.MakePackage(ctx, q)
	if err != nil {
		return err
	}
	if err := act.Manifest.UnmarshalText([]byte(made.Sum)); err != nil {
		return err
	}
	_, err = s.record(ctx, by, act, new(app.Review))
	return err
}

// errRecorded reports that the last act of the trail is the same.
var errRecorded = errors.New("recorded already")

// record appends an act to the ledger's audit trail if the user may do it now, and returns the round with it. Another
// program may write blocks meanwhile.
func (s *server) record(ctx context.Context, by app.Actor, act ledger.Act, review *app.Review) (round app.Round, err error) {
	act, err = s.appendAct(ctx, act, func(trail []ledger.Act) error {
		round = app.RoundOf(trail, act.Period, act.Zone)
		if last := round.Last(); act.Kind == ledger.Prepared && last.Kind == act.Kind && last.User == act.User && last.Manifest == act.Manifest {
			return errRecorded
		}
		return review.Allows(trail, by, &act)
	})
	if errors.Is(err, errRecorded) {
		return round, nil
	}
	return append(round, act), err
}

// appendAct appends an act to the ledger's audit trail unless allow, which may be nil, returns an error.
func (s *server) appendAct(ctx context.Context, act ledger.Act, allow func(trail []ledger.Act) error) (ledger.Act, error) {
	acts := []ledger.Act{act}
	err := s.appendActs(ctx, acts, allow)
	return acts[0], err
}

// appendActs appends acts like appendAct: all of them, or none. They get their time, number and digest.
func (s *server) appendActs(ctx context.Context, acts []ledger.Act, allow func(trail []ledger.Act) error) (err error) {
	d, err := s.OpenTrail(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	now, err := chain.TimeAt(uint64(time.Now().UnixMilli()))
	if err != nil {
		return err
	}
	for i := range acts {
		acts[i].Time = now
	}
	recorded, err := d.Book.RecordAll(ctx, acts, allow)
	copy(acts, recorded)
	return err
}

// openPrepared opens a package that is not closed yet.
func (s *server) openPrepared(name string) (shelf *closing.Shelf, p *closing.Placed, err error) {
	if !s.closes() {
		return nil, nil, errNoClosing
	}
	if shelf, err = closing.OpenShelf(filepath.Join(s.Packages, preparedDir)); err != nil {
		return nil, nil, packageTrouble(fs.ErrNotExist)
	}
	if p, err = shelf.Open(name, 0); err == nil && (p.Manifest.Network != s.Network || name != s.packageName(p.Manifest.Period.Name(), p.Manifest.Period.Timezone)) {
		p.Close()
		err = fs.ErrNotExist
	}
	if err != nil {
		shelf.Close()
		return nil, nil, packageTrouble(err)
	}
	return shelf, p, nil
}

// round returns the last round of a package's period.
func (s *server) round(ctx context.Context, m *closing.Manifest) (app.Round, error) {
	trail, err := s.Ledger.Book.Trail(ctx)
	return app.RoundOf(trail, m.Period.Name(), m.Period.Timezone), err
}

// doAct records what a user does with a prepared package; closing it also makes the final one.
func (s *server) doAct(w http.ResponseWriter, r *http.Request) error {
	if !s.closes() {
		return errNoClosing
	}
	fields, err := s.fields(w, r, maxCloseForm)
	if err != nil {
		return err
	}
	by, name := s.actor(r), r.PathValue("name")
	if !by.Preparer && !by.Reviewer { // whatever exists
		return &app.ForbiddenError{Message: "Only preparers and reviewers may do this."}
	}
	shelf, p, err := s.openPrepared(name)
	if err != nil {
		return err
	}
	defer shelf.Close()
	defer p.Close()
	act := ledger.Act{User: by.Name, Kind: ledger.ActKind(fields.Get("act")), Period: p.Manifest.Period.Name(), Zone: p.Manifest.Period.Timezone, Comment: commentIn(fields)}
	if act.Kind == ledger.Prepared {
		return invalidRequest("act: prepare a package with its own form.")
	}
	if err := act.Check(); err != nil {
		return err
	}
	if err := act.Manifest.UnmarshalText([]byte(fields.Get("manifest"))); err != nil {
		return invalidRequest("manifest: %v.", err)
	}
	switch {
	case act.Comment != "":
	case act.Kind == ledger.Returned:
		return invalidRequest("comment: say what the preparer should change.")
	case act.Kind == ledger.Answered:
		return invalidRequest("comment: write the answer.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	review, err := s.review(ctx, shelf, p)
	if err != nil {
		return err
	}
	trail, err := s.Ledger.Book.Trail(ctx)
	if err != nil {
		return err
	}
	if err := review.Allows(trail, by, &act); err != nil {
		return err
	}
	if act.Kind != ledger.Answered && act.Manifest.String() != p.Sum {
		return &app.StaleError{Message: "The package was prepared again since the page was shown. This is the new one: look at it again."}
	}
	if act.Kind == ledger.Closed {
		return s.startClosing(w, r, p, by, act, review)
	}
	if act.Kind == ledger.Approved {
		if err := s.Ledger.Unchanged(ctx, p.Manifest); err != nil {
			return err
		}
	}
	if _, err := s.record(ctx, by, act, review); err != nil {
		if errors.Is(err, ledger.ErrLocked) {
			return s.actProblem(ctx, err)
		}
		return err
	}
	s.Log.Info("act recorded", "user", by.Name, "act", string(act.Kind), "package", name)
	s.seeOther(w, r, "close/"+url.PathEscape(name))
	return nil
}

// startClosing starts to make the final package. Its closing is recorded when everything in it equals the prepared one.
func (s *server) startClosing(w http.ResponseWriter, r *http.Request, p *closing.Placed, by app.Actor, act ledger.Act, review *app.Review) error {
	target, err := s.closedName(r.Context(), act.Period, act.Zone)
	if err != nil {
		return err
	}
	target = cmp.Or(target, p.Name)
	m, name, prepared, dir := p.Manifest, p.Name, p.Dir, filepath.Join(s.Packages, target)
	return s.startJob(w, r, name, func(ctx context.Context, show func(done, total uint64)) (string, error) {
		d, err := s.Open(ctx)
		if err != nil {
			return "", err
		}
		defer d.Close()
		_, err = d.ClosePrepared(ctx, prepared, dir, s.packageOptions(show), func(ctx context.Context) ([]ledger.Act, error) {
			if round, err := s.round(ctx, m); err != nil || round.State() == ledger.Closed { // of an interrupted closing
				return round, err
			}
			return s.record(ctx, by, act, review)
		})
		if err != nil {
			return "", err
		}
		s.checks.change(s.jobKey(name), func(c *check) { c.Made = target })
		if err := errors.Join(os.RemoveAll(prepared), s.forgetPeriod(m)); err != nil { // the package is closed all the same
			s.Log.Error("clean-up after closing", "package", name, "error", err.Error())
		}
		return "closed", nil
	})
}

// closingPage is the page of the packages to prepare, review or close.
type closingPage struct {
	frame
	figures
	tables
	Form *form // nil if the user cannot prepare one
}

func (p *closingPage) main() g.Node {
	return p.body(p.Form.node(), p.notices.node(), p.figures.node(), p.related(), p.tables.node(), p.notesList())
}

// closePage shows the form to prepare a package, and those that wait.
func (s *server) closePage(w http.ResponseWriter, r *http.Request) error {
	if !s.closes() {
		return errNoClosing
	}
	sc, err := readScope(r.URL.RawQuery, closeParameters...)
	if err != nil {
		return err
	}
	trail, err := s.Ledger.Book.Trail(r.Context())
	if err != nil {
		return err
	}
	v := &closingPage{frame: frame{Title: "Close a period", Path: "packages", Lead: "A preparer makes a package, another user reviews it, and one of them closes it. Every act is kept in the ledger's audit trail."}}
	if s.actor(r).Preparer {
		asked := s.ofCompany(sc)
		v.Form = &form{Action: "close", Button: "Prepare", Fields: asked.controls("The accounts of the package")}
		journal := ofOptions("journal", "Journal for", sc.own.Get("journal"), "", app.ProgramNames()...)
		if journal.Value != "" { // also one that was refused
			journal = journal.chosen()
		}
		v.Form.Fields = append(v.Form.Fields, journal, commentControl(sc.own.Get("comment")))
		if err := s.addRecord(v, r, &sc); err != nil {
			return err
		}
		s.postForm(r, v.Form)
	} else {
		v.Notes = []string{"Only preparers can prepare packages. The administrator of this server assigns the role."}
	}
	v.Facts = append(v.Facts, textFact("audit trail, to keep elsewhere", ledger.HeadOf(trail).String()))
	v.Tables = []*tabular{s.waitingTable(trail)}
	s.render(w, r, http.StatusOK, v)
	return nil
}

// commentIn returns the comment of a form, whose lines become one.
func commentIn(fields url.Values) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ").Replace(fields.Get("comment")))
}

func commentControl(typed string) control {
	return control{Name: "comment", Label: "Comment", Kind: "area", Value: plain.Line(typed), Hint: fmt.Sprintf("one line of up to %d characters, kept for good", ledger.MaxComment)}
}

// waitingTable lists the packages that wait for their next act.
func (s *server) waitingTable(trail []ledger.Act) *tabular {
	t := &tabular{Title: "Packages to review or close", Heads: heads("package", "state", "by", "time", "comment"), None: "No packages to review or close."}
	seen := map[string]bool{}
	for _, a := range slices.Backward(trail) {
		name := s.packageName(a.Period, a.Zone)
		if a.Kind == ledger.Labelled || seen[name] {
			continue
		}
		seen[name] = true
		round := app.RoundOf(trail, a.Period, a.Zone)
		if !round.Open() {
			continue
		}
		a = round.Last()
		t.Rows = append(t.Rows, []cell{{Text: periodIn(a.Period, a.Zone), To: "close/" + url.PathEscape(name)}, {Text: string(a.Kind)}, {Text: a.User}, timeCell(a.Time), {Text: a.Comment}})
	}
	return t
}

// periodIn names a period for people, and its time zone unless that is UTC.
func periodIn(period, zone string) string {
	if zone == "UTC" {
		return console.PeriodName(period)
	}
	return console.PeriodName(period) + ", " + zone
}

// timeCell returns a time to the second, with the exact one on hover.
func timeCell(t chain.Time) cell {
	return cell{Text: timeIn(time.UTC, t.Std()) + " UTC", Time: t.String()}
}

// actTable lists the acts of a package.
func actTable(acts []ledger.Act) *tabular {
	t := &tabular{Title: "Who did what", Heads: heads("time", "user", "what", "comment", "manifest, SHA-256", "audit trail")}
	for _, a := range acts {
		t.Rows = append(t.Rows, []cell{timeCell(a.Time), {Text: a.User}, {Text: string(a.Kind)}, {Text: a.Comment}, {Text: console.Ends(a.Manifest.String(), 6), Class: "hex"}, {Text: fmt.Sprintf("line %d", a.Number)}})
	}
	return t
}

// packageActs returns the acts that a closed package contains; none for one that was closed on the command line.
func packageActs(ctx context.Context, p *closing.Placed) ([]ledger.Act, error) {
	if !p.Manifest.Options.Acts {
		return nil, nil
	}
	var text bytes.Buffer
	if err := p.Copy(ctx, app.ActsFile, &text); err != nil {
		return nil, packageTrouble(err)
	}
	acts, err := app.ReadActs(text.Bytes())
	if err != nil {
		return nil, packageTrouble(err)
	}
	return acts, nil
}
