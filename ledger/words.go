package ledger

import (
	"context"
	"database/sql"
	"sync"
)

// words are the texts that a file has once, and their numbers, which rows have in the place
// of them: rows name calls, events and kinds over and over.
//
// A number that was committed stays its word's. A text that is no word stands in a row as it
// is, so that no source can fill memory with words.
type words struct {
	db *sql.DB

	mu      sync.RWMutex
	list    []string // by number; nil where they are still to be read
	numbers map[string]int64
}

// Most texts are of the first few dozen words, whose numbers take a byte.
const (
	maxWords    = 4_096
	longestWord = 64 // bytes
)

// of is the word of a number; not known where there is none.
func (w *words) of(ctx context.Context, number int64) (word string, known bool) {
	if word, known = w.kept(number); !known && number >= 0 && number < maxWords {
		if w.read(ctx) == nil { // the writer has added some
			word, known = w.kept(number)
		}
	}
	return word, known
}

func (w *words) kept(number int64) (string, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if number < 0 || number >= int64(len(w.list)) {
		return "", false
	}
	return w.list[number], true
}

// number is that of a word. Where the text becomes one, add writes it.
func (w *words) number(ctx context.Context, text string, add func(number int64) error) (number int64, known bool, err error) {
	w.mu.RLock()
	number, known = w.numbers[text]
	next, read := int64(len(w.list)), w.list != nil
	w.mu.RUnlock()
	switch {
	case !known && !read:
		if err := w.read(ctx); err != nil {
			return 0, false, err
		}
		return w.number(ctx, text, add)
	case known || next >= maxWords || len(text) > longestWord:
		return number, known, nil
	}
	if err := add(next); err != nil {
		return 0, false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list, w.numbers[text] = append(w.list, text), next
	return next, true, nil
}

// read reads those that were committed. There are no fewer than before.
func (w *words) read(ctx context.Context) error {
	rows, err := w.db.QueryContext(ctx, "SELECT number, word FROM words ORDER BY number LIMIT ?", maxWords)
	if err != nil {
		return err
	}
	defer rows.Close()
	list, numbers := []string{}, map[string]int64{}
	for rows.Next() {
		var number int64
		var word string
		if err := rows.Scan(&number, &word); err != nil {
			return err
		}
		if number != int64(len(list)) {
			break // somebody took one away
		}
		list, numbers[word] = append(list, word), number
	}
	if err := rows.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil || len(list) > len(w.list) {
		w.list, w.numbers = list, numbers
	}
	return nil
}

// forget has them read again: a change that added some was undone, or a book is verified.
func (w *words) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list, w.numbers = nil, nil
}
