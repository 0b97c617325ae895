package httpclient

import (
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Failure classifies why a request got no answer. It determines whether the request is retried and
// for how long (see [Client.AskAll]), and the advice that the user gets.
type Failure string

// The classes of failures.
const (
	// Final means that the request would fail again.
	Final Failure = "final"
	// Pruned means that the node has discarded the block or its state.
	Pruned Failure = "pruned"
	// Denied means that the provider refuses the key, or the request without one.
	Denied Failure = "denied"
	// Unusable means that something else came in place of an answer: a web page, truncated JSON, another block.
	Unusable Failure = "unusable"
	// QuotaSpent means that the plan's daily or monthly quota is used up.
	QuotaSpent Failure = "quota spent"
	// Internal is an error inside the gateway or node without a stated reason. Another attempt may get it again.
	Internal Failure = "internal"
	// NodeLost means that the gateway has no connection to its node.
	NodeLost Failure = "node lost"
	// Unavailable means that the gateway or node is down, restarting or too slow.
	Unavailable Failure = "unavailable"
	// Busy means that the rate limit was exceeded.
	Busy Failure = "busy"
)

// Refusal is an error that quotes what a gateway or node sent instead of an answer.
type Refusal interface {
	error
	// Refused returns the JSON-RPC code, 0 if there is none, and the text.
	Refused() (code int64, text string)
}

// statuses classifies HTTP statuses. Unlisted statuses below 500 are [Final], all others [Internal]; the
// text of the answer can refine that (see texts).
var statuses = map[int64]Failure{
	http.StatusUnauthorized:      Denied,
	http.StatusPaymentRequired:   QuotaSpent,
	http.StatusForbidden:         Denied,
	http.StatusProxyAuthRequired: Denied,

	http.StatusRequestTimeout:     Unavailable,
	http.StatusMisdirectedRequest: Unavailable,
	http.StatusTooEarly:           Unavailable,
	http.StatusTooManyRequests:    Busy,

	http.StatusNotImplemented:          Final,
	http.StatusBadGateway:              Unavailable,
	http.StatusServiceUnavailable:      Unavailable,
	http.StatusGatewayTimeout:          Unavailable,
	http.StatusHTTPVersionNotSupported: Final,
	// From proxies of content delivery networks: the server behind them fails, is down, timed out, or is unreachable.
	520: Unavailable, 521: Unavailable, 522: Unavailable, 523: Unavailable, 524: Unavailable,
	525: Unavailable, 527: Unavailable, 529: Busy, 530: Unavailable,
}

// codes classifies the codes of JSON-RPC errors. An unlisted code is [Final], unless it is an HTTP status, as some
// providers send.
//
// Sources: jsonrpc.org/specification, 5.1; EIP-1474; paritytech/jsonrpsee,
// types/src/error.rs.
var codes = map[int64]Failure{
	-32000: Internal,    // server error
	-32002: Unavailable, // resource unavailable
	-32005: Busy,        // limit exceeded
	-32009: Busy,        // server is busy
	-32029: Busy,        // too many requests, used by several providers
	-32603: Internal,    // internal error
}

// texts classifies refusals by their words, in lower case. The first match counts, and takes precedence over status
// and code. Entries for internal errors count only if status and code are not more specific.
var texts = []struct {
	failure  Failure
	internal bool // applies only to failures that are otherwise Internal
	words    []string
}{
	{Pruned, false, []string{"state already discarded", "missing trie node"}},
	{QuotaSpent, false, []string{"daily", "monthly", "per day", "per month", "for today"}},
	{Busy, false, []string{"per second", "per minute", "rps", "rate limit", "rate-limit", "ratelimit"}},
	{QuotaSpent, false, []string{"quota", "credits", "billing"}},
	{Busy, false, []string{"too many requests", "too many concurrent", "throttle", "server is busy", "slow down"}},
	{Denied, false, []string{"api key", "api-key", "apikey", "api_key", "unauthorized", "access denied", "project id", "invalid token", "authentication"}},
	{NodeLost, true, []string{"websocket is not connected", "failed while trying to get the latest header", "disconnected from ws"}},
	{Unavailable, true, []string{
		"no response received from rpc endpoint", "timed out", "timeout", "econn", "socket hang up", "connection re",
		"unavailable", "bad gateway", "overloaded", "upstream", "try again",
	}},
	// Refusals by the EVM, the pool or a codec, sent with codes for internal errors.
	{Final, true, []string{"method not found", "does not have the method", "revert", "to pool failed", "out of gas", "gas required", "insufficient", "underpriced", "nonce too", "already known", "invalid"}},
}

// FailureOf classifies an error of this package, or a [Refusal]. Any other error is [Final].
func FailureOf(err error) Failure {
	var status *StatusError
	var unreachable *UnreachableError
	var refusal Refusal
	switch {
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.Is(err, ErrTooLarge), errors.Is(err, http.ErrSchemeMismatch):
		return Final
	case errors.Is(err, errRedirect), errors.Is(err, ErrNotJSON), errors.As(err, new(*UnusableError)):
		return Unusable
	case errors.As(err, &unreachable):
		if errors.As(unreachable.Err, &refusal) { // the reason for closing a WebSocket
			return ofRefusal(refusal, Unavailable)
		}
		return Unavailable
	case errors.As(err, &status):
		return status.failure()
	case errors.As(err, &refusal):
		return ofRefusal(refusal, Final)
	}
	return Final
}

// failure classifies by the text if it is more specific than the status.
func (e *StatusError) failure() Failure {
	byStatus, listed := statuses[int64(e.Code)]
	switch {
	case listed:
	case e.Code >= http.StatusInternalServerError:
		byStatus = Internal
	case e.Code == http.StatusNotFound && e.Place.What == Node: // a node has one path, which answered before
		byStatus = Unusable
	default:
		byStatus = Final
	}
	if byStatus == Internal {
		return ofCode(nodeCode(e.Message), e.Message, Internal)
	}
	return ofText(e.Message, byStatus)
}

// nodeCode returns the code at the start of a gateway's message that quotes its node, as in "-32603: Internal
// error", or 0.
func nodeCode(message string) int64 {
	digits, _, _ := strings.Cut(message, ": ")
	code, _ := strconv.ParseInt(digits, 10, 32)
	return code
}

func ofRefusal(r Refusal, otherwise Failure) Failure {
	code, text := r.Refused()
	return ofCode(code, text, otherwise)
}

func ofCode(code int64, text string, otherwise Failure) Failure {
	failure, listed := codes[code]
	if !listed {
		failure, listed = statuses[code]
	}
	switch {
	case !listed && code == http.StatusInternalServerError:
		failure = Internal
	case !listed:
		failure = otherwise
	}
	return ofText(text, failure)
}

// ofText refines a failure by the words of the answer.
func ofText(text string, failure Failure) Failure {
	text = strings.ToLower(text)
	for _, row := range texts {
		if row.internal && failure != Internal {
			continue
		}
		if slices.ContainsFunc(row.words, func(words string) bool { return strings.Contains(text, words) }) {
			return row.failure
		}
	}
	return failure
}

// IsTransient reports whether the same request may succeed later without any action by the user.
func IsTransient(err error) bool {
	switch FailureOf(err) {
	case QuotaSpent, Internal, NodeLost, Unavailable, Busy:
		return true
	}
	return false
}

// IsBadResponse reports whether err may be due to the current state of the server rather than the request: if the
// address has answered before, a retry may succeed.
func IsBadResponse(err error) bool {
	f := FailureOf(err)
	return f == Denied || f == Unusable
}
