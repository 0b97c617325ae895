package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/sys/plain"
)

// problem is an error as shown to people and to programs (RFC 9457).
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

func (p *problem) Error() string { return p.Title + ": " + p.Detail }

// invalidRequest returns an error for an invalid request.
func invalidRequest(format string, values ...any) error {
	return &problem{http.StatusBadRequest, "Invalid request", fmt.Sprintf(format, values...)}
}

// statuses maps a kind of error to its status and title.
var statuses = map[failure.Kind]problem{
	failure.NotUnderstood: {Status: http.StatusBadRequest, Title: "Invalid request"},
	failure.NotFound:      {Status: http.StatusNotFound, Title: "Not found"},
	failure.NotCovered:    {Status: http.StatusConflict, Title: "Data missing from the ledger"},
	failure.Busy:          {Status: http.StatusServiceUnavailable, Title: "Busy"},
	failure.Damaged:       {Status: http.StatusServiceUnavailable, Title: "Ledger damaged"},
	failure.Unanswered:    {Status: http.StatusBadGateway, Title: "Source not available"},
	failure.DoesNotHold:   {Status: http.StatusConflict, Title: "Inconsistent figures"},
	failure.Failed:        {Status: http.StatusInternalServerError, Title: "Internal error"},
}

// problemOf converts an error for the client. Details of internal failures stay in the log.
func problemOf(ctx context.Context, err error, timeout time.Duration) *problem {
	var own *problem
	var unread *unreadError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &unread):
		return unread.problem()
	case errors.Is(err, ledger.ErrNone):
		return &problem{http.StatusNotFound, "Empty ledger", emptyLedger}
	case errors.Is(err, errBusy):
		return &problem{http.StatusTooManyRequests, "Busy", "The server is processing too many requests. Try again in a moment."}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &problem{http.StatusGatewayTimeout, "Timed out", fmt.Sprintf("The request exceeded %v. Choose a shorter period, or use the command line.", timeout)}
	}
	var misfit *loginError
	var wait *waitError
	if errors.As(err, &misfit) && !misfit.slow {
		return &problem{http.StatusUnauthorized, "Not logged in", misfit.Error()}
	}
	if errors.As(err, &misfit) {
		return &problem{http.StatusTooManyRequests, "Too many attempts", misfit.Error()}
	}
	if errors.As(err, &wait) {
		return &problem{http.StatusTooManyRequests, "Too many attempts", wait.Error()}
	}
	var forbidden *app.ForbiddenError
	var stale *app.StaleError
	switch {
	case errors.As(err, &forbidden):
		return &problem{http.StatusForbidden, "Not allowed", forbidden.Message}
	case errors.As(err, &stale):
		return &problem{http.StatusConflict, "Out of date", stale.Message}
	}
	kind := app.KindOf(err)
	s, ok := statuses[kind]
	if !ok {
		s = statuses[failure.Failed]
	}
	var ofLedger *app.LedgerError
	detail := err.Error()
	if errors.As(err, &ofLedger) { // do not reveal the ledger's location
		detail = strings.TrimPrefix(ofLedger.Err.Error(), ofLedger.Place+": ")
	}
	var input *app.InputError
	if errors.As(err, &input) {
		detail = input.Naming(func(f app.Field) string { return parameterOf(f) })
	}
	if errors.Is(err, ledger.ErrAway) { // its text contains the database's address
		detail = "The ledger's database does not answer. Try again in a moment."
	}
	if s.Status == http.StatusInternalServerError {
		detail = "See the server log for the cause."
	}
	var status *httpclient.StatusError
	if errors.As(err, &status) {
		detail = answered(status)
	}
	return &problem{s.Status, s.Title, plain.Line(detail)}
}

var (
	isBlock = regexp.MustCompile(`/blocks/([0-9]+)`)
	atBlock = regexp.MustCompile(`[?&]at=([0-9]+)`)
)

// answered says what a gateway or a node answered, for people who do not know its requests.
func answered(e *httpclient.StatusError) string {
	of := "The " + e.Place.What
	switch block, at := isBlock.FindStringSubmatch(e.Path), atBlock.FindStringSubmatch(e.Path); {
	case e.Code == http.StatusNotFound && block != nil:
		return of + " has no block " + block[1] + "."
	case e.Code == http.StatusNotFound && at != nil:
		return of + " has no balances after block " + at[1] + "."
	case e.Code == http.StatusNotFound:
		return of + " has no such block or account."
	case e.Code == http.StatusUnauthorized || e.Code == http.StatusForbidden:
		return of + " denies access. Ask the administrator of this server to check its key."
	case e.Code == http.StatusTooManyRequests || e.Code >= http.StatusInternalServerError:
		return of + " cannot answer now. Try again later."
	}
	return of + " refused the request. Ask the administrator of this server to check its address."
}

// parameterOf returns the query parameter of a field.
func parameterOf(f app.Field) string {
	switch f {
	case app.FieldMonth, app.FieldYear, app.FieldFrom, app.FieldTo:
		return "period"
	case app.FieldTimezone:
		return "zone"
	}
	return strings.ReplaceAll(string(f), "-", "_")
}

// refuse writes a problem, as JSON to programs.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, p *problem) { s.refuseFor(w, r, p, p) }

// refuseFor writes a problem with the remedies for its cause.
func (s *server) refuseFor(w http.ResponseWriter, r *http.Request, p *problem, cause error) {
	if s.forPrograms(r) {
		releaseAnswered(w, r)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(p.Status)
		_ = jsontext.Write(w, p) // the client may have disconnected
		return
	}
	if to := s.partOf(r, cause); to != "" {
		http.Redirect(w, r, plain.URL(to), http.StatusSeeOther)
		return
	}
	s.render(w, r, p.Status, s.failurePage(r, p, cause))
}
