package source

import (
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/archive/proofs"
)

// Options say how a source is asked, and what proves it.
type Options struct {
	// Options are for sources that are asked over a network.
	gatewayclient.Options
	// Trusted is a block that the user trusts. It is for an archive that was recorded with
	// proofs: any other place is [ErrNoProofs] with it.
	Trusted chain.Optional[chain.Anchor]
	// Known tells which blocks of a chain are known from elsewhere, by its specName: where no
	// block is trusted, the highest of them that an archive has is.
	Known func(specName string) []chain.Anchor
}

// ErrNoProofs says that a place gives its word alone, so that no trusted block proves it.
var ErrNoProofs = errors.New("it gives its word alone: a trusted block proves an archive that was recorded with proofs")

// Kind is a kind of place where blocks come from.
type Kind struct {
	// Is tells whether a place, as people name it, is of this kind.
	Is   func(place string) bool
	Open func(place string, o Options) (Source, error)
	// Proves tells whether a trusted block proves what it says.
	Proves bool
}

// Kinds are all of them; the first that a place is of opens it. A new kind of source is a
// package of its own, and one line here.
var Kinds = []Kind{
	{Is: isDemo, Open: func(string, Options) (Source, error) { return demo.Open(), nil }},
	{Is: isNode, Open: openNode},
	{Is: isURL, Open: openEither},
	{Is: proofs.Is, Open: openNodeArchive, Proves: true},
	{Is: isDirectory, Open: func(place string, _ Options) (Source, error) { return answers.OpenDirectory(place) }},
}

// Open returns the source at a place: the URL of a gateway or of a node, a directory, or
// "demo". That of a node has a connection, which ends with its Close: it is an [io.Closer].
func Open(place string, o Options) (Source, error) {
	for _, kind := range Kinds {
		if !kind.Is(place) {
			continue
		}
		if o.Trusted.Known() && !kind.Proves {
			return nil, ErrNoProofs
		}
		return kind.Open(place, o)
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
