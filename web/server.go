package web

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/feeledger/fees/desk"
)

// Options say what is served, and within which bounds.
type Options struct {
	Desk    *desk.Desk
	Network string            // that the ledger is of
	Labels  *desk.AddressBook // what addresses are called; nil for none
	Program string            // the program with its version: another one may answer otherwise
	Ledger  string            // the ledger as the command line names it, "" where it is the default
	Hosts   []string          // names by which this server may be asked for, beside those of this machine
	Log     *slog.Logger      // of what fails; nil for none
	Time    time.Duration     // that a question may take; 0 is the default
	AtOnce  int               // questions that are worked on at once; 0 is the default
}

// The bounds where nothing else is said.
const (
	DefaultTime   = 10 * time.Second
	defaultAtOnce = 8
	mostWaiting   = 64 // questions that wait for their turn
)

// server answers.
type server struct {
	Options
	labels  string        // a sum of the address book: it names what is shown
	working chan struct{} // a place for each question that is worked on
	waiting chan struct{} // and for each that waits
}

// Handler answers for a ledger.
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
	s := &server{Options: o, labels: sumOf(o.Labels), working: make(chan struct{}, o.AtOnce), waiting: make(chan struct{}, mostWaiting)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", healthy)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /style.css", fixed("text/css; charset=utf-8", styleText))
	mux.HandleFunc("GET /icon.svg", fixed("image/svg+xml", iconText))
	mux.Handle("GET /{$}", http.RedirectHandler("/cockpit", http.StatusFound))
	for _, p := range pages {
		mux.HandleFunc("GET "+p.path, s.question(p.ask))
	}
	for _, a := range answers {
		mux.HandleFunc("GET "+a.path, s.question(a.ask))
	}
	mux.HandleFunc("GET /api/v1/openapi.json", fixed("application/json", openAPIText))
	mux.HandleFunc("/", s.nothing)
	return s.guard(mux)
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // whoever has gone does not read it
}

// ready tells whether the ledger can be read.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := s.Desk.Book.Sealed(ctx); err != nil {
		http.Error(w, "the ledger cannot be read", http.StatusServiceUnavailable)
		return
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
