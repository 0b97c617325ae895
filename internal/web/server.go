package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/web/users"
	"github.com/feeledger/fees/source"
)

// Options say what is served, and within which bounds.
type Options struct {
	Ledgers []Ledger         // at least one. Where there are several, each is below its name
	Program string           // the program with its version
	Hosts   []string         // names by which this server may be asked for, beside those of this machine
	Log     *slog.Logger     // of requests, and of what fails; nil for none
	Metrics *metrics.Metrics // where requests and the ledgers are counted, at /metrics; nil for new ones
	Time    time.Duration    // that a question may take; 0 is the default
	AtOnce  int              // questions that are worked on at once; 0 is the default
	// Ending is closed when the server is to end: who waits for new blocks waits no longer then, and
	// what works in the background stops; nil where it does not end. Working waits for the latter;
	// nil where nobody does.
	Ending  <-chan struct{}
	Working *sync.WaitGroup

	TLS    bool         // it is asked by TLS
	Users  *users.Users // who may log in; nil: nobody needs to
	Header string       // in which a server before this one names the user; "" for none
	// Proxies are where servers before this one are; nil is this machine. Where there are users, those that
	// are named here say in X-Forwarded-For for whom they ask.
	Proxies []netip.Prefix
}

// Ledger is a ledger that is served, with what is known beside it.
type Ledger struct {
	Name    string // of its pages where several ledgers are served: letters, digits, - and _
	Desk    *app.Desk
	Network string // that it is of
	Place   string // as the command line names it, "" where it is the default
	// Flags are those that the command line needs beside it, such as --labels; "" for none.
	Flags string
	// Made is the command that makes the ledger, where it is thrown away with the server; else "".
	Made   string
	Labels *app.AddressBook // what addresses are called; nil for none
	// Source tells balances and the blocks that a fee is explained by; nil for none. Gateway is
	// what the command line calls it.
	Source  *source.Reader
	Gateway string
	// Prices are what the token cost, and PricesFile is where they are from; nil for none.
	Prices     *money.List
	PricesFile string
	Packages   string // the directory with the packages of closed months, "" for none
	// Open opens the ledger once more, to check a package; nil checks none.
	Open func(context.Context) (*app.Desk, error)
}

// The bounds where nothing else is said.
const (
	DefaultTime   = 10 * time.Second
	defaultAtOnce = 8
	mostWaiting   = 64 // questions that wait for their turn
	mostLong      = 2  // questions that read much at once: each may take 150 MB
)

// server answers for one of the ledgers.
type server struct {
	Options
	Ledger
	base      string           // what its paths begin with, "" where it is the only ledger
	cache     *once[kept]      // of answers, by their ETags
	lists     *once[*keptList] // without the order and the place of a page
	summaries *once[*app.AccountSummary]
	states    *once[app.State] // of periods that are over
	news      *news            // of the ledger
	working   chan struct{}    // a place for each question that is worked on
	waiting   chan struct{}    // and for each that waits
	// long and longWaiting are the same for questions that read much.
	long, longWaiting chan struct{}

	posting  *http.ServeMux // the paths to which something may be sent
	arriving chan struct{}  // a place for each file that is sent
	uploads  *uploads
	records  *once[*record] // of the uploads
	requests *metrics.Requests
	checks   *checks
	shown    *packageCache

	key       []byte // of the tokens of forms, and of this run
	began     time.Time
	sessions  *sessions
	passwords *passwords
	forwards  bool // proxies were named: they say for whom they ask
}

// thisMachine is where a server before this one is, if nothing else is said.
var thisMachine = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// Handler answers for the ledgers.
func Handler(o Options) http.Handler { return handler(o, time.Now) }

