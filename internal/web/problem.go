package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// problem is what programs (RFC 9457) and people are told instead of an answer.
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

func (p *problem) Error() string { return p.Title + ": " + p.Detail }

// notUnderstood is a question that says nothing.
func notUnderstood(format string, values ...any) error {
	return &problem{http.StatusBadRequest, "Not understood", fmt.Sprintf(format, values...)}
}

// statuses are those of the kinds of errors.
var statuses = map[failure.Kind]problem{
	failure.NotUnderstood: {Status: http.StatusBadRequest, Title: "Not understood"},
	failure.NotFound:      {Status: http.StatusNotFound, Title: "Not there"},
	failure.NotCovered:    {Status: http.StatusConflict, Title: "The ledger lacks a part of it"},
	failure.Busy:          {Status: http.StatusServiceUnavailable, Title: "Busy"},
	failure.Damaged:       {Status: http.StatusServiceUnavailable, Title: "The ledger is not what was written"},
	failure.Unanswered:    {Status: http.StatusBadGateway, Title: "Not answered"},
	failure.DoesNotHold:   {Status: http.StatusConflict, Title: "The figures contradict each other"},
	failure.Failed:        {Status: http.StatusInternalServerError, Title: "It failed"},
}

// problemOf is what an error is to who asked. What failed on this machine stays in the log.
func problemOf(ctx context.Context, err error, most time.Duration) *problem {
	var own *problem
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, errBusy):
		return &problem{http.StatusTooManyRequests, "Busy", "Many questions are being worked on. Ask again in a moment."}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &problem{http.StatusGatewayTimeout, "It takes too long", fmt.Sprintf("The question was given up after %v. Ask for a shorter period, or ask on the command line.", most)}
	}
	var misfit *misfitError
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
	kind := app.KindOf(err)
	s, ok := statuses[kind]
	if !ok {
		s = statuses[failure.Failed]
	}
	var ofLedger *app.LedgerError
	detail := err.Error()
	if errors.As(err, &ofLedger) { // where the ledger is, concerns nobody else
		detail = strings.TrimPrefix(ofLedger.Err.Error(), ofLedger.Place+": ")
	}
	var input *app.InputError
	if errors.As(err, &input) {
		detail = input.Naming(func(f app.Field) string { return parameterOf(f) })
	}
	if errors.Is(err, ledger.ErrAway) { // what it says has its address
		detail = "The ledger's database does not answer. Try again in a moment."
	}
	if s.Status == http.StatusInternalServerError {
		detail = "The log of the server says why."
	}
	return &problem{s.Status, s.Title, console.Printable(detail)}
}

// parameterOf is what a field of a question is called in an address.
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
func (s *server) refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	if s.forPrograms(r) {
		answered(w, r)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(p.Status)
		_ = jsontext.Write(w, p) // whoever has gone does not read it
		return
	}
	s.render(w, r, p.Status, &view{Title: p.Title, Lead: p.Detail, Failed: true})
}
