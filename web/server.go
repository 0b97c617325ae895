package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/prices"
	"github.com/feeledger/fees/source"
)

// Options say what is served, and within which bounds.
type Options struct {
	Ledgers []Ledger      // at least one. Where there are several, each is below its name
	Program string        // the program with its version: another one may answer otherwise
	Hosts   []string      // names by which this server may be asked for, beside those of this machine
	Log     *slog.Logger  // of what fails; nil for none
	Time    time.Duration // that a question may take; 0 is the default
	AtOnce  int           // questions that are worked on at once; 0 is the default
	// Ending is closed when the server is to end: who waits for new blocks waits no longer then; nil
	// where it does not end.
	Ending <-chan struct{}
}

// Ledger is a ledger that is served, with what is known beside it.
type Ledger struct {
	Name    string // of its pages where several ledgers are served: letters, digits, - and _
	Desk    *desk.Desk
	Network string            // that it is of
	Place   string            // as the command line names it, "" where it is the default
	Labels  *desk.AddressBook // what addresses are called; nil for none
	// Source tells balances and the blocks that a fee is explained by; nil for none. Gateway is
	// what the command line calls it.
	Source  *source.Reader
	Gateway string
	// Prices are what the token cost, and PricesFile is where they are from; nil for none.
	Prices     *prices.List
	PricesFile string
}

// The bounds where nothing else is said.
const (
	DefaultTime   = 10 * time.Second
	defaultAtOnce = 8
	mostWaiting   = 64 // questions that wait for their turn
)

// server answers for one of the ledgers.
type server struct {
	Options
	Ledger
	base    string        // what its paths begin with, "" where it is the only ledger
	cache   *cache        // of all ledgers
	news    *news         // of the ledger
	labels  string        // a sum of the address book: it names what is shown
	working chan struct{} // a place for each question that is worked on
	waiting chan struct{} // and for each that waits

	posting  *http.ServeMux // the paths to which something may be sent
	arriving chan struct{}  // a place for each file that is sent
	uploads  *uploads
}

// Handler answers for the ledgers.
func Handler(o Options) http.Handler {
	if o.Time == 0 {
		o.Time = DefaultTime
	}
	if o.AtOnce == 0 {
		o.AtOnce = defaultAtOnce
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	front := server{Options: o, Ledger: o.Ledgers[0], cache: newCache(), working: make(chan struct{}, o.AtOnce), waiting: make(chan struct{}, mostWaiting),
		posting: http.NewServeMux(), arriving: make(chan struct{}, mostArriving), uploads: newUploads()}
	for _, l := range o.Ledgers {
		s := front
		s.Ledger, s.labels, s.news = l, sumOf(l.Labels), &news{desk: l.Desk}
		if len(o.Ledgers) == 1 {
			mux.Handle("/", s.routes())
			front = s
		} else {
			s.base = "/" + l.Name
			mux.Handle(s.base+"/", http.StripPrefix(s.base, s.routes()))
		}
	}
	if len(o.Ledgers) > 1 {
		front.base = "/" + front.Name
		mux.Handle("GET /{$}", http.RedirectHandler(front.base+"/cockpit", http.StatusFound))
		mux.HandleFunc("/", front.nothing)
	}
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /readyz", front.ready)
	return front.guard(mux)
}

// routes are the paths of a ledger.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /style.css", fixed("text/css; charset=utf-8", styleText))
	mux.HandleFunc("GET /page.js", fixed("text/javascript; charset=utf-8", scriptText))
	mux.HandleFunc("GET /icon.svg", fixed("image/svg+xml", iconText))
	mux.Handle("GET /{$}", http.RedirectHandler(s.base+"/cockpit", http.StatusFound))
	for _, p := range slices.Concat(pages(), answers()) {
		mux.HandleFunc("GET "+p.path, s.question(p.ask))
	}
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /theme", s.setTheme)
	for _, p := range posts {
		mux.HandleFunc("POST "+p.path, s.act(p.ask))
		s.posting.Handle("POST "+s.base+p.path, http.NotFoundHandler())
	}
	mux.HandleFunc("/", s.nothing)
	return mux
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // whoever has gone does not read it
}

// ready tells whether the ledgers can be read.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	for _, l := range s.Ledgers {
		if _, err := l.Desk.Book.Sealed(ctx); err != nil && !errors.Is(err, ledger.ErrNone) {
			http.Error(w, "a ledger cannot be read", http.StatusServiceUnavailable)
			return
		}
	}
	healthy(w, r)
}

// nothing answers for paths that are not there.
func (s *server) nothing(w http.ResponseWriter, r *http.Request) {
	s.refuse(w, r, &problem{http.StatusNotFound, "Nothing is here", fmt.Sprintf("There is no page %s.", r.URL.Path)})
}

// sumOf tells address books apart.
func sumOf(b *desk.AddressBook) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, b.Entries())))
}
