package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/source"
)

const (
	// mostChecking is how long a check may take.
	mostChecking = time.Hour
	// mostChecks is how many results are kept.
	mostChecks = 1000
	// checkAgain is how soon a page that shows a check asks again, in seconds.
	checkAgain = 5
)

// The states of a check.
const (
	checkRuns    = "runs"
	checkProved  = "proved"
	checkInPart  = "proved but for what was not compared"
	checkDiffers = "not what the ledger gives"
	checkDamaged = "not what was written"
	checkFailed  = "failed"
)

// check is one of a package against the ledger.
type check struct {
	State string     `json:"state"`
	Lines []string   `json:"lines"` // what differs, or was not compared
	Began time.Time  `json:"began"`
	Ended *time.Time `json:"ended"` // nil while it runs
	Done  uint64     `json:"blocks_done"`
	Total uint64     `json:"blocks_total"`
}

// cell is how a check stands.
func (c *check) cell() cell {
	switch {
	case c == nil:
		return cell{Text: "not checked"}
	case c.State == checkRuns:
		return cell{Text: c.progress()}
	case c.State == checkProved || c.State == checkInPart:
		return cell{Text: c.State + " " + c.Ended.UTC().Format(time.RFC3339), Class: "ok"}
	}
	return cell{Text: c.State + " " + c.Ended.UTC().Format(time.RFC3339), Class: "bad"}
}

func (c *check) progress() string {
	if c.Total == 0 {
		return "runs"
	}
	return fmt.Sprintf("runs, %d of %d blocks", c.Done, c.Total)
}

// checks are those that were made since the server began. One runs at a time.
type checks struct {
	mu      sync.Mutex
	running string // the key of that one, "" where none runs
	made    map[string]*check
}

// of is a check by its key, nil where none was made.
func (c *checks) of(key string) *check {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.made[key]
	if found == nil {
		return nil
	}
	copied := *found
	return &copied
}

// begin begins a check, unless one runs.
func (c *checks) begin(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != "" {
		return false
	}
	for old := range c.made { // any of them: it can be made again
		if len(c.made) < mostChecks {
			break
		}
		delete(c.made, old)
	}
	c.running, c.made[key] = key, &check{State: checkRuns, Lines: []string{}, Began: time.Now()}
	return true
}

// change changes the check that runs.
func (c *checks) change(key string, by func(*check)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	by(c.made[key])
}

// end says what came of it.
func (c *checks) end(key, state string, lines []string) {
	now := time.Now()
	c.change(key, func(x *check) { x.State, x.Lines, x.Ended = state, append(x.Lines, lines...), &now })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = ""
}

// checkKey is of a package as it is now, beside a ledger: another manifest has not been checked.
func (s *server) checkKey(name, sum string) string {
	return strings.Join([]string{s.base, name, sum}, "\n")
}

// checked says on a package's page how it was checked, with a button to check it again.
func (s *server) checked(v *view, r *http.Request, p *closing.Placed, at string) {
	c := s.checks.of(s.checkKey(p.Name, p.Sum))
	v.Facts = slices.Insert(v.Facts, 0, fact{Name: "check since the server began", cell: c.cell()})
	if c != nil {
		for _, line := range c.Lines {
			v.Warnings = append(v.Warnings, console.Printable(line))
		}
		if c.State == checkRuns {
			v.Refresh = checkAgain
			return
		}
	}
	if s.Open != nil {
		v.Last = &form{Action: at + "/check", Post: true, Token: s.token(r), Button: "Check again"}
	}
}

// startCheck begins to check a package in the background.
func (s *server) startCheck(w http.ResponseWriter, r *http.Request) error {
	if err := s.guarded(w, r); err != nil {
		return err
	}
	shelf, p, err := s.placed(r)
	if err != nil {
		return err
	}
	defer shelf.Close()
	defer p.Close()
	if s.Open == nil {
		return &problem{http.StatusNotFound, "Not there", "This server checks no packages: fees close --check does."}
	}
	key, dir := s.checkKey(p.Name, p.Sum), p.Dir
	if !s.checks.begin(key) {
		return &problem{http.StatusConflict, "Busy", "A package is being checked. Wait for its end."}
	}
	work := func() { s.check(key, dir) }
	if s.Working != nil {
		s.Working.Go(work)
	} else {
		go work()
	}
	http.Redirect(w, r, s.base+"/packages/"+url.PathEscape(p.Name), http.StatusSeeOther)
	return nil
}

// check checks a package against a ledger that is opened for it: what it does there concerns nobody
// else.
func (s *server) check(key, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), mostChecking)
	defer cancel()
	go func() {
		select {
		case <-s.Ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	state, lines := checkFailed, []string{"The log of the server says why."}
	defer func() {
		if wrong := recover(); wrong != nil {
			s.Log.Error("wrong program", "what", fmt.Sprint(wrong), "where", string(debug.Stack()))
			state, lines = checkFailed, []string{"The log of the server says why."}
		}
		s.checks.end(key, state, lines)
	}()
	show := func(done, total uint64) { s.checks.change(key, func(c *check) { c.Done, c.Total = done, total }) }
	var unopened error
	open := func(ctx context.Context) (d *app.Desk, err error) {
		d, unopened = s.Open(ctx)
		return d, unopened
	}
	found, err := app.CheckPackage(ctx, dir, open, app.Vouchers{}, app.PackageOptions{
		Program: s.Program, Progress: app.Progress{Show: show},
		Balances: func() (source.Source, error) {
			return nil, fmt.Errorf("%w: the browser asks no gateway", app.ErrUnanswered)
		},
	})
	switch {
	case err == nil:
		state, lines = outcomeOf(found)
	case ctx.Err() != nil:
		lines = []string{"It was stopped before its end."}
	default:
		s.Log.Error("package not checked", "error", err.Error())
		if unopened == nil {
			lines = []string{problemOf(ctx, err, mostChecking).Detail}
		}
	}
	for i := range lines { // where the packages are, concerns nobody else
		lines[i] = strings.ReplaceAll(lines[i], filepath.Clean(dir)+string(os.PathSeparator), "")
	}
}

// outcomeOf is what a check comes to.
func outcomeOf(c *app.PackageCheck) (state string, lines []string) {
	if c.OwnTables != "" {
		defer func() { lines = append([]string{c.OwnTables}, lines...) }()
	}
	for _, s := range c.Signatures {
		if s.Wrong != "" {
			c.Differences = append(c.Differences, "a signature does not hold: "+s.Wrong)
		}
	}
	if c.Stamp != nil && c.Stamp.Wrong != "" {
		c.Differences = append(c.Differences, "the timestamp does not hold: "+c.Stamp.Wrong)
	}
	switch {
	case len(c.Damage) > 0:
		return checkDamaged, c.Damage
	case len(c.Differences) > 0:
		return checkDiffers, append(c.Differences, c.Notes...)
	case c.Part:
		return checkInPart, c.Notes
	}
	return checkProved, c.Notes
}
