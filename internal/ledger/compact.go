package ledger

import (
	"context"
	"strconv"
)

// A file holds values in less room than their texts: an amount below 2^63 as an integer, of
// up to 8 bytes, a word as its number, and a block's costs without what they repeat
// (repeats.go). Who reads rows gets the texts and the costs, and digests are over those.
// Columns of type ANY take both; the columns of a ledger that an earlier program made are
// TEXT, where SQLite makes a text of an integer, and which have no numbers of words.

// compacted is an amount as a file holds it.
func compacted(digits string) any {
	if len(digits) > len("-9223372036854775808") {
		return digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	var same [len("-9223372036854775808")]byte
	if err != nil || string(strconv.AppendInt(same[:0], n, 10)) != digits {
		return digits
	}
	return n
}

// expanded is an amount that a file holds, as a column has it.
func expanded(v value) value {
	if n, ok := v.(int64); ok {
		return strconv.FormatInt(n, 10)
	}
	return v
}

// appendCompacted adds a row's values to those of a statement, its amounts and costs compacted.
func (e *sqliteEngine) appendCompacted(to []any, columns []column, r row) []any {
	for i, v := range r {
		switch columns[i].kind {
		case amount:
			if digits, ok := v.(string); ok {
				v = compacted(digits)
			}
		case costData:
			if costs, ok := v.([]byte); ok {
				v = e.condenser.condensed(costs)
			}
		}
		to = append(to, v)
	}
	return to
}

// placesOfWords are the columns of a table that the numbers of words may stand in.
func (e *sqliteEngine) placesOfWords(ctx context.Context, table *table) ([]int, error) {
	places, known := e.wordPlaces[table.name]
	if known {
		return places, nil
	}
	err := list(ctx, sqlQuerier{e.writer, e.words}, []column{{"name", text, state}}, func(r row) error {
		for i, c := range table.columns {
			if c.name == r[0] && c.kind == word {
				places = append(places, i)
			}
		}
		return nil
	}, "SELECT name FROM pragma_table_info(?) WHERE type = 'ANY'", table.name)
	if err == nil {
		e.wordPlaces[table.name] = places
	}
	return places, err
}

// replaceByWord replaces a text by the number of the word that it is.
func (t *sqliteTransaction) replaceByWord(ctx context.Context, v *any) error {
	text, ok := (*v).(string)
	if !ok {
		return nil
	}
	number, known, err := t.added.number(ctx, text, func(number int64) error {
		return t.exec(ctx, "INSERT INTO words (number, word) VALUES (?, ?)", number, text)
	})
	if known {
		*v = number
	}
	return err
}
