package network

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
)

// Pin is the result of comparing metadata with the known hash for their runtime.
type Pin int

// The results of the comparison.
const (
	NotPinned   Pin = iota // no hash is known for this runtime and metadata version
	Pinned                 // the hash is known and equal
	PinMismatch            // the hash is known and different
)

// metadataTable lists the known metadata, one per line: spec name, runtime, metadata version, and the
// BLAKE2b-256 hash of the bytes that state_getMetadata returns. Most lines come from public collections of
// real runtimes; those of Moonbeam 2100 and 2600 and of DataHaven's testnet 100 come from development nodes
// with the released runtime.
//
//go:embed tables/metadata.txt
var metadataTable string

type metadataKey struct {
	specName string
	runtime  uint32
	version  uint8
}

var knownMetadata = sync.OnceValue(func() map[metadataKey][]chain.Hash {
	known := map[metadataKey][]chain.Hash{}
	for line := range strings.Lines(metadataTable) {
		var key metadataKey
		var hex string
		_, err := fmt.Sscan(line, &key.specName, &key.runtime, &key.version, &hex)
		hash, wrong := chain.ParseHash(hex)
		if err != nil || wrong != nil {
			panic(fmt.Sprintf("tables/metadata.txt: %q", line))
		}
		known[key] = append(known[key], hash)
	}
	return known
})

// PinOf compares the hash of metadata with the built-in hashes for the runtime.
func PinOf(specName string, runtime uint32, version uint8, hash chain.Hash) Pin {
	known := knownMetadata()[metadataKey{specName, runtime, version}]
	for _, k := range known {
		if k == hash {
			return Pinned
		}
	}
	if len(known) > 0 {
		return PinMismatch
	}
	return NotPinned
}
