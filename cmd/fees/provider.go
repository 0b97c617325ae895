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
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/source"
)

// providerAdvice returns what to do about a gateway or node that does not answer for now, or
// not without a key.
func providerAdvice(c *cobra.Command, err error) string {
	if errors.Is(err, chain.ErrPruned) {
		return "name an archive node (--state-pruning archive --blocks-pruning archive)"
	}
	switch httpclient.FailureOf(err) {
	case httpclient.Denied:
		if takes(c, "api-key-file") {
			return "check the URL and the key: in the URL, in FEES_API_KEY, or in a file that --api-key-file names"
		}
		return "check the URL and the key in it"
	case httpclient.QuotaSpent:
		return "the quota of the provider's plan is used up: wait until it renews, raise it, or name another provider"
	case httpclient.Busy:
		if takes(c, "rps") {
			return "the provider limits how many requests it takes: ask more slowly with --rps"
		}
		return "the provider limits how many requests it takes: wait a moment"
	case httpclient.NodeLost:
		return "the gateway has lost its node: if the node runs, restart the gateway, which may not find it again by itself"
	case httpclient.Internal, httpclient.Unavailable:
		if source.CannotTell(err) || errors.As(err, new(*httpclient.UnreachableError)) { // it will never tell, or may not run at all
			return ""
		}
		return "wait, or name another gateway or node"
	}
	return ""
}

// saidFirst returns an error's message. The provider's own words come first where they say why
// there is no answer.
func saidFirst(c *cobra.Command, err error) string {
	text := message(c, err)
	if !errors.Is(err, chain.ErrPruned) && (source.CannotTell(err) || !httpclient.Passes(err) && httpclient.FailureOf(err) != httpclient.Denied) {
		return text
	}
	who, words := said(err)
	if words == "" || !strings.Contains(text, words) {
		return text
	}
	return fmt.Sprintf("the %s says \"%s\" (%s)", who, console.Printable(words), strings.Replace(text, ": "+words, "", 1))
}

// said returns what a gateway or node sent in place of an answer.
func said(err error) (who, words string) {
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

// continues returns how the work goes on that an error interrupted, where another answer to
// the same question lets it.
func continues(c *cobra.Command, err error) string {
	if app.KindOf(err) != failure.Unanswered || source.CannotTell(err) || !httpclient.Passes(err) && !source.Doubtful(err) {
		return ""
	}
	var interrupted *httpclient.InterruptedError
	switch {
	case !errors.As(err, &interrupted):
		return ""
	case c != nil && c.Name() == "watch": // without --from it begins at the head
		return cli.Line(c, "fees watch --from "+strconv.FormatUint(interrupted.Next, 10), "gateway", "node", "format", "network", "network-file", "api-key-file", "api-key-header", "ca-file") + " continues there"
	}
	return fmt.Sprintf("run the same command again: it continues at block %d", interrupted.Next)
}
