package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// besideResult are flags that change where a result is written or what is said meanwhile, not its bytes.
var besideResult = []string{"output", "about", "quiet"}

// PerformAgain returns the command line that makes the bytes of a result again: the flags as given, and a ledger, an
// address book or a gateway that the environment names, except for the unread flags. It contains no passwords and keys.
func PerformAgain(c *cobra.Command, args []string, unread ...string) string {
	words := strings.Fields(c.CommandPath())
	ended := slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) // as flags
	if !ended {
		words = append(words, quotedAll(args)...)
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(besideResult, f.Name) {
			words = append(words, withoutSecrets(f)...)
		}
	})
	for _, from := range []Setting{{"ledger", os.Getenv("FEES_LEDGER")}, {"labels", os.Getenv("FEES_ACCOUNTS")}, {"gateway", gatewayOfEnvironment()}} {
		f := c.Flags().Lookup(from.Name)
		if f != nil && !f.Changed && from.Value != "" && !slices.Contains(unread, from.Name) {
			words = append(words, flagWords(from.Name, withoutSecret(from.Value))...)
		}
	}
	if ended {
		words = append(append(words, "--"), quotedAll(args)...)
	}
	return strings.Join(words, " ")
}

func withoutSecrets(f *pflag.Flag) (words []string) {
	list, isList := f.Value.(pflag.SliceValue)
	switch {
	case isList:
		for _, value := range list.GetSlice() {
			words = append(words, flagWords(f.Name, console.InList(withoutSecret(value)))...)
		}
		return words
	case strings.Contains(f.Value.String(), "://"):
		return flagWords(f.Name, withoutSecret(f.Value.String()))
	}
	return wordsOf(f)
}

// withoutSecret returns a URL without user name, password and what may be a key, and any other text unchanged.
func withoutSecret(value string) string {
	switch {
	case ledger.Postgres(value):
		return app.ShownLedger(value)
	case !strings.Contains(value, "://"):
		return value
	case showsKey(value) || strings.Contains(value, "@"):
		return ShownPlace(value)
	}
	return WithoutPassword(value)
}
