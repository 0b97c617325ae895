package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/plain"
)

const maxTags = 1_000_000

// Tags are a user's own tags of transactions. The nil Tags is empty.
type Tags struct {
	tags map[string]tagged // by hash or ID, in lower case
}

type tagged struct {
	tag  string
	line int
}

// ReadTags reads a CSV file of hash,tag: a line for each transaction, by one of its hashes or by
// its ID such as 25-4.
func ReadTags(text []byte) (*Tags, error) {
	text, err := csvlist.Text(text)
	if err != nil {
		return nil, err
	}
	t := &Tags{map[string]tagged{}}
	first := true
	err = eachRow(text, nil, func(row csvlist.Row) (fatal bool, err error) {
		fields, isFirst := row.Cut(2), first
		first = false
		if isFirst && len(fields) == 2 && slices.Contains([]string{"hash", "id", "transaction"}, strings.ToLower(fields[0])) {
			return false, nil
		}
		if err = t.add(row.Line, fields); err == nil && len(t.tags) > maxTags {
			return true, fmt.Errorf("more than %d tags", maxTags)
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Tags) add(line int, fields []string) error {
	if len(fields) != 2 {
		return fmt.Errorf("%d fields, want hash,tag", len(fields))
	}
	id, tag := strings.ToLower(fields[0]), fields[1]
	if err := isID(id); err != nil {
		return fmt.Errorf("%q: %w", plain.Line(fields[0]), err)
	}
	if tag == "" {
		return nil
	}
	if err := CheckName("tag", tag); err != nil {
		return err
	}
	if old, twice := t.tags[id]; twice && old.tag != tag {
		return fmt.Errorf("%s has the tag %q here, and %q on line %d", id, tag, old.tag, old.line)
	}
	t.tags[id] = tagged{tag, line}
	return nil
}

// Tag returns the tag of a transaction. Two names of it with different tags are an error.
func (t *Tags) Tag(f *Facts) (tag string, err error) {
	if t == nil {
		return "", nil
	}
	found := tagged{}
	for _, id := range f.ids() {
		one, ok := t.tags[strings.ToLower(id)]
		switch {
		case !ok:
		case found.line > 0 && found.tag != one.tag:
			return "", fmt.Errorf("transaction %s has the tag %q on line %d, and %q on line %d of the tag file", f.ID, found.tag, found.line, one.tag, one.line)
		default:
			found = one
		}
	}
	return found.tag, nil
}
