package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/web/users"
	"github.com/feeledger/fees/source"
)

// Options configure a server.
type Options struct {
	Ledgers []Served         // at least one; several are served below their names
	Program string           // the program with its version
	Hosts   []string         // host names of this server, besides those of this machine
	Log     *slog.Logger     // of requests and failures; nil for none
	Metrics *metrics.Metrics // served at /metrics; nil for new ones
	Time    time.Duration    // timeout of a request; 0 for the default
	Paper   app.Paper        // its font, for PDF documents
	AtOnce  int              // concurrent requests, of several ledgers half for each; 0 for the default
	// Ending is closed when the server shuts down; it ends event streams and background work. Nil means never.
	// Working, if not nil, tracks the background work.
	Ending  <-chan struct{}
	Working *sync.WaitGroup
	// ReadAhead is how long [Handler] waits for the figures of all ledgers' first pages; they are then read in the
	// background. 0 reads nothing ahead.
	ReadAhead time.Duration

	TLS   bool         // the server uses TLS
	Users *users.Users // who may log in; nil for no log-in
	// Sessions is the file that keeps the users' sessions when the server restarts; "" for none.
	Sessions string
	Header   string // header in which a reverse proxy names the user; "" for none
	// Proxies are the addresses of reverse proxies; nil for this machine. If users are configured, the proxies named
	// here are trusted to report client addresses in X-Forwarded-For.
	Proxies []netip.Prefix
}

// Served is a ledger to serve, with its related data.
type Served struct {
	Name    string // its path prefix if several ledgers are served: letters, digits, - and _
	Ledger  *app.Ledger
	Wrong   error  // why one of several ledgers is not served: its pages say so; Ledger is then nil
	Network string // of the chain
	Place   string // for the command line, "" for the default
	// Flags are the other flags that equivalent commands need, such as --labels; "" for none.
	Flags string
	// NetworkFile is the user's file of tables, which most commands need; "" for none.
	NetworkFile string
	// Made is the command that creates the ledger if it is deleted with the server; otherwise "".
	Made   string
	Labels *app.AddressBook // address labels; nil for none
	// Company are the accounts that pages are about if their address names none, as in the parameter accounts; "" for all.
	Company string
	// EditLabels lets preparers edit the address book, which also needs OpenTrail and users with roles.
	EditLabels bool
	// Source provides balances and the blocks that explain a fee; nil for none. Gateway is its name on the
	// command line.
	Source  *source.Reader
	Gateway string
	// Prices are the token's prices, read from PricesFile; nil for none.
	Prices     *money.List
	PricesFile string
	Packages   string // the directory of the close packages, "" for none
	// Open opens a second connection to the ledger to check a package; nil disables checks.
	Open func(context.Context) (*app.Ledger, error)
	// Closes lets users with roles prepare, review and close packages, which also needs Open, OpenTrail and Packages.
	Closes bool
	// OpenTrail opens the ledger to record what users do; nil disables Closes and EditLabels.
	OpenTrail func(context.Context) (*app.Ledger, error)
}

// Default limits.
const (
	DefaultTime   = 10 * time.Second
	defaultAtOnce = 8
	maxWaiting    = 64 // requests in the queue
)

// maxLongReads limits the concurrent expensive reads of a ledger, up to 150 MB each, maxLongReadsOfAll those of several. More
// of them than the machine has cores would only need more memory.
var maxLongReads, maxLongReadsOfAll = 2, 6

// site is what the servers of all ledgers share.
type site struct {
	Options
	cache      *once[kept] // of responses, by ETag
	variances  *once[*variance.Report]
	lists      *once[*keptList] // independent of sort order and page
	windows    *once[*keptList] // of some groups of a report
	monthViews *once[*monthView]
	extents    *once[extent]    // of lists of transactions
	tops       *once[[]topList] // of the whole chain
	summaries  *once[*app.AccountSummary]
	states     *once[app.State] // of past periods
	monthLists *once[[]month]   // of the period picker
	figures    *once[*app.AccountFigures]
	owned      *once[*accountBalances]

	posting  *http.ServeMux      // the paths that accept POST
	pages    *http.ServeMux      // all paths
	typing   map[string][]string // the parameters of their pages, by pattern
	arriving chan struct{}       // upload slots
	uploads  *uploads
	saving   sync.Mutex     // of records on disk
	records  *once[*record] // of the uploads
	requests *metrics.Requests
	checks   *checks

	key       []byte // of ETags; new for each process
	tokenKey  []byte // of form tokens
	began     time.Time
	opened    []*server // of the ledgers that could be
	sessions  *sessions
	passwords *passwords
	forwards  bool // proxies are configured: trust X-Forwarded-For
}

