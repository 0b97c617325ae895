package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

// providerAdvice returns the advice on a gateway or node that is temporarily unavailable, or requires a
// key.
func providerAdvice(c *cobra.Command, err error) string {
	if errors.Is(err, chain.ErrPruned) {
		return "Use an archive node (--state-pruning archive --blocks-pruning archive)"
	}
	switch httpclient.FailureOf(err) {
	case httpclient.Denied:
		if takes(c, "api-key-file") {
			return "Check the URL and the key (in the URL, in FEES_API_KEY, or in the file of --api-key-file)"
		}
		return "Check the URL and the key in it"
	case httpclient.QuotaSpent:
		return "Wait until the quota of the provider's plan renews, raise it, or use another provider"
	case httpclient.Busy:
		if takes(c, "rps") {
			return "Send fewer requests per second with --rps; the provider limits their rate"
		}
		return "Wait a moment; the provider limits the rate of requests"
	case httpclient.NodeLost:
		return "Restart the gateway if its node runs; the gateway has lost the connection to it"
	case httpclient.Internal, httpclient.Unavailable:
		if source.IsUnsupported(err) || errors.As(err, new(*httpclient.UnreachableError)) { // waiting does not help, or it may not run
			return ""
		}
		return "Wait, or use another gateway or node"
	}
	return ""
}

// repliedFirst returns an error's message. The provider's own reply comes first if it explains the
// failure.
func repliedFirst(c *cobra.Command, err error) string {
	text := message(c, err)
	if !errors.Is(err, chain.ErrPruned) && (source.IsUnsupported(err) || !httpclient.IsTransient(err) && httpclient.FailureOf(err) != httpclient.Denied) {
		return text
	}
	from, words := reply(err)
	if words == "" || !strings.Contains(text, words) {
		return text
	}
	return fmt.Sprintf("the %s replied \"%s\" (%s)", from, plain.Line(words), strings.Replace(text, ": "+words, "", 1))
}

// reply returns what a gateway or node sent instead of an answer.
func reply(err error) (from, words string) {
	var status *httpclient.StatusError
	var refusal httpclient.Refusal
	switch {
	case errors.As(err, &status):
		return status.Place.What, status.Message
	case errors.As(err, &refusal):
		_, words = refusal.Refused()
		return httpclient.Node, words
	}
	return "", ""
}

// continues returns how to continue interrupted work, "" if another attempt cannot help.
func continues(c *cobra.Command, err error) string {
	if app.KindOf(err) != failure.Unanswered || source.IsUnsupported(err) || !httpclient.IsTransient(err) && !source.IsBadResponse(err) {
		return ""
	}
	var interrupted *httpclient.InterruptedError
	switch {
	case !errors.As(err, &interrupted):
		return ""
	case c != nil && c.Name() == "watch": // without --from it starts at the head
		return `continue with "` + cli.Line(c, "fees watch --from "+strconv.FormatUint(interrupted.Next, 10), "gateway", "node", "format", "network", "network-file", "api-key-file", "api-key-header", "ca-file") + `"`
	}
	return fmt.Sprintf("run the same command again to continue at block %d", interrupted.Next)
}
