package reconcile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// People paste exports together. A row with a transaction and a fee is never ignored because of where it stands.

// refuseAbove returns an error if rows above the header contain a transaction and an amount, or an amount where the fees are.
func (r *rowReader) refuseAbove(above []*record, header int) error {
	var found []int
	for _, rec := range above {
		if r.isFeeLike(rec) {
			found = append(found, rec.line)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &UnreadError{Line: header, Err: fmt.Errorf("it is the header, but %s above the header %s a fee; save each export in its own file, or skip lines that are not fees with --skip-rows %s",
		lineNames(found), console.Verb(len(found), "has", "have"), numbers(found))}
}

// isFeeLike reports whether a row that is not read contains an amount where the fees are, or a transaction and an amount in
// another cell.
func (r *rowReader) isFeeLike(rec *record) bool {
	named, amount := false, false
	for i := range rec.cells {
		c := &rec.cells[i]
		text := c.value()
		field := r.fieldAt(i + 1)
		switch {
		case c.err != nil || text == "":
		case hashIn.MatchString(text), field == ID && placeIn.MatchString(text):
			named = true
		case field == Fee && (c.number || r.isAmount(text)):
			named, amount = true, true
		case c.number, r.amounts.looksLike(text):
			amount = true
		}
	}
	return named && amount
}

// isAmount reports whether a text could be a fee, with a unit or a sign.
func (r *rowReader) isAmount(text string) bool {
	rest, _ := unsigned(text)
	plain, _, _, err := r.amounts.split(rest)
	return err == nil && plain != "" && strings.Trim(plain, "0123456789.,' ") == "" && !dayLike.MatchString(rest)
}

// maxName exceeds the length of any column name, in bytes.
const maxName = 200

// refuseHeader returns an error if a row below the header is the header of another export. Recognising a header is slow: it
// is left to rows of short texts, in a file that is not refused for more rows than are listed.
func (r *fileReader) refuseHeader(rec *record) error {
	if r.problems.Count > maxProblems || rec.names() < 2 {
		return nil
	}
	for i := range rec.cells {
		if c := &rec.cells[i]; len(c.text) > maxName || c.number || c.err != nil || hashIn.MatchString(c.text) || r.rows.amounts.looksLike(c.value()) {
			return nil
		}
	}
	h := rec.header()
	is := r.declared.Profile != NoProfile && r.declared.profileOf(h) != nil
	if !is {
		_, _, err := h.columns(r.declared)
		var not *notHeaderError
		is = !errors.As(err, &not)
	}
	if !is {
		return nil
	}
	return &UnreadError{Line: rec.line, Err: errors.New("it is the header of another export; save each export in its own file, and name all files: fees reconcile A B")}
}

// numbers lists line numbers as a flag takes them.
func numbers(list []int) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, ",")
}
