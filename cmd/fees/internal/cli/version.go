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

const versionManual = `Print which version this is, what it was built of, and up to which runtime its
tables go.

A block of a newer runtime is priced by the table's last row, and "rules" says so:
a version whose tables go further prices it by its own. Commit and date are those
of the source that was built; they are not known of a build outside of its
repository.`

const versionExamples = `  fees version
  fees version --json                        for programs, and for a report of a fault
  fees version --json | sed -n 's/.*"commit": //p'`

// Build is what a program knows of itself: what it was built of, and what its tables know.
type Build struct {
	Version string `json:"version"`
	// Commit is the source's, and Date its committer's date; nil where the build was not
	// told. Modified says that files had changed since; nil likewise.
	Commit   *string    `json:"commit"`
	Date     *time.Time `json:"date"`
	Modified *bool      `json:"modified"`
	Go       string     `json:"go"`
	OS       string     `json:"os"`
	Arch     string     `json:"arch"`
	Tables   []Table    `json:"tables"`
}

// Table is how far a network's table goes.
type Table struct {
	Network     string  `json:"network"`
	LastRuntime uint32  `json:"last_runtime"`
	LastBlock   *uint64 `json:"last_block"` // of a chain that has ended, else nil
}

// NewVersion is the command that says which version this is.
func NewVersion() *cobra.Command {
	var out Output
	var asJSON bool
	return New(&cobra.Command{
		Use: "version", Short: "Print the version, and how far the tables go", Long: versionManual, Example: versionExamples,
		Args: NoneOf("version takes no argument, and has %q"),
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

// Version is the first line of what the build says of itself. Ledgers and packages keep it
// as the program that wrote them.
func Version() string {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info).String()
}

// buildOf is what Go wrote into the program when it was built, if it did.
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

// readTables adds how far the tables go.
func (b *Build) readTables(tables network.Tables) {
	for _, n := range tables.All() {
		b.Tables = append(b.Tables, Table{n.Name, n.LastRuntime, n.LastBlock})
	}
}

// String is the build in one line.
func (b *Build) String() string {
	return fmt.Sprintf("fees %s %s %s/%s", b.Version, b.Go, b.OS, b.Arch)
}

// write writes the build for people.
func (b *Build) write(p *console.Page) {
	p.Line(b.String(), 2)
	commit, date := "not known", "not known"
	if b.Commit != nil {
		commit = *b.Commit
		if b.Modified != nil && *b.Modified {
			commit += ", and changed since"
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
	t := console.NewTable(console.Column{Name: "tables of"}, console.Column{Name: "up to runtime", Right: true}, console.Column{Name: "chain", Drop: 1})
	for _, table := range b.Tables {
		ended := ""
		if table.LastBlock != nil {
			ended = fmt.Sprintf("ended with block %d", *table.LastBlock)
		}
		t.Row(table.Network, table.LastRuntime, ended)
	}
	p.Table(t)
}