// handler has the clock by which sessions and waits end.
func handler(o Options, now func() time.Time) http.Handler {
	forwards := o.Proxies != nil
	if o.Proxies == nil {
		o.Proxies = thisMachine
	}
	if o.Time == 0 {
		o.Time = DefaultTime
	}
	if o.AtOnce == 0 {
		o.AtOnce = defaultAtOnce
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	front := server{Options: o, forwards: forwards, working: make(chan struct{}, o.AtOnce), waiting: make(chan struct{}, mostWaiting),
		posting: http.NewServeMux(), arriving: make(chan struct{}, mostArriving), uploads: newUploads(), checks: &checks{made: map[string]*check{}}, key: []byte(random()), began: time.Now()}
	if o.Users != nil {
		front.sessions, front.passwords = newSessions(now), newPasswords(o.Users, now)
	}
	front.cache, front.lists = newOnce(mostInCache, sizeOfAnswer), newOnce(mostOfLists, sizeOfList)
	front.records = newOnce(maxRecords, func(*record) int { return 1 })
	front.uploads.gone = func(token string) { front.records.forget(recordKey(token, "")) }
	front.summaries = newOnce(mostOfSummaries, func(*app.AccountSummary) int { return 1 })
	front.states = newOnce(mostOfStates, func(app.State) int { return 1 })
	front.long, front.longWaiting = make(chan struct{}, mostLong), make(chan struct{}, mostWaiting)
	if front.Metrics == nil {
		front.Metrics = metrics.New(o.Program)
	}
	front.requests = front.Metrics.Requests(func() int { return len(front.working) }, func() int { return len(front.waiting) })
	mux := http.NewServeMux()
	for _, l := range o.Ledgers {
		s := front
		s.Ledger, s.news = l, &news{desk: l.Desk}
		s.shown = new(packageCache)
		if len(o.Ledgers) > 1 {
			s.base = "/" + l.Name
		}
		s.Metrics.Ledger(l.Name, l.Desk.Status)
		s.route(mux)
		if len(o.Ledgers) == 1 {
			front = s
		}
	}
	first := ""
	if len(o.Ledgers) > 1 { // front is for pages that are below no ledger
		first = "/" + o.Ledgers[0].Name
		front.fixtures(mux)
	}
	if o.Users != nil {
		mux.HandleFunc("GET /login", front.logInPage)
		for path, ask := range map[string]asker{"POST /login": (*server).logIn, "POST /logout": (*server).logOut} {
			mux.HandleFunc(path, front.act(ask))
			front.posting.Handle(path, http.NotFoundHandler())
		}
	}
	mux.Handle("GET /{$}", http.RedirectHandler(first+"/cockpit", http.StatusFound))
	mux.Handle("GET /metrics", front.Metrics.Page())
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /readyz", front.ready)
	mux.HandleFunc("/", front.nothing)
	return front.counted(mux, front.guard(front.admit(mux)))
}

// route adds the paths of a ledger.
func (s *server) route(mux *http.ServeMux) {
	s.fixtures(mux)
	get := func(path string, h http.HandlerFunc) { mux.HandleFunc("GET "+s.base+path, h) }
	for _, p := range slices.Concat(pages(), answers()) {
		get(p.path, s.question(p.ask))
	}
	get("/events", s.events)
	for _, p := range posts {
		mux.HandleFunc("POST "+s.base+p.path, s.act(p.ask))
		s.posting.Handle("POST "+s.base+p.path, http.NotFoundHandler())
	}
	if s.base != "" {
		get("/{$}", http.RedirectHandler(s.base+"/cockpit", http.StatusFound).ServeHTTP)
		mux.HandleFunc(s.base+"/", s.nothing)
	}
}

// fixtures adds what every page needs.
func (s *server) fixtures(mux *http.ServeMux) {
	for path, h := range map[string]http.HandlerFunc{
		"/style.css": fixed("text/css; charset=utf-8", styleText), "/page.js": fixed("text/javascript; charset=utf-8", scriptText), "/icon.svg": fixed("image/svg+xml", iconText), "/theme": s.setTheme,
	} {
		mux.HandleFunc("GET "+s.base+path, h)
	}
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // whoever has gone does not read it
}

// ready tells whether the ledgers can be read.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if err := Readable(ctx, s.Ledgers); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	healthy(w, r)
}

// Readable returns what keeps one of the ledgers from being read.
func Readable(ctx context.Context, list []Ledger) error {
	for _, l := range list {
		if err := l.Desk.Readable(ctx); err != nil {
			return err
		}
	}
	return nil
}

// nothing answers for paths that are not there.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, &problem{http.StatusNotFound, "Nothing is here", fmt.Sprintf("There is no page %s.", r.URL.Path)})
}
