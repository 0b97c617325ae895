package jsonscan

import "strings"

// Recent remembers what short values meant that are frequent in texts, such as names. A value that comes again is compared
// instead of read. It keeps a limited number of them. The zero Recent is empty.
type Recent[T any] [128]recent[T]

type recent[T any] struct {
	hash uint64
	text string // "" if none
	of   T
}

// Limits of a Recent.
const (
	maxRecent  = 128 // length of a value that is kept
	recentWays = 4   // values with similar hashes
)

// Next moves past the value that comes next, if it was kept, and returns its meaning.
func (r *Recent[T]) Next(s *Scanner) (of T, known bool) {
	s.peek()
	hash := s.hash(s.pos)
	for way := range uint64(recentWays) {
		if kept := &r[(hash+way)%uint64(len(r))]; kept.hash == hash && kept.text != "" && s.depth < MaxDepth && s.Literal(kept.text, 0) {
			return kept.of, true
		}
	}
	return of, false
}

// Keep remembers the meaning of the value read since a mark, unless it is long, contains objects or arrays, or has no end of its
// own, like a number.
func (r *Recent[T]) Keep(s *Scanner, since Mark, of T) {
	text := s.Since(since).text
	if text == "" || len(text) > maxRecent || strings.ContainsAny(text[1:], "{[") || !strings.ContainsAny(text[len(text)-1:], `}]"`) {
		return
	}
	hash := s.hash(since.pos)
	kept := &r[hash%uint64(len(r))]
	for way := range uint64(recentWays) {
		if free := &r[(hash+way)%uint64(len(r))]; free.text == "" {
			kept = free
			break
		}
	}
	*kept = recent[T]{hash, strings.Clone(text), of} // without a clone, the whole text would stay in memory
}

// hash returns a number in which most values that begin at text[i] differ.
func (s *Scanner) hash(i int) uint64 {
	const odd = 0x9e3779b97f4a7c15
	if i+40 > len(s.text) {
		return 0
	}
	text := s.text[i : i+40]
	hash := ((load(text, 8)*odd+load(text, 16))*odd+load(text, 24))*odd + load(text, 32)
	return hash * odd >> 32
}
