package cli

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/httpclient"
)

// gatewayFlags name the flags that select the source of blocks.
var gatewayFlags = []string{"gateway", "network", "network-file", "trust", "api-key-file", "api-key-header", "ca-file"}

// sourceFlags name the flags that select the ledger and the source of its blocks.
var sourceFlags = append([]string{"ledger"}, gatewayFlags...)

// SyncLine returns the command line that fills a command's ledger with blocks, or else with the period
// that the command names; "" if it names none.
func SyncLine(c *cobra.Command, blocks chain.Optional[chain.Heights]) string {
	if c == nil {
		return ""
	}
	if span, ok := blocks.Get(); ok {
		return withSource(c, Line(c, "fees sync "+span.String(), sourceFlags...))
	}
	words := "fees sync"
	for _, arg := range c.Flags().Args() {
		if app.IsPeriod(arg) {
			words += " " + arg
		}
	}
	words = Line(c, words, "month", "year", "from", "to")
	if words == "fees sync" {
		return ""
	}
	return withSource(c, Line(c, words, append([]string{"timezone"}, sourceFlags...)...))
}

// withSource adds the source of the ledger's last blocks to a command line, unless the command names a source, or the
// environment names that one.
func withSource(c *cobra.Command, line string) string {
	if from := otherSource(c); from != "" {
		return line + " " + strings.Join(flagWords("gateway", from), " ")
	}
	return line
}

// otherSource returns the source of the last blocks of a command's ledger, "" if it is unknown or what the flag or the
// environment names.
func otherSource(c *cobra.Command) string {
	if c == nil || c.Flags().Lookup("ledger") == nil || c.Flags().Changed("gateway") {
		return ""
	}
	ctx := context.Background()
	if c.Context() != nil {
		ctx = context.WithoutCancel(c.Context())
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	from := app.SourceOf(ctx, cmp.Or(c.Flags().Lookup("ledger").Value.String(), os.Getenv("FEES_LEDGER"), DefaultLedger))
	if from == remembered(cmp.Or(gatewayOfEnvironment(), DefaultGateway)) {
		return ""
	}
	return from
}

// NewLedgerLine returns the command line that creates a command's ledger, with the period that the
// command names, or else with one month as an example.
func NewLedgerLine(c *cobra.Command) string {
	if line := SyncLine(c, chain.Optional[chain.Heights]{}); line != "" {
		return line
	}
	return Line(c, "fees sync --month 2026-01", sourceFlags...)
}

// NewestBlockLine returns the command line that shows the newest block of a command's gateway or node.
func NewestBlockLine(c *cobra.Command) string {
	if c != nil && c.Flags().Lookup("gateway") == nil && c.Flags().Lookup("node") != nil {
		return Line(c, "fees node header", "node")
	}
	return Line(c, "fees block head", "gateway")
}

// addressFlags name the flags for a gateway or node, with their environment variables.
var addressFlags = []struct {
	name      string
	variables []string
}{
	{"gateway", []string{"FEES_GATEWAY"}},
	{"node", []string{nodeVariable}},
	{"against", nil},
}

// NameAnother returns "name another with …" and the flag from which the command took a place, "" if no
// flag of the command takes one.
func NameAnother(c *cobra.Command, place httpclient.Place) string {
	if c == nil {
		return ""
	}
	var flag, words string // of the matching flag, else of the first
	for _, a := range addressFlags {
		f := c.Flags().Lookup(a.name)
		if f == nil {
			continue
		}
		value, text := f.Value.String(), "--"+a.name
		for _, variable := range a.variables {
			value = cmp.Or(value, os.Getenv(variable))
			text += " or " + variable
		}
		if fits := ShownPlace(value) == place.Address; fits || words == "" {
			flag, words = a.name, text
			if fits {
				break
			}
		}
	}
	if words == "" {
		return ""
	}
	if flag == "gateway" && place.What == httpclient.Gateway && strings.Contains(c.Flag(flag).Usage, app.Demo) {
		words += " (--gateway demo needs none)"
	}
	return "name another with " + words
}

// MoreSyncLine returns the command line that adds the newest blocks to a command's ledger.
func MoreSyncLine(c *cobra.Command) string {
	return withSource(c, Line(c, "fees sync", sourceFlags...))
}

// PeriodSyncLine returns the command line that fills a command's ledger with another period.
func PeriodSyncLine(c *cobra.Command, p app.PeriodInput) string {
	return withSource(c, Line(c, "fees sync"+p.Flags(), append([]string{"timezone"}, sourceFlags...)...))
}

// VerifyLine returns the command line that shows the failed checks of blocks.
func VerifyLine(c *cobra.Command, blocks chain.Heights) string {
	return Line(c, "fees verify "+blocks.String(), append([]string{"signatures"}, gatewayFlags...)...)
}

// CompareLine returns the command line that compares a command's ledger with its source.
func CompareLine(c *cobra.Command) string {
	line := Line(c, "fees ledger verify", "ledger", "gateway")
	if c != nil && c.Flags().Changed("gateway") {
		return line
	}
	if known := withSource(c, line); known != line {
		return known
	}
	for _, name := range []string{"FEES_GATEWAY", "GATEWAY_NODE_URL"} {
		if os.Getenv(name) != "" {
			return line + ` --gateway "$` + name + `"`
		}
	}
	return line + " --gateway " + DefaultGateway
}

// WithoutPassword returns a flag's value without the password of a URL.
func WithoutPassword(value string) string {
	if at, err := url.Parse(value); err == nil && at.User != nil {
		return at.Redacted()
	}
	return value
}
