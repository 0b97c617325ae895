package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/internal/console"
)

// AllFlags is the name of the flag that shows help with all flags.
const AllFlags = "help-all"

// helpWidth is the maximum width of the help on flags, in columns.
const helpWidth = 80

// flagGroups are the sections of a command's flags, in order. Flags in no section come first,
// under generalTitle.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Period", []string{"month", "year", "from", "to", "timezone", "partial", "block", "at", "unfinalized"}},
	{"Output", []string{"format", "output", "part", "all", "quiet"}},
	{"Source", []string{"ledger", "gateway", "node", "direct", "trust", "network", "network-file"}},
}

// advanced lists the flags that only --help-all shows: connections, and flags that override rules.
var advanced = []string{
	"api-key-file", "api-key-header", "ca-file", "concurrency", "multiplier-at", "poll", "rps", "rules", "timeout",
	AllFlags,
}

// MoreCommands is the group of commands that the first screen of help only names.
const MoreCommands = "More"

// SetHelp sets up the help of a program and its commands. The program's own help is one screen; with
// --help-all it is the whole manual.
func SetHelp(root *cobra.Command, overview string) {
	root.PersistentFlags().Bool(AllFlags, false, "show help with all flags")
	out := root.OutOrStdout()
	width := min(helpWidth, WidthOf(out))
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStderr(), usage(c, width))
		return err
	})
	write := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if all, _ := c.Flags().GetBool(AllFlags); c == root && !all {
			io.WriteString(out, folded(firstScreen(root, overview), WidthOf(out)))
			return
		}
		var text bytes.Buffer
		c.SetOut(&text)
		write(c, args)
		c.SetOut(nil) // back to the root's
		root.SetOut(out)
		io.WriteString(out, folded(text.String(), WidthOf(out)))
	})
}

// firstScreen is the program's help: its commands by what people want to do.
func firstScreen(root *cobra.Command, overview string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\nUsage: %s COMMAND [flags]\n", overview, root.Name())
	for _, g := range root.Groups() {
		var names []string
		for _, c := range root.Commands() {
			if c.GroupID != g.ID {
				continue
			}
			if names = append(names, c.Name()); g.ID != MoreCommands {
				if len(names) == 1 {
					fmt.Fprintf(&out, "\n%s\n", g.Title)
				}
				fmt.Fprintf(&out, "  %-13s%s\n", c.Name(), c.Short)
			}
		}
		if g.ID == MoreCommands {
			fmt.Fprintf(&out, "\n%s %s\n", g.Title, strings.Join(names, ", "))
		}
	}
	fmt.Fprintf(&out, `
%[1]s COMMAND --help    flags and examples of a command
%[1]s help topics       sources, ledger, output, exit codes, examples
`, root.Name())
	return out.String()
}

// WriteTopics writes the part of the manual that belongs to no command.
func WriteTopics(root *cobra.Command, text string) error {
	out := root.OutOrStdout()
	_, err := io.WriteString(out, folded(text+"\n", WidthOf(out)))
	return err
}

// usage returns the help of a command below its description. It is cobra's, with the flags in groups; no command has
// aliases or help topics.
func usage(c *cobra.Command, width int) string {
	var out strings.Builder
	out.WriteString("Usage:")
	if c.Runnable() {
		out.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		out.WriteString("\n  " + c.CommandPath() + " COMMAND")
	}
	if c.HasExample() {
		out.WriteString("\n\nExamples:\n" + c.Example)
	}
	list := func(title, group string) {
		fmt.Fprintf(&out, "\n\n%s", title)
		for _, one := range c.Commands() {
			if one.GroupID == group && (one.IsAvailableCommand() || one.Name() == "help") {
				fmt.Fprintf(&out, "\n  %-*s %s", one.NamePadding(), one.Name(), one.Short)
			}
		}
	}
	for _, g := range c.Groups() {
		list(g.Title, g.ID)
	}
	switch {
	case !c.HasAvailableSubCommands():
	case len(c.Groups()) == 0:
		list("Commands:", "")
	case !c.AllChildCommandsHaveGroup():
		list("Additional Commands:", "")
	}
	out.WriteString(flagHelp(c, width))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&out, "\n\nUse \"%s COMMAND --help\" for more information about a command.", c.CommandPath())
	}
	return out.String() + "\n"
}

// flagHelp returns the section of a command's help about its flags.
func flagHelp(c *cobra.Command, width int) string {
	all, _ := c.Flags().GetBool(AllFlags)
	var out strings.Builder
	for _, part := range flagParts(c) {
		switch {
		case part.title != advancedTitle || all:
			fmt.Fprintf(&out, "\n\n%s:\n%s", part.title, strings.TrimRight(part.flags.FlagUsagesWrapped(width), " \n"))
		default:
			fmt.Fprintf(&out, "\n\n%s --%s shows all flags.", c.CommandPath(), AllFlags)
		}
	}
	return out.String()
}

// flagPart is a titled section of flags.
type flagPart struct {
	title string
	flags *pflag.FlagSet
}

// The titles of the first and of the last section of flags.
const (
	generalTitle  = "Flags"
	advancedTitle = "Advanced"
)

// flagParts returns the flags of a command by section. No section is empty.
func flagParts(c *cobra.Command) (parts []flagPart) {
	c.Flags().SortFlags = false
	general := []string{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(advanced, f.Name) && f.Name != "help" && f.Name != "version" && groupOf(f.Name) == "" {
			general = append(general, f.Name)
		}
	})
	add := func(title string, names []string) {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range names {
			if f := c.Flags().Lookup(name); f != nil && !f.Hidden && name != AllFlags {
				set.AddFlag(withValueName(f))
			}
		}
		if set.HasAvailableFlags() {
			parts = append(parts, flagPart{title, set})
		}
	}
	add(generalTitle, general)
	for _, g := range flagGroups {
		add(g.title, g.names)
	}
	add(advancedTitle, advanced)
	return parts
}

// groupOf returns the title of a flag's section, "" if it is in none.
func groupOf(name string) string {
	for _, g := range flagGroups {
		if slices.Contains(g.names, name) {
			return g.title
		}
	}
	return ""
}

// folded wraps help to width columns. Paragraphs with a line that is too long are rewrapped; long
// command lines continue with a backslash, with the remark below.
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

// foldItem writes a list item with a hanging indent.
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
