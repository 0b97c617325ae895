package closing

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// About states how a file was made, for its reviewer: parameters, source, completeness, control totals,
// program and the command line that makes it again. It contains no clock time.
type About struct {
	Title   string
	File    string // its name, "" in a workbook
	SHA256  string // of the file
	Tool    string // name and version of the program
	Command string // that makes the file again, without passwords

	Source   string // the ledger, without credentials, and other sources
	Network  string
	Genesis  string // the hash of block 0, "" if not known
	Evidence string

	Period       string // its name
	Timezone     string
	From, Before string // in RFC 3339, the end exclusive; "" for a range of heights
	Asked        chain.Optional[chain.Heights]
	Missing      []string // descriptions of missing parts
	Blocks       Blocks   // that are present
	First, Last  chain.Optional[chain.Time]
	EveryAccount bool // the payers were not selected
	Accounts     []Account
	Filters      []string // other parameters, such as "by: day"
	Inputs       []Input
	Trail        string        // the head of the ledger's audit trail; "" if the file does not depend on it
	Totals       console.Pairs // counts and control totals
	Notes        []string
}

// Input is a user's file that a figure depends on.
type Input struct {
	Name   string // what it is for, such as prices
	Path   string
	SHA256 string
}

// AccountsSHA256 returns the SHA-256 of a list of addresses: in lower case, sorted, each with a line feed.
func AccountsSHA256(accounts []Account) string {
	lines := make([]string, len(accounts))
	for i, a := range accounts {
		lines[i] = strings.ToLower(a.Address) + "\n"
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// Pairs returns the statement as names and texts, in the order in which a reader checks them.
func (a *About) Pairs() (p console.Pairs) {
	p.Add("file", a.File)
	p.Add("SHA-256", a.SHA256)
	p.Add("content", a.Title)
	p.Add("made by", a.Tool)
	p.Add("make it again", a.Command)
	p.Add("source", a.Source)
	p.Add("network", a.Network)
	p.Add("hash of block 0", cmp.Or(a.Genesis, "not known"))
	p.Add("evidence", a.Evidence)
	p.Add("period", console.PeriodName(a.Period))
	p.Add("time zone", a.Timezone)
	p.Add("from", a.From)
	p.Add("up to, excluding", a.Before)
	a.addBlocks(&p)
	if a.EveryAccount {
		p.Add("accounts", "all payers")
	} else {
		p.Add("accounts", fmt.Sprint(len(a.Accounts)))
		p.Add("SHA-256 of the accounts", AccountsSHA256(a.Accounts)+" (lower case, sorted, one per line)")
	}
	for _, f := range a.Filters {
		p.Add("parameter", f)
	}
	for _, in := range a.Inputs {
		p.Add("input: "+in.Name, in.Path+", SHA-256 "+in.SHA256)
	}
	p.Add("audit trail", a.Trail)
	p = append(p, a.Totals...)
	for _, note := range a.Notes {
		p.Add("note", note)
	}
	return p
}

// addBlocks states which blocks were wanted and which are present.
func (a *About) addBlocks(p *console.Pairs) {
	b := &a.Blocks
	if asked, ok := a.Asked.Get(); ok {
		p.Add("blocks wanted", fmt.Sprintf("%d, %v", asked.Blocks(), asked))
	} else {
		p.Add("blocks wanted", "every block of the period, by its own time")
	}
	p.Add("blocks present", fmt.Sprint(b.Count))
	if b.Count > 0 {
		p.Add("first block", atTime(b.First, b.FirstHash, a.First))
		p.Add("last block", atTime(b.Last, b.LastHash, a.Last))
	}
	if len(a.Missing) == 0 {
		p.Add("complete", "yes")
	}
	for _, lack := range a.Missing {
		p.Add("complete", "no, missing "+lack)
	}
	final := "yes"
	if !b.Final {
		final = "no, not all"
	}
	p.Add("final and sealed", final)
	p.Add("seal of the blocks", cmp.Or(b.Seal, noSeal))
	p.Add("fee rules", strings.Join(b.Rules, ", "))
}

func atTime(height uint64, hash string, at chain.Optional[chain.Time]) string {
	when := "without a time"
	if t, ok := at.Get(); ok {
		when = t.String()
	}
	return fmt.Sprintf("%d, %s, %s", height, hash, when)
}

// Footer returns the lines at the foot of each page of a document: period, seal and evidence.
func (a *About) Footer() []string {
	b := &a.Blocks
	blocks := "no blocks"
	if b.Count > 0 {
		blocks = fmt.Sprintf("blocks %d to %d", b.First, b.Last)
	}
	return []string{
		strings.Join([]string{a.Network, console.PeriodName(a.Period), a.Timezone, blocks}, ", "),
		"seal " + cmp.Or(b.Seal, noSeal),
		"evidence: " + a.Evidence,
	}
}

// noSeal is stated in place of a seal.
const noSeal = "none, because not all are sealed"

// Write writes the statement as text.
func (a *About) Write(w io.Writer) error {
	page := console.NewPage(w, math.MaxInt)
	page.Pairs(a.Pairs())
	return page.Flush()
}

// Sheet returns the statement as a worksheet.
func (a *About) Sheet() *table.Sheet {
	return &table.Sheet{
		Name: "About", Title: "How this file was made", Columns: []table.Column{{Name: "item", Kind: table.Text}, {Name: "value", Kind: table.Text}},
		Rows: func(yield func([]any, error) bool) {
			for _, p := range a.Pairs() {
				if !yield([]any{p.Name, p.Text}, nil) {
					return
				}
			}
		},
	}
}
