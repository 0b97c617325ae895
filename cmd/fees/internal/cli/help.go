package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/internal/console"
)

// AllFlags is the flag that asks for the help with all flags.
const AllFlags = "help-all"

// helpWidth is how wide the help on flags is at most.
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
	out := root.OutOrStdout()
	addFlagGroups()
	own, rest, _ := strings.Cut(root.UsageTemplate(), "{{if .HasAvailableLocalFlags}}")
	_, rest, _ = strings.Cut(rest, "{{if .HasHelpSubCommands}}")
	width := min(helpWidth, WidthOf(out))
	root.SetUsageTemplate(own + fmt.Sprintf("{{flagGroups . %d}}", width) + "{{if .HasHelpSubCommands}}" + rest)
	write := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		var text bytes.Buffer
		c.SetOut(&text)
		write(c, args)
		c.SetOut(nil) // as before: that of the root
		root.SetOut(out)
		io.WriteString(out, folded(text.String(), WidthOf(out)))
	})
}

// addFlagGroups makes flagHelp known to the templates of cobra, which keeps one list of
// functions for all programs of a process, without a lock.
var addFlagGroups = sync.OnceFunc(func() { cobra.AddTemplateFunc("flagGroups", flagHelp) })

// flagHelp is the part of a command's help that explains its flags.
func flagHelp(c *cobra.Command, width int) string {
	all, _ := c.Flags().GetBool(AllFlags)
	var out strings.Builder
	for _, part := range flagParts(c) {
		switch {
		case part.title != seldomTitle || all:
			fmt.Fprintf(&out, "\n\n%s:\n%s", part.title, strings.TrimRight(part.flags.FlagUsagesWrapped(width), " \n"))
		default:
			fmt.Fprintf(&out, "\n\n%s --%s shows the flags that are seldom used too.", c.CommandPath(), AllFlags)
		}
	}
	return out.String()
}

// flagPart is a part of a command's help: a title, and the flags below it.
type flagPart struct {
	title string
	flags *pflag.FlagSet
}

// seldomTitle is the last part's, of the flags that are seldom used.
const seldomTitle = "Seldom"

// flagParts are the flags of a command as its help has them. No part is empty.
func flagParts(c *cobra.Command) (parts []flagPart) {
	c.Flags().SortFlags = false
	what := []string{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(seldom, f.Name) && f.Name != "help" && f.Name != "version" && groupOf(f.Name) == "" {
			what = append(what, f.Name)
		}
	})
	add := func(title string, names []string) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range names {
			if f := c.Flags().Lookup(name); f != nil && !f.Hidden && name != AllFlags {
				set.AddFlag(f)
			}
		}
		if set.HasAvailableFlags() {
			parts = append(parts, flagPart{title, set})
		}
	}
	add("What", what)
	for _, g := range flagGroups {
		add(g.title, g.names)
	}
	add(seldomTitle, seldom)
	return parts
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

// folded is help in so many columns. A paragraph with a line that is too long is wrapped
// anew; a command line that is too long goes on as a shell takes it, its remark below.
func folded(help string, width int) string {
	var out, paragraph strings.Builder
	fits := true
	end := func() {
		if text := paragraph.String(); fits {
			out.WriteString(text)
		} else {
			console.WriteWrapped(&out, strings.TrimSuffix(text, "\n"), 0, width)
		}
		paragraph.Reset()
		fits = true
	}
	for line := range strings.Lines(help) {
		long := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width
		if line != "\n" && !strings.HasPrefix(line, " ") {
			paragraph.WriteString(line)
			fits = fits && !long
			continue
		}
		end()
		switch {
		case !long:
			out.WriteString(line)
		case strings.HasPrefix(line, "  fees "):
			foldCommand(&out, line, width)
		default:
			foldItem(&out, line, width)
		}
	}
	end()
	return out.String()
}

// foldCommand writes a command line with its remark.
func foldCommand(out *strings.Builder, line string, width int) {
	command, remark, _ := strings.Cut(strings.TrimSpace(line), "   ")
	at := "  "
	used := len(at)
	for i, word := range strings.Fields(command) {
		size := utf8.RuneCountInString(word)
		if i > 0 && used+1+size+len(` \`) > width {
			at, used = " \\\n      ", len("      ")
		} else if i > 0 {
			at, used = " ", used+1
		}
		out.WriteString(at + word)
		used += size
	}
	out.WriteString("\n")
	if remark = strings.TrimSpace(remark); remark != "" {
		out.WriteString("      ")
		console.WriteWrapped(out, remark, 6, width)
	}
}

// foldItem writes an item of a list: what belongs to a name stands below itself.
func foldItem(out *strings.Builder, line string, width int) {
	text := strings.TrimLeft(strings.TrimSuffix(line, "\n"), " ")
	indent := len(line) - 1 - len(text)
	if name, rest, ok := strings.Cut(text, "  "); ok && indent+len(name) < width/2 {
		rest = strings.TrimLeft(rest, " ")
		first := strings.Repeat(" ", indent) + name + strings.Repeat(" ", len(text)-len(name)-len(rest))
		if len(first) < width/2 {
			out.WriteString(first)
			console.WriteWrapped(out, rest, len(first), width)
			return
		}
	}
	out.WriteString(strings.Repeat(" ", indent))
	console.WriteWrapped(out, text, indent, width)
}
