package source

import (
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/archive/proofs"
)

// Options configures access to a source, and its proof.
type Options struct {
	// Options are for sources reached over a network.
	gatewayclient.Options
	// Trusted is a checkpoint from the user. It requires an archive recorded with proofs: with any other source,
	// Open returns [ErrNoProofs].
	Trusted chain.Optional[chain.Anchor]
	// Final states how Trusted is proved final, if it is.
	Final evidence.Finality
	// Known returns the built-in checkpoints of a chain, by its specName: if Trusted is not set, the highest of
	// them in the archive is used.
	Known func(specName string) []chain.Anchor
}

// ErrNoProofs means that a checkpoint was given for a source without proofs.
var ErrNoProofs = errors.New("this source has no proofs. A checkpoint needs an archive recorded with proofs")

// Driver opens the sources of one kind.
type Driver struct {
	// Matches reports whether an address, as entered by a user, is of this kind.
	Matches func(place string) bool
	Open    func(place string, o Options) (Source, error)
	// Proves reports whether a checkpoint can prove the source's data.
	Proves bool
}

// Drivers lists the drivers; the first that matches an address opens it. A new kind of source is a separate package, and
// one line here.
var Drivers = []Driver{
	{Matches: isDemo, Open: func(string, Options) (Source, error) { return demo.Open(), nil }},
	{Matches: hasSocket, Open: openNode},
	{Matches: isURL, Open: openEither},
	{Matches: proofs.Is, Open: openNodeArchive, Proves: true},
	{Matches: isDirectory, Open: func(place string, _ Options) (Source, error) { return answers.OpenDirectory(place) }},
}

// Open returns the source at an address: the URL of a gateway or of a node, a directory, or "demo". A source
// with a connection to a node is an [io.Closer].
func Open(place string, o Options) (Source, error) {
	for _, driver := range Drivers {
		if !driver.Matches(place) {
			continue
		}
		if o.Trusted.Known() && !driver.Proves {
			return nil, ErrNoProofs
		}
		return driver.Open(place, o)
	}
	return nil, errors.New("a gateway needs a URL, such as http://localhost:8080")
}

func isDemo(place string) bool { return place == demo.Name }

func isURL(place string) bool { return strings.Contains(place, "://") }

// isDirectory reports whether an address may be a directory. It rejects addresses that look like hosts.
func isDirectory(place string) bool {
	_, err := os.Stat(place)
	return err == nil || !looksLikeHost.MatchString(place)
}

// looksLikeHost matches addresses that were probably meant as a host. They may contain a password, so errors
// do not repeat them.
var looksLikeHost = regexp.MustCompile(`@|^[^/\\]+:[0-9]+(/|$)`)
