package reconcile

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// Acceptance states that a person accepts a difference. It remains a difference.
type Acceptance struct {
	Difference ledger.Digest // see [Item.Digest]
	By         string        // who accepted it
	Time       string        // when: a day, or an instant in RFC 3339
	Comment    string
	Act        uint64 // its line in the ledger's audit trail; 0 for none
	Line       int    // of the file that states it; 0 for none
}

// MaxAccepted limits the acceptances of a comparison.
const MaxAccepted = 100_000

const maxBy = 256 // bytes

// Check returns an error unless the texts can be stored, shown and opened in a spreadsheet.
func (a *Acceptance) Check() error {
	isLine := func(text string) bool {
		return text != "" && utf8.ValidString(text) && plain.Line(text) == text && strings.TrimSpace(text) == text && plain.Cell(text) == text
	}
	_, notDay := time.Parse(time.DateOnly, a.Time)
	_, notInstant := time.Parse(time.RFC3339, a.Time)
	switch {
	case !isLine(a.By) || len(a.By) > maxBy:
		return fmt.Errorf("by: name who accepts the difference, in one line of up to %d bytes that begins with a letter or a digit", maxBy)
	case notDay != nil && notInstant != nil:
		return fmt.Errorf("time: %q is neither a day such as 2026-02-03 nor an instant such as 2026-02-03T09:30:00Z", plain.Line(a.Time))
	case !isLine(a.Comment) || utf8.RuneCountInString(a.Comment) > ledger.MaxComment:
		return fmt.Errorf("comment: say why, in one line of up to %d characters that begins with a letter or a digit", ledger.MaxComment)
	}
	return nil
}

// said returns the acceptance as a note of an item.
func (a *Acceptance) said() string {
	return fmt.Sprintf("accepted by %s, %s: %s", a.By, a.Time, a.Comment)
}

// Digest returns the SHA-256 that identifies a difference: its outcome, the record's line, the transaction, the
// payer, what the record states about them, and both amounts. If any of them changes, it is another difference.
func (i *Item) Digest() ledger.Digest {
	file, parts := "", [differenceParts]string{0: string(i.Outcome)}
	if row := i.Row; row != nil {
		file = row.File
		parts[1], parts[5], parts[6], parts[7] = strconv.Itoa(row.Line), console.Known(row.Place), console.Known(row.AnyHash()), console.Known(row.Account)
	}
	if t, ok := i.Transaction.Get(); ok {
		parts[2], parts[3], parts[4] = t.Place.String(), t.Hash.String(), console.Known(t.Payer)
	}
	if parts[8], parts[9] = console.Known(i.Books), console.Known(i.Chain); i.Outcome == TotalDiffers {
		parts[8] = console.Known(i.Difference)
	}
	return differenceOf(file, parts)
}

// differenceParts is the number of texts that identify a difference: outcome, line, ID, extrinsic hash, payer; the
// record's ID, hash and account; the amounts of books and chain. A total that differs has its difference in place of books.
const differenceParts = 10

// differenceOf hashes the texts, none of which contains a line break.
func differenceOf(file string, parts [differenceParts]string) ledger.Digest {
	if file != "" { // one of several records
		parts[0] = file + "\n" + parts[0]
	}
	return sha256.Sum256([]byte(strings.Join(parts[:], "\n")))
}

// ActDigest returns the SHA-256 of the differences that are accepted together: their own, sorted, one per line.
func ActDigest(differences []ledger.Digest) ledger.Digest {
	var lines []string
	for _, d := range differences {
		lines = append(lines, d.String()+"\n")
	}
	slices.Sort(lines)
	return sha256.Sum256([]byte(strings.Join(lines, "")))
}

// accepted matches acceptances with the differences of a result.
type accepted struct {
	wanted map[ledger.Digest]*Acceptance
	found  map[ledger.Digest]Kind
}

func newAccepted(list []Acceptance) (a accepted) {
	if len(list) > 0 {
		a = accepted{map[ledger.Digest]*Acceptance{}, map[ledger.Digest]Kind{}}
		for i := range list {
			a.wanted[list[i].Difference] = &list[i]
		}
	}
	return a
}

// find notes that a difference exists.
func (a *accepted) find(i *Item) {
	if len(a.wanted) == 0 {
		return
	}
	if key := i.Digest(); a.wanted[key] != nil {
		a.found[key] = i.kind()
	}
}

// settle drops the acceptances that fit no difference. Those that one act states hold together or not at all.
func (r *Result) settle() {
	broken := map[uint64]bool{}
	for i := range r.Options.Accepted {
		a := &r.Options.Accepted[i]
		if _, found := r.accepted.found[a.Difference]; !found && a.Act > 0 {
			broken[a.Act] = true
		}
	}
	for _, a := range r.Options.Accepted {
		kind, found := r.accepted.found[a.Difference]
		if !found || broken[a.Act] {
			delete(r.accepted.wanted, a.Difference)
			r.Unfit = append(r.Unfit, a)
			continue
		}
		for g := range r.Groups {
			if r.Groups[g].Kind == kind {
				r.Groups[g].Accepted++
			}
		}
	}
}

