package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

const versionManual = `Print the version, its source commit, and the newest runtime of each network
table.

A block of a newer runtime is priced by the table's last row, and its "rules"
say so. Commit and date are unknown for a build outside its repository.`

const versionExamples = `  fees version
  fees version --json                        for programs and bug reports
  fees version --json | sed -n 's/.*"commit": //p'`

// Build describes a build of the program and its tables.
type Build struct {
	Version string `json:"version"`
	// Commit is the source's commit, Date its committer date, and Modified whether files had changed
	// since; nil if unknown.
	Commit   *string    `json:"commit"`
	Date     *time.Time `json:"date"`
	Modified *bool      `json:"modified"`
	Go       string     `json:"go"`
	OS       string     `json:"os"`
	Arch     string     `json:"arch"`
	Tables   []Table    `json:"tables"`
}

// Table describes the coverage of a network's table.
type Table struct {
	Network     string  `json:"network"`
	LastRuntime uint32  `json:"last_runtime"`
	LastBlock   *uint64 `json:"last_block"` // the last block of an ended chain, else nil
}

// AddVersionFlag adds a flag to a command that prints the version and does nothing else.
func AddVersionFlag(c *cobra.Command) {
	version := c.Flags().BoolP("version", "v", false, "version for "+c.Name())
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if !*version {
			return run(c, args)
		}
		_, err := fmt.Fprintln(c.OutOrStdout(), Version())
		return err
	}
}

// NewVersion returns the version command.
func NewVersion() *cobra.Command {
	var out Output
	var asJSON bool
	return New(&cobra.Command{
		Use: "version", Short: "Print the version and the coverage of its tables", Long: versionManual, Example: versionExamples,
		Args: NoneOf("fees version takes no argument, got %q"),
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			build := buildOf(info)
			build.readTables(network.BuiltIn())
			return out.Show(Answer{JSON: build, Text: build.write})
		},
	}, func(c *cobra.Command) {
		c.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
		before(c, func(*cobra.Command) error {
			if asJSON {
				out.Format = "json"
			}
			return nil
		})
	}, out.StdoutForms("table", "json"))
}

// Version returns the build in one line. Ledgers and packages store it as the program that wrote them.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info).String()
}

// buildOf returns the build information that Go stored in the program.
func buildOf(info *debug.BuildInfo) *Build {
	b := &Build{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info == nil {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = &s.Value
		case "vcs.time":
			if date, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.Date = &date
			}
		case "vcs.modified":
			modified := s.Value == "true"
			b.Modified = &modified
		}
	}
	return b
}

// readTables adds the coverage of the tables.
func (b *Build) readTables(tables network.Tables) {
	for _, n := range tables.All() {
		b.Tables = append(b.Tables, Table{n.Name, n.LastRuntime, n.LastBlock})
	}
}

// String returns the build in one line.
func (b *Build) String() string {
	return fmt.Sprintf("fees %s %s %s/%s", b.Version, b.Go, b.OS, b.Arch)
}

// write writes the build as text.
func (b *Build) write(p *console.Page) {
	p.Line(b.String(), 2)
	commit, date := "not known", "not known"
	if b.Commit != nil {
		commit = *b.Commit
		if b.Modified != nil && *b.Modified {
			commit += ", modified since"
		}
	}
	if b.Date != nil {
		date = b.Date.UTC().Format(time.RFC3339)
	}
	var pairs console.Pairs
	pairs.Add("commit", commit)
	pairs.Add("date", date)
	p.Pairs(pairs)
	p.WriteString("\n")
	t := console.NewTable(console.Column{Name: "network"}, console.Column{Name: "up to runtime", Right: true}, console.Column{Name: "chain", Drop: 1})
	for _, table := range b.Tables {
		ended := ""
		if table.LastBlock != nil {
			ended = fmt.Sprintf("ended at block %d", *table.LastBlock)
		}
		t.Row(table.Network, table.LastRuntime, ended)
	}
	p.Table(t)
}