// server serves one of the ledgers, or the pages that belong to none.
type server struct {
	*site
	Served
	base  string // its path prefix, "" if it is the only ledger
	news  *news  // of newly sealed blocks
	shown *packageCache
	names *labels
	slots ledgerSlots
}

// loopback is the default address range of reverse proxies.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// Handler returns the handler for the ledgers.
func Handler(o Options) http.Handler { return handler(o, time.Now) }

// handler returns the handler with a clock for sessions and delays.
func handler(o Options, now func() time.Time) http.Handler {
	forwards := o.Proxies != nil
	if o.Proxies == nil {
		o.Proxies = loopback
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
	all := &site{
		Options: o, forwards: forwards, key: []byte(random()), tokenKey: []byte(random()), began: time.Now(),
		cache: newOnce(maxCacheBytes, sizeOfAnswer), lists: newOnce(maxListBytes, sizeOfList), windows: newOnce(maxListBytes, sizeOfList), variances: newOnce(maxListBytes, sizeOfVariance), states: newCounted[app.State](maxStates),
		summaries: newCounted[*app.AccountSummary](maxSummaries), monthViews: newCounted[*monthView](maxSummaries), tops: newCounted[[]topList](maxSummaries), extents: newCounted[extent](maxSummaries), monthLists: newCounted[[]month](maxSummaries), figures: newCounted[*app.AccountFigures](maxFigures), owned: newCounted[*accountBalances](maxFigures),
		posting: http.NewServeMux(), typing: map[string][]string{}, arriving: make(chan struct{}, maxUploads), uploads: newUploads(), records: newCounted[*record](maxRecords),
		checks: &checks{made: map[string]*check{}},
	}
	if o.Users != nil {
		all.sessions, all.passwords = newSessions(now), newPasswords(o.Users, now)
		all.sessions.restore(sessionFile{path: o.Sessions, users: o.Users, log: o.Log})
		all.tokenKey = all.sessions.file.key
	}
	all.uploads.gone = func(token string) { all.records.forget(recordKey(token, "")) }
	if all.Metrics == nil {
		all.Metrics = metrics.New(o.Program)
	}
	slotsOf := newLedgerSlots(len(o.Ledgers), o.AtOnce)
	front := &server{site: all, names: newLabels(nil), slots: slotsOf()}
	servers := []*server{front}
	mux := http.NewServeMux()
	all.pages = mux
	var read []<-chan struct{}
	books := map[string]*labels{"": newLabels(nil)} // by file
	for _, l := range o.Ledgers {
		if l.Wrong != nil {
			mux.HandleFunc("/"+l.Name+"/", func(w http.ResponseWriter, r *http.Request) {
				front.refuse(w, r, &problem{http.StatusServiceUnavailable, "Ledger not available", l.notOpened(o.Time)})
			})
			continue
		}
		s := &server{site: all, Served: l, news: &news{ledger: l.Ledger}, shown: new(packageCache), slots: slotsOf()}
		servers = append(servers, s)
		if l.Labels != nil && books[l.Labels.Path] == nil {
			books[l.Labels.Path] = newLabels(l.Labels)
		}
		if s.names = books[""]; l.Labels != nil {
			s.names = books[l.Labels.Path]
		}
		if len(o.Ledgers) > 1 {
			s.base = "/" + l.Name
		}
		s.Metrics.Ledger(l.Name, l.Ledger.Status)
		s.route(mux)
		all.opened = append(all.opened, s)
		if o.ReadAhead > 0 {
			read = append(read, s.readAhead())
		}
		if len(o.Ledgers) == 1 {
			front = s
		}
	}
	count := func(of func(slots) chan struct{}) func() int {
		return func() (n int) {
			for _, s := range servers {
				n += len(of(s.slots.short))
			}
			return n
		}
	}
	all.requests = all.Metrics.Requests(count(func(s slots) chan struct{} { return s.working }), count(func(s slots) chan struct{} { return s.waiting }))
	late, stop := context.WithTimeout(context.Background(), o.ReadAhead)
	defer stop()
	for _, done := range read {
		select {
		case <-done:
		case <-late.Done():
		}
	}
	first := "/overview"
	if len(o.Ledgers) > 1 { // front serves the pages that belong to no ledger
		first = ledgersPath
		front.fixtures(mux)
		mux.HandleFunc("GET "+first, front.queued((*server).ledgerMonths))
	}
	if o.Users != nil {
		mux.HandleFunc("GET /login", front.logInPage)
		for path, ask := range map[string]endpoint{"POST /login": (*server).logIn, "POST /logout": (*server).logOut} {
			mux.HandleFunc(path, front.act(ask))
			front.posting.Handle(path, http.NotFoundHandler())
		}
	}
	mux.Handle("GET /{$}", http.RedirectHandler(first, http.StatusFound))
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
		get(p.path, s.queued(p.ask))
	}
	get("/events", s.events)
	for _, p := range posts {
		mux.HandleFunc("POST "+s.base+p.path, s.act(p.ask))
		s.posting.Handle("POST "+s.base+p.path, http.NotFoundHandler())
		if p.parameters != nil {
			s.typing["POST "+s.base+p.path] = p.parameters
		}
	}
	if s.base != "" {
		get("/{$}", http.RedirectHandler(s.base+"/overview", http.StatusFound).ServeHTTP)
		mux.HandleFunc(s.base+"/", s.nothing)
	}
}

