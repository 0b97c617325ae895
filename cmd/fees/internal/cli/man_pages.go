package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// WriteManPages writes a man page for a program and each of its commands into a directory, which it
// creates if necessary: fees.1, fees-report.1 and so on. The pages keep the lists and tables of the plain
// text help. The same build writes the same bytes.
func WriteManPages(root *cobra.Command, directory string) error {
	if err := os.MkdirAll(directory, 0o777); err != nil {
		return fmt.Errorf("--man-pages: %w", err)
	}
	info, _ := debug.ReadBuildInfo()
	build := buildOf(info)
	for c := range Explained(root) {
		if err := os.WriteFile(filepath.Join(directory, pageName(c)+".1"), manPage(c, build), 0o666); err != nil {
			return fmt.Errorf("--man-pages: %w", err)
		}
	}
	return nil
}

// pageName returns the name of a command's man page.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns a command's man page.
func manPage(c *cobra.Command, build *Build) []byte {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var p roff
	date := ""
	if build.Date != nil {
		date = build.Date.UTC().Format(time.DateOnly)
	}
	fmt.Fprintf(&p, ".TH %q 1 %q %q %q\n", strings.ToUpper(pageName(c)), date, "fees "+build.Version, "fees manual")
	p.section("Name")
	fmt.Fprintf(&p, "%s \\- %s\n", escaped(pageName(c)), escaped(c.Short))
	p.section("Synopsis")
	fmt.Fprintf(&p, ".B %s\n", escaped(c.UseLine()))
	p.section("Description")
	if c.Long == "" {
		p.text(c.Short + ".")
	}
	p.text(c.Long)
	p.commands(c)
	if parts := flagParts(c); len(parts) > 0 {
		p.section("Options")
		for _, part := range parts {
			fmt.Fprintf(&p, ".SS %s\n", part.title)
			part.flags.VisitAll(p.flag)
		}
	}
	if c.Example != "" {
		p.section("Examples")
		p.literal(strings.Split(c.Example, "\n"))
	}
	p.seeAlso(c)
	return p.Bytes()
}

// roff is a man page in roff.
type roff struct{ bytes.Buffer }

func (p *roff) section(title string) { fmt.Fprintf(p, ".SH %s\n", strings.ToUpper(title)) }

// text writes paragraphs. Indented lines belong to a list or a table.
func (p *roff) text(text string) {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, " ") {
			kept = append(kept, line)
			continue
		}
		p.literal(kept)
		kept = nil
		if line == "" {
			p.WriteString(".PP\n")
		} else {
			p.WriteString(escaped(line) + "\n")
		}
	}
	p.literal(kept)
}

// literal writes lines unfilled.
func (p *roff) literal(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.WriteString(".nf\n")
	for _, line := range lines {
		p.WriteString(escaped(line) + "\n")
	}
	p.WriteString(".fi\n")
}

// flag writes the name and the usage of a flag.
func (p *roff) flag(f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	p.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(p, "\\fB\\-%s\\fR, ", escaped(f.Shorthand))
	}
	fmt.Fprintf(p, "\\fB\\-\\-%s\\fR", escaped(f.Name))
	if name != "" {
		fmt.Fprintf(p, " \\fI%s\\fR", escaped(name))
	}
	p.WriteString("\n" + escaped(usage))
	if v := f.DefValue; v != "" && v != "false" && v != "0" && v != "0s" && v != "[]" {
		p.WriteString(escaped(" (default " + v + ")"))
	}
	p.WriteString("\n")
}

// commands lists the subcommands.
func (p *roff) commands(c *cobra.Command) {
	title := "Commands"
	for sub := range Explained(c) {
		if sub.Parent() != c {
			continue
		}
		if title != "" {
			p.section(title)
			title = ""
		}
		fmt.Fprintf(p, ".TP\n\\fB%s\\fR(1)\n%s\n", escaped(pageName(sub)), escaped(sub.Short))
	}
}

// seeAlso names the parent's page and its siblings'.
func (p *roff) seeAlso(c *cobra.Command) {
	if !c.HasParent() {
		return
	}
	p.section("See also")
	names := []string{escaped(pageName(c.Parent())) + "(1)"}
	if c.Parent().HasParent() {
		for sub := range Explained(c.Parent()) {
			if sub != c && sub.Parent() == c.Parent() {
				names = append(names, escaped(pageName(sub))+"(1)")
			}
		}
	}
	p.WriteString(strings.Join(names, ",\n") + "\n")
}

// escaped escapes a line of text for roff.
func escaped(line string) string {
	line = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}
