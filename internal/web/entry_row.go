package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// entryField is a field in a cell. It belongs to the form of its row, which stands in another cell.
type entryField struct {
	Name, Form, Label string
	List              string // the ID of its suggestions; "" for none
	Save              string // the label of the row's button, which follows the field; "" for none
	Focus             bool   // it is to be corrected
}

func (f *entryField) node(value string) g.Node {
	input := markup.El("input", markup.Attr("name", f.Name), markup.Attr("form", f.Form), markup.Attr("value", value), markup.Attr("aria-label", f.Label), markup.Attr("autocomplete", "off"), markup.Attr("size", "14"), markup.Optional("list", f.List), wrong(f.Focus))
	if f.Save == "" {
		return input
	}
	return g.Group{input, markup.Text(" "), markup.El("button", markup.Attr("form", f.Form), markup.Attr("class", "save"), markup.Attr("aria-label", f.Save), markup.Text("Save"))}
}

// row returns the form of a row, whose fields are in other cells.
func (f *form) row() g.Node {
	return markup.El("form", markup.Attr("class", "row"), markup.Attr("id", f.Title), postTo(f.Action), tokenField(f.Token), keptFields(f.Hidden))
}

// groupList is the ID of the names of groups that fields suggest.
const groupList = "group-names"

// groupNames returns the names of groups that fields suggest.
func (s *server) groupNames() g.Node {
	return markup.El("datalist", markup.Attr("id", groupList), g.Map(s.labels().GroupNames(), func(name string) g.Node {
		return markup.El("option", markup.Attr("value", plain.Line(name)))
	}))
}

// entryFields are the fields of an entry in a row: their names and headings.
var entryFields = []struct{ name, head string }{{"label", "label"}, {"group", "group"}, {"book_account", "book account"}}

// editable makes the label, group and account of a row's address fields of a form. The row has them from a cell on.
func (s *server) editable(r *http.Request, row []cell, at int, account chain.Address, f form, typed url.Values) []cell {
	e := s.labels().Entry(account)
	id := "row-" + account.String()
	f.Title = id
	f.Hidden = append(f.Hidden, option{"shown", shownEntry(e)})
	for _, field := range entryFields {
		f.Fields = append(f.Fields, control{Name: field.name, Label: strings.ToUpper(field.head[:1]) + field.head[1:]})
	}
	row[0].Form = s.postForm(r, &f)
	if own := refusalOf(r).typedInto(s, &f); own != nil {
		typed = own
	}
	cells := []cell{}
	for i, text := range []string{e.Label, e.Group, e.Account} {
		name := entryFields[i].name
		if typed.Has(name) {
			text = typed.Get(name)
		}
		field := &entryField{Focus: f.Fields[i].Focus, Name: name, Form: id, Label: entryFields[i].head + " of " + s.called(account.String())}
		if name == "group" {
			field.List = groupList
		}
		if i == len(entryFields)-1 {
			field.Save = "Save " + s.called(account.String())
		}
		cells = append(cells, cell{Text: plain.Line(text), Field: field})
	}
	return slices.Replace(row, at, at+len(cells), cells...)
}

// edits are the last edits of each user, which can be undone: the entries before and after.
type edits map[string][]editedEntry

type editedEntry struct{ before, after addressbook.Entry }

// maxEdits limits the edits that are undone together, and the users with such edits.
const maxEdits = 500

// note notes an edit of a user. It joins those before that belong to the same paste.
func (e edits) note(user string, one editedEntry, more bool) {
	if len(e) >= maxEdits {
		clear(e)
	}
	if !more || len(e[user]) >= maxEdits {
		e[user] = nil
	}
	e[user] = append(e[user], one)
}

// savedNote returns what a page says after an edit, with the button that undoes it; nil if there is nothing to undo.
func (s *server) savedNote(r *http.Request, page string) g.Node {
	if !s.mayLabel(r) {
		return nil
	}
	s.names.editing.Lock()
	defer s.names.editing.Unlock()
	list := s.names.edits[s.owner(r)]
	if len(list) == 0 {
		return nil
	}
	last := s.labels().Entry(list[len(list)-1].after.Address)
	return markup.El("div", markup.Attr("id", "saved"), markup.Attr("class", "saved"), markup.Attr("role", "status"), markup.Attr("data-shown", shownEntry(last)), markup.Text("Saved. "),
		markup.El("form", postTo("accounts/undo"), tokenField(s.token(r)), hidden("list", page), markup.El("button", markup.Text("Undo"))))
}

// undoEdits undoes the last edits of a user, unless another edit came after them. Undoing can be undone.
func (s *server) undoEdits(w http.ResponseWriter, r *http.Request) error {
	return s.edits(w, r, func(fields url.Values) (list []addressbook.Entry, to string, err error) {
		undone := map[chain.Address]addressbook.Entry{}
		for _, one := range slices.Backward(s.names.edits[s.owner(r)]) {
			address := one.after.Address
			now, again := undone[address]
			if !again {
				now = s.labels().Entry(address)
			}
			if shownEntry(now) != shownEntry(one.after) {
				return nil, "", errLaterEdit
			}
			undone[address] = one.before
			list = append(list, one.before)
		}
		if len(list) == 0 {
			return nil, "", errNothingToUndo
		}
		return list, listPath(fields, "accounts"), nil
	})
}
