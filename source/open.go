package source

import (
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/archive/demo"
	"github.com/feeledger/fees/ask"
)

// Kind is a kind of place where blocks come from.
type Kind struct {
	// Is tells whether a place, as people name it, is of this kind.
	Is func(place string) bool
	// Open opens it. The options are for those that are asked over a network.
	Open func(place string, o ask.Options) (Source, error)
}

// Kinds are all of them; the first that a place is of opens it. A new kind of source is a
// package of its own, and one line here.
var Kinds = []Kind{
	{isDemo, func(string, ask.Options) (Source, error) { return demo.Open(), nil }},
	{isNode, openNode},
	{isURL, openEither},
	{isDirectory, func(place string, _ ask.Options) (Source, error) { return archive.OpenDirectory(place) }},
}

// Open returns the source at a place: the URL of a gateway or of a node, a directory, or
// "demo". That of a node has a connection, which ends with its Close: it is an [io.Closer].
func Open(place string, o ask.Options) (Source, error) {
	for _, kind := range Kinds {
		if kind.Is(place) {
			return kind.Open(place, o)
		}
	}
	return nil, errors.New("a gateway is named by its URL, such as http://localhost:8080")
}

func isDemo(place string) bool { return place == demo.Name }

func isURL(place string) bool { return strings.Contains(place, "://") }

// isDirectory is true of all but what was more likely meant as a host.
func isDirectory(place string) bool {
	_, err := os.Stat(place)
	return err == nil || !looksLikeHost.MatchString(place)
}

// looksLikeHost is what was more likely meant as a host than as a directory. It
// may hold a password, and is not repeated.
var looksLikeHost = regexp.MustCompile(`@|^[^/\\]+:[0-9]+(/|$)`)
