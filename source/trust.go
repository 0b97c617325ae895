package source

// Trust lists the data of a source that no check proves.
type Trust struct {
	From  string   `json:"from"`  // gateway, node or archive
	Kinds []string `json:"kinds"` // of data
}

// The kinds of data that may be taken on trust.
const (
	trustedHashes     = "block hashes"
	trustedExtrinsics = "extrinsics"
	trustedState      = "state (events, fee multipliers, block weights)"
	trustedVersions   = "runtime versions"
	trustedMetadata   = "runtime metadata"
)

// TrustIn returns the data of a source that is taken on trust. That excludes block hashes for an archive of a
// node if all blocks are proved up to a checkpoint, and the extrinsics of a gateway if they were compared with
// a node's. The source must have responded before: the kind of source at an http URL is unknown until then.
func TrustIn(s Source, proved, withNode bool) Trust {
	_, notNode := As[*node](s)
	_, notArchive := As[*nodeArchive](s)
	switch isArchive := notArchive == nil; {
	case isArchive && proved:
		return Trust{"archive", []string{trustedMetadata}}
	case isArchive:
		return Trust{"archive", []string{trustedHashes, trustedMetadata}}
	case notNode == nil:
		return Trust{"node", []string{trustedHashes, trustedState, trustedMetadata}}
	case withNode:
		return Trust{"gateway", []string{trustedHashes, trustedState, trustedVersions}}
	}
	return Trust{"gateway", []string{trustedHashes, trustedExtrinsics, trustedState, trustedVersions}}
}
