package source

// Trust is what is believed of a source's answers: no check proves it.
type Trust struct {
	From  string   `json:"from"`  // gateway, node or archive
	Kinds []string `json:"kinds"` // of data
}

// What a source's word is taken for.
const (
	trustedHashes     = "block hashes"
	trustedExtrinsics = "extrinsics"
	trustedState      = "state (events, fee multipliers, block weights)"
	trustedVersions   = "runtime versions"
	trustedMetadata   = "runtime metadata"
)

// TrustIn returns what is believed of a source. An archive of a node has no block hash on trust where all blocks are proved
// up to a trusted one, nor a gateway the extrinsics where a node's were compared with them. The source must have answered
// before: what stands at an http URL is not known sooner.
func TrustIn(s Source, proved, withNode bool) Trust {
	either, maybe := s.(*eitherSource)
	_, isNode := s.(*node)
	_, isArchive := s.(*nodeArchive)
	switch {
	case isArchive && proved:
		return Trust{"archive", []string{trustedMetadata}}
	case isArchive:
		return Trust{"archive", []string{trustedHashes, trustedMetadata}}
	case isNode, maybe && either.either.isNode():
		return Trust{"node", []string{trustedHashes, trustedState, trustedMetadata}}
	case withNode:
		return Trust{"gateway", []string{trustedHashes, trustedState, trustedVersions}}
	}
	return Trust{"gateway", []string{trustedHashes, trustedExtrinsics, trustedState, trustedVersions}}
}
