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

	forgotten int // how often
}

// wordsByNumber are the words as somebody who reads has them.
type wordsByNumber interface {
	// of is the word of a number; not known where there is none.
	of(ctx context.Context, number int64) (word string, known bool)
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

// number is that of a word that was committed, and how many there are.
func (w *words) number(ctx context.Context, text string) (number int64, known bool, all int64, err error) {
	w.mu.RLock()
	read := w.list != nil
	number, known = w.numbers[text]
	all = int64(len(w.list))
	w.mu.RUnlock()
	if read {
		return number, known, all, nil
	}
	if err := w.read(ctx); err != nil {
		return 0, false, 0, err
	}
	return w.number(ctx, text)
}

// read reads those that were committed.
func (w *words) read(ctx context.Context) error {
	for {
		w.mu.RLock()
		forgotten := w.forgotten
		w.mu.RUnlock()
		list, numbers, err := w.committed(ctx)
		if err != nil {
			return err
		}
		w.mu.Lock()
		current := w.forgotten == forgotten // or there are more since
		if current && len(list) >= len(w.list) {
			w.list, w.numbers = list, numbers
		}
		w.mu.Unlock()
		if current {
			return nil
		}
	}
}

// committed are the words of the file, up to the first that somebody took away.
func (w *words) committed(ctx context.Context) (list []string, numbers map[string]int64, err error) {
	rows, err := w.db.QueryContext(ctx, "SELECT number, word FROM words ORDER BY number LIMIT ?", maxWords)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	list, numbers = []string{}, map[string]int64{}
	for rows.Next() {
		var number int64
		var word string
		if err := rows.Scan(&number, &word); err != nil {
			return nil, nil, err
		}
		if number != int64(len(list)) {
			break
		}
		list, numbers[word] = append(list, word), number
	}
	return list, numbers, rows.Err()
}

// forget has them read again: some were committed, or a book is verified.
func (w *words) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list, w.numbers = nil, nil
	w.forgotten++
}

// addedWords are the words as a transaction has them, which adds some that are its own until
// it is committed.
type addedWords struct {
	*words
	numbers map[string]int64
	texts   map[int64]string
}

func (a *addedWords) of(ctx context.Context, number int64) (word string, known bool) {
	if word, known = a.texts[number]; known {
		return word, true
	}
	return a.words.of(ctx, number)
}

// number is that of a word. Where the text becomes one, add writes it.
func (a *addedWords) number(ctx context.Context, text string, add func(number int64) error) (number int64, known bool, err error) {
	if number, known = a.numbers[text]; known {
		return number, true, nil
	}
	number, known, all, err := a.words.number(ctx, text)
	next := all + int64(len(a.numbers))
	if err != nil || known || next >= maxWords || len(text) > longestWord {
		return number, known, err
	}
	if err := add(next); err != nil {
		return 0, false, err
	}
	if a.numbers == nil {
		a.numbers, a.texts = map[string]int64{}, map[int64]string{}
	}
	a.numbers[text], a.texts[next] = next, text
	return next, true, nil
}