// Accepts reports whether a difference is accepted.
func (r *Result) Accepts(difference ledger.Digest) bool { return r.accepted.wanted[difference] != nil }

// Accepted returns the number of accepted differences.
func (r *Result) Accepted() int { return len(r.accepted.wanted) }

// AcceptanceOf returns the acceptance of an item; nil if there is none.
func (r *Result) AcceptanceOf(i *Item) *Acceptance {
	if r.Accepted() == 0 || i.Outcome.Agrees() {
		return nil
	}
	return r.accepted.wanted[i.Digest()]
}

// acceptanceJSON is the JSON form of an acceptance.
type acceptanceJSON struct {
	By      string `json:"by"`
	Time    string `json:"time"`
	Comment string `json:"comment"`
	Act     uint64 `json:"act,omitempty"` // absent without a line in an audit trail
}

func (a *Acceptance) json() *acceptanceJSON {
	if a == nil {
		return nil
	}
	return &acceptanceJSON{a.By, a.Time, a.Comment, a.Act}
}

// differenceColumns are the columns of the file of differences.
var differenceColumns = []string{"difference", "kind", "line", "id", "books_wei", "chain_wei", "difference_wei", "by", "time", "comment", "act"}

// WriteDifferences writes the differences as csv, with their acceptances. Who accepts a difference fills in by, time and
// comment. With onlyAccepted, the others are left out.
func (r *Result) WriteDifferences(w io.Writer, onlyAccepted bool) error {
	out := csv.NewWriter(w)
	out.Write(differenceColumns)
	for i, err := range r.Items() {
		if err != nil {
			return err
		}
		a := r.AcceptanceOf(i)
		if i.Outcome.Agrees() || onlyAccepted && a == nil {
			continue
		}
		cells := i.short(r)
		line := []string{i.Digest().String(), string(i.kind()), cells[1], cells[2], console.Known(i.Books), console.Known(i.Chain), console.Known(i.Difference), "", "", "", ""}
		if a != nil {
			line[7], line[8], line[9] = a.By, a.Time, a.Comment
			if a.Act > 0 {
				line[10] = strconv.FormatUint(a.Act, 10)
			}
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// AcceptedRow is a line of a file of accepted differences, with what it states for the reader.
type AcceptedRow struct {
	Acceptance
	Kind, Record, ID string                          // kind, the record's line, transaction ID
	Amount           chain.Optional[chain.SignedWei] // of the difference; unknown if the line states none
}

// Acceptances returns the acceptances of rows.
func Acceptances(rows []AcceptedRow) (list []Acceptance) {
	for _, r := range rows {
		list = append(list, r.Acceptance)
	}
	return list
}

var errDifferences = errors.New(`the first line must name the columns "difference", "by", "time" and "comment"; write the file with fees reconcile --differences`)

// ReadAccepted reads the acceptances in a file that [Result.WriteDifferences] began. Lines without by, time and comment
// accept nothing. Columns are found by name; those for the reader are kept as they are.
func ReadAccepted(text []byte) (list []AcceptedRow, err error) {
	if text, err = csvlist.Text(text); err != nil {
		return nil, err
	}
	places := map[string]int{}
	seen := map[ledger.Digest]int{}
	separator := cmp.Or(csvlist.Separator(csvlist.FirstLine(text), ",;\t"), ',')
	for row, err := range csvlist.Rows(text, separator) {
		if err != nil {
			return nil, err
		}
		if len(places) == 0 {
			for i, name := range row.Fields {
				places[name] = i + 1
			}
			if places["difference"]*places["by"]*places["time"]*places["comment"] == 0 {
				return nil, errDifferences
			}
			continue
		}
		field := func(name string) string {
			if at := places[name]; at > 0 && at <= len(row.Fields) {
				return row.Fields[at-1]
			}
			return ""
		}
		a := Acceptance{By: field("by"), Time: field("time"), Comment: field("comment"), Line: row.Line}
		if a.By+a.Time+a.Comment == "" {
			continue
		}
		wrong := func(err error) ([]AcceptedRow, error) { return nil, fmt.Errorf("line %d: %w", row.Line, err) }
		if err := a.Difference.UnmarshalText([]byte(field("difference"))); err != nil {
			return wrong(fmt.Errorf("difference: %w", err))
		}
		if before := seen[a.Difference]; before > 0 {
			return wrong(fmt.Errorf("line %d accepts the same difference", before))
		}
		seen[a.Difference] = row.Line
		if act := field("act"); act != "" {
			if a.Act, err = strconv.ParseUint(act, 10, 64); err != nil || a.Act == 0 {
				return wrong(fmt.Errorf("act: %q is not a line of an audit trail", plain.Line(act)))
			}
		}
		if err := a.Check(); err != nil {
			return wrong(err)
		}
		if len(list) == MaxAccepted {
			return wrong(fmt.Errorf("more than %d differences are accepted", MaxAccepted))
		}
		r := AcceptedRow{Acceptance: a, Kind: field("kind"), Record: field("line"), ID: field("id")}
		if wei, err := chain.ParseSignedWei(field("difference_wei")); err == nil {
			r.Amount = chain.Some(wei)
		}
		list = append(list, r)
	}
	if len(places) == 0 {
		return nil, errDifferences
	}
	return list, nil
}

// itemOfJSON is what identifies a difference in the details of a result, and its acceptance.
type itemOfJSON struct {
	Outcome   Outcome                       `json:"outcome"`
	File      string                        `json:"file"`
	Line      *int                          `json:"line"`
	ID        string                        `json:"id"`
	Extrinsic string                        `json:"extrinsic_hash"`
	Payer     chain.Optional[chain.Address] `json:"payer"`
	BooksID   string                        `json:"books_id"`
	BooksHash string                        `json:"books_hash"`
	Account   chain.Optional[chain.Address] `json:"books_account"`
	Books     string                        `json:"books"`
	Chain     string                        `json:"chain"`
	Apart     string                        `json:"difference"`
	Accepted  *acceptanceJSON               `json:"accepted"`
}

// AcceptedIn returns the acceptances in a result that [Result.WriteJSON] wrote. Each names the difference beside it.
func AcceptedIn(result io.Reader) (list []Acceptance, err error) {
	in := json.NewDecoder(result)
	wrong := func(err error) ([]Acceptance, error) {
		return nil, fmt.Errorf("not a reconciliation as fees writes it: %w", cmp.Or(err, errors.New("it has no details")))
	}
	depth := 0
	for {
		token, err := in.Token()
		if err != nil {
			return wrong(err)
		}
		if d, is := token.(json.Delim); is {
			if d == '{' || d == '[' {
				depth++
			} else {
				depth--
			}
		}
		if depth == 1 && token == "details" {
			break
		}
	}
	if start, err := in.Token(); err != nil || start != json.Delim('[') {
		return wrong(err)
	}
	for in.More() {
		var text json.RawMessage
		if err := in.Decode(&text); err != nil {
			return wrong(err)
		}
		var i itemOfJSON
		if err := jsonscan.Decode(text, &i); err != nil {
			return wrong(err)
		}
		if i.Accepted == nil {
			continue
		}
		if i.Outcome.Agrees() || len(list) == MaxAccepted {
			return wrong(errors.New("it accepts what is not a difference"))
		}
		parts := [differenceParts]string{string(i.Outcome), "", i.ID, i.Extrinsic, console.Known(i.Payer), i.BooksID, i.BooksHash, console.Known(i.Account), i.Books, i.Chain}
		if i.Outcome == TotalDiffers {
			parts[8] = i.Apart
		}
		if i.Line != nil {
			parts[1] = strconv.Itoa(*i.Line)
		}
		list = append(list, Acceptance{differenceOf(i.File, parts), i.Accepted.By, i.Accepted.Time, i.Accepted.Comment, i.Accepted.Act, 0})
	}
	return list, nil
}

// Counts are the numbers of compared rows and transactions, and of those that agree.
type Counts struct{ Compared, Agreeing int }

// CountsIn returns the counts of a result that [Result.WriteJSON] wrote. It reads only the part before the details.
func CountsIn(result io.Reader) (c Counts, err error) {
	in := json.NewDecoder(result)
	if _, err := in.Token(); err != nil {
		return c, err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return c, err
		}
		if name != "summary" {
			var skipped json.RawMessage
			if err := in.Decode(&skipped); err != nil {
				return c, err
			}
			continue
		}
		var list []struct {
			Outcome Outcome `json:"outcome"`
			Count   int     `json:"count"`
		}
		if err := in.Decode(&list); err != nil {
			return c, err
		}
		for _, s := range list {
			if !s.Outcome.isListedOnly() {
				c.Compared += s.Count
			}
			if s.Outcome.Agrees() && !s.Outcome.isListedOnly() {
				c.Agreeing += s.Count
			}
		}
		return c, nil
	}
	return c, errors.New("it has no summary")
}

// acceptanceColumns are the columns of the details if there are acceptances.
func (r *Result) acceptanceColumns() []table.Column {
	if r.Accepted() == 0 {
		return nil
	}
	return []table.Column{{Name: "accepted_by", Kind: table.Text}, {Name: "accepted_time", Kind: table.Text}, {Name: "accepted_comment", Kind: table.Text}}
}

func (r *Result) acceptanceCells(i *Item) []any {
	if r.Accepted() == 0 {
		return nil
	}
	if a := r.AcceptanceOf(i); a != nil {
		return []any{a.By, a.Time, a.Comment}
	}
	return []any{nil, nil, nil}
}
