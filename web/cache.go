package web

// How many bytes of answers are kept in memory, and how many of one: a longer one is made again.
const (
	mostInCache = 64 << 20
	mostOfOne   = 2 << 20
)

// kept is an answer that was made.
type kept struct {
	contentType string
	name        string // of the file, where it is one
	body        []byte
}

func sizeOfAnswer(k kept) int { return len(k.body) }

// keptList is a page with a list: what stands around the list, and all of its rows.
type keptList struct {
	view view
	rows *rows
}

func sizeOfList(l *keptList) int { return l.rows.size + 8<<10 }

// How many bytes of lists are kept in memory: they are packed. And how many summaries of accounts.
const (
	mostOfLists     = 96 << 20
	mostOfSummaries = 1000
)
