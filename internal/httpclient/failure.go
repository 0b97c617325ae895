package httpclient

import (
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Failure classifies why a question got no answer. It decides whether the question is asked
// again and for how long (see [Client.AskAll]), and what the user is advised to do.
type Failure string

// The classes of failures.
const (
	// Final repeats whenever the question does.
	Final Failure = "final"
	// Pruned means that the node has discarded the block or its state.
	Pruned Failure = "pruned"
	// Denied means that the provider refuses the key, or the request without one.
	Denied Failure = "denied"
	// Unusable is something else in place of an answer: a web page, cut JSON, another block.
	Unusable Failure = "unusable"
	// QuotaSpent means that the plan's requests for a day or a month are used up.
	QuotaSpent Failure = "quota spent"
	// Internal is an error inside the gateway or node that gives no reason. Another attempt
	// may meet it again.
	Internal Failure = "internal"
	// NodeLost means that the gateway has no connection to its node.
	NodeLost Failure = "node lost"
	// Unavailable means that the gateway or node is away, restarts or takes too long.
	Unavailable Failure = "unavailable"
	// Busy means that there were too many requests.
	Busy Failure = "busy"
)

// Refusal is an error that quotes what a gateway or node sent in place of an answer.
type Refusal interface {
	error
	// Refused returns the JSON-RPC code, 0 if there is none, and the text.
	Refused() (code int64, text string)
}

// statuses lists what HTTP statuses mean. A status that is not listed is [Final] below 500,
// and [Internal] from there on; the text that comes with one can say more (see texts).
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
	// Of the proxies of content delivery networks: the server behind them fails, is down,
	// timed out, or cannot be reached.
	520: Unavailable, 521: Unavailable, 522: Unavailable, 523: Unavailable, 524: Unavailable,
	525: Unavailable, 527: Unavailable, 529: Busy, 530: Unavailable,
}

// codes lists what the codes of JSON-RPC errors mean. A code that is not listed is [Final],
// unless it is an HTTP status, as some providers have it.
//
// Sources: jsonrpc.org/specification, 5.1; EIP-1474; paritytech/jsonrpsee,
// types/src/error.rs.
var codes = map[int64]Failure{
	-32000: Internal,    // server error
	-32002: Unavailable, // resource unavailable
	-32005: Busy,        // limit exceeded
	-32009: Busy,        // server is busy
	-32029: Busy,        // too many requests, of several providers
	-32603: Internal,    // internal error
}

// texts lists what the words of a refusal mean, in lower case; the first that are found
// count, before status and code. Those for errors inside a server count only where status
// and code say no more than that.
var texts = []struct {
	failure  Failure
	internal bool // they count only for a failure that is otherwise Internal
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
	// What the EVM, the pool or a codec says of this one question, under codes for internal errors.
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
		if errors.As(unreachable.Err, &refusal) { // the reason that a WebSocket's end gave
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

// failure is by the text where that says more than the status.
func (e *StatusError) failure() Failure {
	byStatus, listed := statuses[int64(e.Code)]
	switch {
	case listed:
	case e.Code >= http.StatusInternalServerError:
		byStatus = Internal
	case e.Code == http.StatusNotFound && e.Place.What == Node: // it has one path, where an answer came before
		byStatus = Unusable
	default:
		byStatus = Final
	}
	if byStatus == Internal {
		return ofCode(nodeCode(e.Message), e.Message, Internal)
	}
	return ofText(e.Message, byStatus)
}

// nodeCode is the code with which a gateway's message begins that quotes its node, as
// "-32603: Internal error" does; else 0.
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

// ofText refines a failure by the words that came with it.
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

// Passes reports whether the same question may be answered later, without anybody's help but
// the provider's.
func Passes(err error) bool {
	switch FailureOf(err) {
	case QuotaSpent, Internal, NodeLost, Unavailable, Busy:
		return true
	}
	return false
}

// Doubtful reports whether err says more about what stands at the address just now than about
// the question: from an address that has answered before, an answer may follow.
func Doubtful(err error) bool {
	f := FailureOf(err)
	return f == Denied || f == Unusable
}
