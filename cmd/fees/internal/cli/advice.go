package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
)

// Line is a command line that helps who ran a command: some words, and those of the named flags
// that the command was given, as it was given them. Flags that it was not given come from the
// environment, or are the default, there as here.
func Line(c *cobra.Command, words string, flags ...string) string {
	line := []string{words}
	if c != nil {
		for _, name := range flags {
			if f := c.Flags().Lookup(name); f != nil && f.Changed {
				line = append(line, "--"+name, quoted(f.Value.String()))
			}
		}
	}
	return strings.Join(line, " ")
}

// sourceFlags are those that say which ledger is meant, and where its blocks come from.
var sourceFlags = []string{"ledger", "gateway", "network", "network-file", "trust", "api-key-file", "api-key-header", "ca-file"}

// SyncLine is the command line that fills the ledger which a command asks: with blocks, or else with
// the period that the command names. It is "" where the command names none.
func SyncLine(c *cobra.Command, blocks chain.Optional[ledger.Span]) string {
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
	for _, name := range []string{"month", "year", "from"} {
		words = Line(c, words, name)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if _, end := f.Annotations[periodEnd]; end && f.Changed {
			words += " --to " + quoted(f.Value.String())
		}
	})
	if words == "fees sync" {
		return ""
	}
	return Line(c, words, append([]string{"timezone"}, sourceFlags...)...)
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

// quoted is an argument as a shell takes it.
func quoted(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+=,", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
