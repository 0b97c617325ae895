package addressbook

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/plain"
)

// defaultHeader is the header of a file that had none and no addresses.
const defaultHeader = "address,label,group,account"

// ErrEdit reports an edit that the file cannot take. The text says why.
var ErrEdit = failure.New(failure.NotUnderstood, "the address book was not changed")

func cannot(format string, values ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrEdit}, values...)...)
}

// Edit returns the text of an address book in which one address has the label, group and account of an entry, and the book
// that this text contains. A new address becomes the last line, with a name that parses to it. All other lines stay as they are, to the byte, and so do
// other columns of the line.
//
// It returns ErrEdit for a label that is the name of a group or the label of another account, and for text that a file or a spreadsheet could misread: control characters, bidirectional marks, line
// breaks, the start of a formula, and more than 200 bytes. Other errors are those of [Read].
func Edit(text []byte, e Entry, name string) ([]byte, *Book, error) {
	before, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	e.Label, e.Group, e.Account = norm.NFC.String(e.Label), norm.NFC.String(e.Group), norm.NFC.String(e.Account)
	old, found := before.Find(e.Address)
	if found {
		e.Address = old.Address // also if the file has the same account's other address
	}
	for _, x := range []struct{ what, old, text string }{{"label", old.Label, e.Label}, {"group", old.Group, e.Group}, {"account", old.Account, e.Account}} {
		if err := checkTyped(x.what, x.text); err != nil && x.text != x.old {
			return nil, nil, err
		}
	}
	if err := before.checkOwn(&e); err != nil && e.Label != old.Label {
		return nil, nil, cannot("%v", err)
	}
	lines, at, f := find(text, e.Address)
	if len(at) > 1 {
		return nil, nil, cannot("lines %d and %d are both about %v; join them in the file first", at[0]+1, at[1]+1, e.Address)
	}
	var fields []string
	if len(at) == 1 {
		fields = slices.Clone(f.fields)
	}
	if !f.begun {
		f.columns = columns{0, 1, 2, 3, 4, true}
	}
	if fields, err = f.fill(fields, e, name); err != nil {
		return nil, nil, err
	}
	row := joined(fields, cmp.Or(f.separator, ','))
	made := slices.Clone(lines)
	if len(at) == 1 {
		made[at[0]] = row + ending(lines[at[0]])
	} else {
		end := "\n"
		if len(lines) > 0 {
			end = cmp.Or(ending(lines[len(lines)-1]), ending(lines[0]), end)
			made[len(made)-1] = strings.TrimRight(lines[len(lines)-1], "\r\n") + end
		}
		if !f.begun {
			made = append(made, defaultHeader+end)
		}
		made = append(made, row+end)
	}
	mark := text[:len(text)-len(csvlist.TrimMark(text))]
	after := append(bytes.Clone(mark), strings.Join(made, "")...)
	book, err := verify(before, after, e)
	return after, book, err
}

// checkTyped rejects text that was not in the file and that a file or a spreadsheet could misread.
func checkTyped(what, text string) error {
	switch {
	case checkText(what, text) != nil:
		return cannot("%v", checkText(what, text))
	case what == "label" && checkLabel(text) != nil:
		return cannot("%v", checkLabel(text))
	case strings.TrimSpace(text) != text || strings.TrimPrefix(plain.Cell(text), "'") != strings.TrimPrefix(text, "'"):
		return cannot("the %s must be one line without control characters", what)
	case plain.Cell(text) != text:
		return cannot("the %s %q would be a formula in a spreadsheet; begin it with a letter or a digit", what, text)
	}
	return nil
}

// find returns the lines of a valid file, the indexes of those about an address, and the file's columns with the fields
// of the last of these lines.
func find(text []byte, address chain.Address) (lines []string, at []int, f *file) {
	f = new(file)
	var fields []string
	for line := range bytes.Lines(csvlist.TrimMark(text)) {
		f.fields = nil
		if f.read(len(lines)+1, string(line)) == nil && f.fields != nil {
			if _, of, err := ParseAccount(fieldAt(f.fields, f.address)); err == nil && of == address {
				at, fields = append(at, len(lines)), f.fields
			}
		}
		lines = append(lines, string(line))
	}
	f.fields = fields
	return lines, at, f
}

// fill writes the values of an entry into the fields of a line; nil stands for a new line, which begins with the name.
func (f *file) fill(fields []string, e Entry, name string) ([]string, error) {
	set := func(column int, text string) {
		for len(fields) <= column {
			fields = append(fields, "")
		}
		fields[column] = text
	}
	if fields == nil {
		set(f.address, name)
	}
	for _, x := range []struct {
		what   string
		column int
		text   string
	}{{"label", f.label, e.Label}, {"group", f.group, e.Group}, {"account", f.account, e.Account}} {
		switch {
		case x.column >= 0 && x.text != textAt(fields, x.column):
			set(x.column, x.text)
		case x.column < 0 && x.text != "":
			return nil, cannot("the file has no column %s; name it in the first line, such as %s", x.what, defaultHeader)
		}
	}
	return fields, nil
}

// joined returns fields as a line without its end.
func joined(fields []string, separator rune) string {
	list := make([]string, len(fields))
	for i, text := range fields {
		if strings.ContainsRune(text, separator) || strings.ContainsAny(text, "\"'") || strings.HasPrefix(text, "#") || strings.TrimSpace(text) != text {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		list[i] = text
	}
	return strings.Join(list, string(separator))
}

// ending returns the end of a line: LF, CRLF, or "" for the last one.
func ending(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }

// verify reads a changed file. It returns an error unless that has the entries before with one that differs.
func verify(before *Book, after []byte, e Entry) (*Book, error) {
	now, err := Read(bytes.NewReader(after))
	if err != nil {
		return nil, cannot("%v", err)
	}
	others := func(b *Book) []Entry {
		return slices.DeleteFunc(slices.Clone(b.Entries()), func(other Entry) bool { return other.Address == e.Address })
	}
	e.Line = now.Entry(e.Address).Line
	if now.Entry(e.Address) != e || !slices.Equal(others(before), others(now)) {
		return nil, cannot("the changed file would say something else; edit it yourself")
	}
	return now, nil
}
