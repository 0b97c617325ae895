package header

import "github.com/feeledger/fees/internal/substrate/scale"

// Kind is the kind of a digest item, by its number in the encoding.
type Kind uint8

// The kinds that chains write.
const (
	Other              Kind = 0
	Consensus          Kind = 4
	Seal               Kind = 5
	PreRuntime         Kind = 6
	EnvironmentUpdated Kind = 8
)

// String returns the kind's name in the source.
func (k Kind) String() string {
	switch k {
	case Consensus:
		return "Consensus"
	case Seal:
		return "Seal"
	case PreRuntime:
		return "PreRuntime"
	case EnvironmentUpdated:
		return "RuntimeEnvironmentUpdated"
	}
	return "Other"
}

// Digest is an item of a header's digest.
type Digest struct {
	Kind   Kind
	Engine []byte // owner of the item: 4 bytes, none for kinds without an engine
	Data   []byte
}

// ReadDigest decodes an item.
func ReadDigest(log []byte) (Digest, error) {
	r := scale.NewReader(log)
	d := readDigest(r)
	return d, r.End()
}

func readDigest(r *scale.Reader) (d Digest) {
	switch d.Kind = Kind(r.U8()); d.Kind {
	case Consensus, Seal, PreRuntime:
		d.Engine = r.Bytes(4)
		d.Data = r.Blob()
	case Other:
		d.Data = r.Blob()
	case EnvironmentUpdated:
	default:
		r.Fail("unknown kind of digest %d", uint8(d.Kind))
	}
	return d
}
