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
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

const (
	// maxCheckTime limits the duration of a check.
	maxCheckTime = time.Hour
	// maxChecks limits the results that are kept.
	maxChecks = 1000
	// checkAgain is the refresh interval of a page that shows a running check, in seconds.
	checkAgain = 5
)

// The states of a check.
const (
	checkRuns    = "running"
	checkProved  = "verified"
	checkInPart  = "partly verified"
	checkDiffers = "differs from the ledger"
	checkDamaged = "damaged"
	checkFailed  = "failed"
)

// check compares a package with the ledger.
type check struct {
	State string     `json:"state"`
	Lines []string   `json:"lines"` // differences, and what was not compared
	Began time.Time  `json:"began"`
	Ended *time.Time `json:"ended"` // nil while it runs
	Done  uint64     `json:"blocks_done"`
	Total uint64     `json:"blocks_total"`
	Made  string     `json:"-"` // the package that the work made; "" for none
}

// cell returns the state of the check for a table.
func (c *check) cell() cell {
	switch {
	case c == nil:
		return cell{Text: "not checked"}
	case c.State == checkRuns:
		return cell{Text: c.progress()}
	case c.State == checkInPart:
		return cell{Text: c.State + " " + c.Ended.UTC().Format(time.RFC3339), Class: "warn"}
	case c.State == checkProved:
		return cell{Text: c.State + " " + c.Ended.UTC().Format(time.RFC3339), Class: "ok"}
	}
	return cell{Text: c.State + " " + c.Ended.UTC().Format(time.RFC3339), Class: "bad"}
}

func (c *check) progress() string {
	if c.Total == 0 {
		return checkRuns
	}
	return fmt.Sprintf("running, %d of %d blocks", c.Done, c.Total)
}

// checks holds the checks made since the server started. One runs at a time.
type checks struct {
	mu      sync.Mutex
	running string // the key of the running check, "" if none
	made    map[string]*check
}

// of returns a check by its key, or nil if there is none.
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

// begin starts a check unless another one is running.
func (c *checks) begin(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != "" {
		return false
	}
	for old := range c.made { // an arbitrary one: checks can be repeated
		if len(c.made) < maxChecks {
			break
		}
		delete(c.made, old)
	}
	c.running, c.made[key] = key, &check{State: checkRuns, Lines: []string{}, Began: time.Now()}
	return true
}

// change updates the running check.
func (c *checks) change(key string, by func(*check)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	by(c.made[key])
}

// end records the result of a check.
func (c *checks) end(key, state string, lines []string) {
	now := time.Now()
	c.change(key, func(x *check) { x.State, x.Lines, x.Ended = state, append(x.Lines, lines...), &now })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = ""
}

// checkKey identifies a package by its current manifest, and the ledger: a new manifest counts as unchecked.
func (s *server) checkKey(name, sum string) string {
	return strings.Join([]string{s.base, name, sum}, "\n")
}

// checked adds the last check to a package's page, with a button to repeat it.
func (s *server) checked(v *packagePage, r *http.Request, p *closing.Placed, at string) {
	c := s.checks.of(s.checkKey(p.Name, p.Sum))
	v.Facts = slices.Insert(v.Facts, 0, fact{Name: "check since the server started", cell: c.cell()})
	if c != nil {
		for _, line := range c.Lines {
			v.Warnings = append(v.Warnings, plain.Line(line))
		}
		if c.State == checkRuns {
			v.Refresh = checkAgain
			return
		}
		v.Conclusion.Text += " Last check: " + c.State + "."
		if c.State != checkProved && c.State != checkInPart {
			v.Conclusion.Class = "bad"
		}
	} else {
		v.Conclusion.Text += " Not checked since the server started."
	}
	if s.Open != nil {
		v.Top = s.postForm(r, &form{Action: at + "/check", Button: "Check again"})
	}
}

