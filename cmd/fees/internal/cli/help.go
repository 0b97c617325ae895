package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AllFlags is the flag that asks for the help with all flags.
const AllFlags = "help-all"

// helpWidth is how wide help is.
const helpWidth = 80

// flagGroups are the parts of a command's help, and what is in them, the most used first.
// What is in none of them says what is wanted, and comes first.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Period", []string{"month", "year", "from", "to", "timezone", "partial", "block", "at", "unfinalized"}},
	{"Form", []string{"format", "output", "part", "all", "quiet"}},
	{"Where from", []string{"ledger", "gateway", "node", "direct", "trust", "network", "network-file"}},
}

// seldom are the flags that only the help with all flags shows: how an endpoint is reached
// and asked, and what replaces a rule.
var seldom = []string{
	"api-key-file", "api-key-header", "ca-file", "concurrency", "multiplier-at", "poll", "rps", "rules", "timeout",
	AllFlags,
}

// SetHelp makes the help of a program and of all its commands: the flags in groups, those
// that are seldom used in the help with all flags alone.
func SetHelp(root *cobra.Command) {
	root.PersistentFlags().Bool(AllFlags, false, "help with all flags")
	cobra.AddTemplateFunc("flagGroups", flagHelp)
	own, rest, _ := strings.Cut(root.UsageTemplate(), "{{if .HasAvailableLocalFlags}}")
	_, rest, _ = strings.Cut(rest, "{{if .HasHelpSubCommands}}")
	root.SetUsageTemplate(own + "{{flagGroups .}}{{if .HasHelpSubCommands}}" + rest)
}

// flagHelp is the part of a command's help that explains its flags.
func flagHelp(c *cobra.Command) string {
	all, _ := c.Flags().GetBool(AllFlags)
	c.Flags().SortFlags = false
	what := []string{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(seldom, f.Name) && f.Name != "help" && f.Name != "version" && groupOf(f.Name) == "" {
			what = append(what, f.Name)
		}
	})
	var out strings.Builder
	show := func(title string, names []string) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range names {
			if f := c.Flags().Lookup(name); f != nil && !f.Hidden {
				set.AddFlag(f)
			}
		}
		if set.HasAvailableFlags() {
			fmt.Fprintf(&out, "\n\n%s:\n%s", title, strings.TrimRight(set.FlagUsagesWrapped(helpWidth), " \n"))
		}
	}
	show("What", what)
	for _, g := range flagGroups {
		show(g.title, g.names)
	}
	if all {
		show("Seldom", slices.DeleteFunc(slices.Clone(seldom), func(name string) bool { return name == AllFlags }))
	} else if slices.ContainsFunc(seldom, func(name string) bool { return name != AllFlags && c.Flags().Lookup(name) != nil }) {
		fmt.Fprintf(&out, "\n\n%s --%s shows the flags that are seldom used too.", c.CommandPath(), AllFlags)
	}
	return out.String()
}

// groupOf is the title of the group that a flag is in, "" for none.
func groupOf(name string) string {
	for _, g := range flagGroups {
		if slices.Contains(g.names, name) {
			return g.title
		}
	}
	return ""
}