// fixtures adds the static files and the theme.
func (s *server) fixtures(mux *http.ServeMux) {
	for path, h := range map[string]http.HandlerFunc{
		"/style.css": fixed("text/css; charset=utf-8", compact(strings.NewReplacer("/*cards*/", cardsText, "/*scrolls*/", scrollsText).Replace(styleText))), "/page.js": fixed("text/javascript; charset=utf-8", scriptText), "/icon.svg": fixed("image/svg+xml", iconText), "/theme": s.setTheme,
	} {
		mux.HandleFunc("GET "+s.base+path, h)
	}
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // the client may have disconnected
}

// ready reports whether the ledgers can be read. A server of several is ready while one can be: it names the others, unless
// the client would have to log in to know them.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	wrong := Unreadable(ctx, s.Ledgers)
	switch {
	case len(wrong) == 0:
		healthy(w, r)
		return
	case len(s.Ledgers) == 1:
	case visitorOf(r).user == "" && (s.Users != nil || s.Header != ""):
		wrong = []string{fmt.Sprintf("%d of %d ledgers cannot be read", len(wrong), len(s.Ledgers))}
	}
	status := http.StatusOK
	if len(wrong) == len(s.Ledgers) {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, strings.Join(wrong, "\n")) // the client may have disconnected
}

// Unreadable returns the ledgers that cannot be read, each with the reason, in their order.
func Unreadable(ctx context.Context, list []Served) (wrong []string) {
	reasons := make([]error, len(list))
	var all sync.WaitGroup
	for i, l := range list {
		all.Go(func() {
			if reasons[i] = l.Wrong; l.Wrong == nil {
				reasons[i] = l.Ledger.Readable(ctx)
			}
		})
	}
	all.Wait()
	for i, l := range list {
		switch {
		case reasons[i] == nil:
		case l.Wrong != nil:
			wrong = append(wrong, l.Name+": the ledger could not be opened")
		case l.Name != "":
			wrong = append(wrong, l.Name+": "+reasons[i].Error())
		default:
			wrong = append(wrong, reasons[i].Error())
		}
	}
	return wrong
}

// notOpened says that a ledger could not be opened.
func (l *Served) notOpened(timeout time.Duration) string {
	why := problemOf(context.Background(), l.Wrong, timeout).Detail
	switch {
	case errors.Is(l.Wrong, ledger.ErrNone):
		why = "it did not exist"
	case errors.Is(l.Wrong, ledger.ErrAway):
		why = "its database did not answer"
	}
	return fmt.Sprintf("The ledger %s could not be opened when the server started. %s Restart the server once it can be opened.", l.Name, sentence(strings.TrimSuffix(why, ".")))
}

// nothing answers requests for unknown paths.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, &problem{http.StatusNotFound, "Page not found", fmt.Sprintf("There is no page at %s.", r.URL.Path)})
}
