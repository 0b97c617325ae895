package app

import (
	"io"
	"iter"
	"slices"

	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/table"
)

// CoverFile is the cover of a package, to sign on paper.
const CoverFile = "cover.pdf"

// writeCover writes the cover: how the package was made, its findings, accounts and files.
func (x *maker) writeCover(w io.Writer, a *closing.About) error {
	m := &x.manifest
	made := a.Sheet()
	made.Title = "How this package was made"
	sheets := []*table.Sheet{made, findingsSheet(m), accountsSheet(m.Accounts), filesSheet(x.files())}
	if m.Findings.Accepted > 0 {
		sheets = slices.Insert(sheets, 2, x.acceptedSheet())
	}
	return writePaper(w, PaperSizes[0], "Close package, "+m.Network+", "+m.Period.Name(), nil, a, sheets)
}

// findingsSheet lists the findings of a package, and what it lacks.
func findingsSheet(m *closing.Manifest) *table.Sheet {
	s := &table.Sheet{
		Name: "findings", Title: "Findings", Columns: []table.Column{{Name: "finding", Kind: table.Text}, {Name: "count", Kind: table.Integer}},
		Rows: func(yield func([]any, error) bool) {
			for what, count := range m.Findings.Counts {
				if !yield([]any{what, count}, nil) {
					return
				}
			}
		},
	}
	if m.Findings.None() {
		s.Notes = []string{"there are no findings"}
	}
	for _, lack := range m.LeftOut {
		s.Notes = append(s.Notes, "left out: "+lack)
	}
	return s
}

// accountsSheet lists the accounts of a package.
func accountsSheet(accounts []closing.Account) *table.Sheet {
	return &table.Sheet{
		Name: "accounts", Columns: []table.Column{{Name: "address", Kind: table.Text}, {Name: "label", Kind: table.Text}},
		Rows: rowsOf(accounts, func(a closing.Account) []any { return []any{a.Address, a.Label} }),
	}
}

// filesSheet lists the files of a package. The table of the networks is left out: another version of the program may
// have a later one with the same figures.
func filesSheet(files []closing.File) *table.Sheet {
	var list []closing.File
	for _, f := range files {
		if f.Name != networksFile {
			list = append(list, f)
		}
	}
	return &table.Sheet{
		Name: "files", Columns: []table.Column{{Name: "name", Kind: table.Text}, {Name: "bytes", Kind: table.Integer}, {Name: "sha256", Kind: table.Text}},
		Rows:  rowsOf(list, func(f closing.File) []any { return []any{f.Name, f.Size, f.SHA256} }),
		Notes: []string{"manifest.json also has the checksums of this cover and of " + networksFile},
	}
}

// rowsOf returns a row of a sheet for each element.
func rowsOf[E any](list []E, row func(E) []any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for _, one := range list {
			if !yield(row(one), nil) {
				return
			}
		}
	}
}
