package cli

import (
	"cmp"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/source"
)

// gatewayFlags are those that say where blocks come from.
var gatewayFlags = []string{"gateway", "network", "network-file", "trust", "api-key-file", "api-key-header", "ca-file"}

// sourceFlags are those that say which ledger is meant, and where its blocks come from.
var sourceFlags = append([]string{"ledger"}, gatewayFlags...)

// SyncLine is the command line that fills the ledger which a command asks: with blocks, or else with
// the period that the command names. It is "" where the command names none.
func SyncLine(c *cobra.Command, blocks chain.Optional[chain.Heights]) string {
	if c == nil {
		return ""
	}
	if span, ok := blocks.Get(); ok {
		return Line(c, "fees sync "+span.String(), sourceFlags...)
	}
	words := "fees sync"
	for _, arg := range c.Flags().Args() {
		if _, err := source.ParseRange(arg); err == nil {
			words += " " + arg
		}
	}
	words = Line(c, words, "month", "year", "from", "to")
	if words == "fees sync" {
		return ""
	}
	return Line(c, words, append([]string{"timezone"}, sourceFlags...)...)
}

// NewLedgerLine returns the command line that creates the ledger which a command asks, with the
// period that the command names, or else with one month as an example.
func NewLedgerLine(c *cobra.Command) string {
	if line := SyncLine(c, chain.Optional[chain.Heights]{}); line != "" {
		return line
	}
	return Line(c, "fees sync --month 2026-01", sourceFlags...)
}

// NewestBlockLine returns the command line that shows the newest block of the gateway or node
// that a command asks.
func NewestBlockLine(c *cobra.Command) string {
	if c != nil && c.Flags().Lookup("gateway") == nil && c.Flags().Lookup("node") != nil {
		return Line(c, "fees node header", "node")
	}
	return Line(c, "fees block head", "gateway")
}

// addressFlags name a gateway or a node, each with the variables that stand for it.
var addressFlags = []struct {
	name      string
	variables []string
}{
	{"gateway", []string{"FEES_GATEWAY"}},
	{"node", []string{nodeVariable}},
	{"against", nil},
}

// NameAnother returns "name another with …" and the flag by which the command was given a place,
// or "" if no flag of the command takes one.
func NameAnother(c *cobra.Command, place httpclient.Place) string {
	if c == nil {
		return ""
	}
	var flag, words string // of the flag that fits, else of the first
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
	if flag == "gateway" && place.What == httpclient.Gateway && strings.Contains(c.Flag(flag).Usage, demo.Name) {
		words += "; --gateway demo needs none"
	}
	return "name another with " + words
}

// MoreSyncLine is the command line that adds the newest blocks to the ledger which a command asks.
func MoreSyncLine(c *cobra.Command) string { return Line(c, "fees sync", sourceFlags...) }

// PeriodSyncLine is the command line that fills the ledger which a command asks with a period that
// is another than the one that the command names.
func PeriodSyncLine(c *cobra.Command, p app.PeriodInput) string {
	return Line(c, "fees sync"+p.Flags(), append([]string{"timezone"}, sourceFlags...)...)
}

// VerifyLine is the command line that shows what of some blocks does not hold.
func VerifyLine(c *cobra.Command, blocks chain.Heights) string {
	return Line(c, "fees verify "+blocks.String(), append([]string{"signatures"}, gatewayFlags...)...)
}

// CompareLine is the command line that compares the ledger which a command asks with where its
// blocks come from.
func CompareLine(c *cobra.Command) string {
	line := Line(c, "fees ledger verify", "ledger", "gateway")
	if c != nil && c.Flags().Changed("gateway") {
		return line
	}
	for _, name := range []string{"FEES_GATEWAY", "GATEWAY_NODE_URL"} {
		if os.Getenv(name) != "" {
			return line + ` --gateway "$` + name + `"`
		}
	}
	return line + " --gateway " + DefaultGateway
}

// WithoutPassword is a flag's value without the password of an address.
func WithoutPassword(value string) string {
	if at, err := url.Parse(value); err == nil && at.User != nil {
		return at.Redacted()
	}
	return value
}
