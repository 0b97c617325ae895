package web

import (
	"errors"
	"net/http"
)

// posts are the paths to which something is sent. Nothing of a ledger is changed there.
var posts = []route{
	{path: "/reconcile", ask: (*server).receive},
	{path: "/reconcile/{token}/forget", ask: (*server).forget},
	{path: "/packages/{package}/check", ask: (*server).startCheck},
}

// takes tells whether a request sends something to a path that takes it.
func (s *server) takes(r *http.Request) bool {
	_, pattern := s.posting.Handler(r)
	return r.Method == http.MethodPost && pattern != ""
}

// crossOrigin refuses what a page of another site sends.
var crossOrigin = http.NewCrossOriginProtection()

// act is a handler of what is sent. It takes no place of a question.
func (s *server) act(ask asker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := crossOrigin.Check(r); err != nil {
			s.refuse(w, r, &problem{http.StatusForbidden, "Not from this page", "Another site has sent this: open the page of this server, and send it from there."})
			return
		}
		err := ask(s, w, r)
		var own *problem
		switch {
		case errors.As(err, &own): // also where what was sent is given up, and the request with it
			s.refuse(w, r, own)
		case err != nil:
			s.fail(w, r, err)
		}
	}
}

// owner is whose a request is; "" where there are no users.
func (s *server) owner(r *http.Request) string { return visitorOf(r).user }