// startCheck starts a package check in the background.
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
		return &problem{http.StatusNotFound, "Not found", "This server does not check packages. Run fees close --check."}
	}
	key, dir := s.checkKey(p.Name, p.Sum), p.Dir
	if !s.start(key, func(ctx context.Context, show func(done, total uint64)) (string, []string) {
		return s.check(ctx, dir, show)
	}) {
		return &problem{http.StatusConflict, "Busy", "Another package check is running. Wait until it ends."}
	}
	s.seeOther(w, r, "packages/"+url.PathEscape(p.Name))
	return nil
}

// start starts background work under a key, unless other work is running. The work returns its state and lines.
func (s *server) start(key string, work func(ctx context.Context, show func(done, total uint64)) (state string, lines []string)) bool {
	if !s.checks.begin(key) {
		return false
	}
	s.aside(func(ctx context.Context) { s.run(ctx, key, work) })
	return true
}

// aside does background work until it ends or the server shuts down.
func (s *server) aside(work func(context.Context)) {
	run := func() {
		ctx, cancel := context.WithTimeout(context.Background(), maxCheckTime)
		defer cancel()
		go func() {
			select {
			case <-s.Ending:
				cancel()
			case <-ctx.Done():
			}
		}()
		work(ctx)
	}
	if s.Working != nil {
		s.Working.Go(run)
	} else {
		go run()
	}
}

// run does the work of a key, and shows its result.
func (s *server) run(ctx context.Context, key string, work func(ctx context.Context, show func(done, total uint64)) (state string, lines []string)) {
	state, lines := checkFailed, []string{"See the server log for the cause."}
	defer func() {
		if wrong := recover(); wrong != nil {
			s.Log.Error("internal error", "what", fmt.Sprint(wrong), "where", string(debug.Stack()))
			state, lines = checkFailed, []string{"See the server log for the cause."}
		}
		s.checks.end(key, state, lines)
	}()
	state, lines = work(ctx, func(done, total uint64) { s.checks.change(key, func(c *check) { c.Done, c.Total = done, total }) })
}

// check checks a package against its own connection to the ledger, so that it does not affect requests.
func (s *server) check(ctx context.Context, dir string, show func(done, total uint64)) (state string, lines []string) {
	state, lines = checkFailed, []string{"See the server log for the cause."}
	var unopened error
	open := func(ctx context.Context) (d *app.Ledger, err error) {
		d, unopened = s.Open(ctx)
		return d, unopened
	}
	found, err := app.CheckPackage(ctx, dir, open, app.Vouchers{}, app.PackageOptions{
		Program: s.Program, Progress: app.Progress{Show: show},
		Balances: func() (source.Source, error) {
			return nil, fmt.Errorf("%w: checks in the browser do not query a gateway", app.ErrUnanswered)
		},
	})
	switch {
	case err == nil:
		state, lines = outcomeOf(found)
	case ctx.Err() != nil:
		lines = []string{"The check was stopped before it finished."}
	default:
		s.Log.Error("package not checked", "error", err.Error())
		if unopened == nil {
			lines = []string{problemOf(ctx, err, maxCheckTime).Detail}
		}
	}
	for i := range lines { // do not reveal the server's directories
		lines[i] = strings.ReplaceAll(lines[i], filepath.Clean(dir)+string(os.PathSeparator), "")
	}
	return state, lines
}

// outcomeOf returns the state and the lines of a finished check.
func outcomeOf(c *app.PackageCheck) (state string, lines []string) {
	if c.OwnTables != "" {
		defer func() { lines = append([]string{c.OwnTables}, lines...) }()
	}
	for _, s := range c.Signatures {
		if s.Wrong != "" {
			c.Differences = append(c.Differences, "a signature is not valid: "+s.Wrong)
		}
	}
	if c.Stamp != nil && c.Stamp.Wrong != "" {
		c.Differences = append(c.Differences, "the timestamp is not valid: "+c.Stamp.Wrong)
	}
	switch {
	case len(c.Damage) > 0:
		return checkDamaged, c.Damage
	case len(c.Differences) > 0:
		return checkDiffers, append(c.Differences, c.Notes...)
	case c.Partly():
		for _, what := range c.NotCompared {
			lines = append(lines, "not compared: "+what)
		}
		return checkInPart, append(lines, c.Notes...)
	}
	return checkProved, c.Notes
}
