package render

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// validators are those of a session, as parts of a text.
type validators struct {
	text  []byte
	spans []span
}

// validators reads the list of session.validators.
func (r *Runtime) validators(bytes []byte, known *scalejson.Addresses) (v validators, err error) {
	if !r.session || bytes == nil {
		return v, nil
	}
	w := scalejson.Writer{Reader: scale.NewReader(bytes), Addresses: known}
	for range w.Length(1) {
		from := len(w.Text)
		if r.codec.Value(&w, r.validator); w.Err() != nil {
			break
		}
		v.spans = append(v.spans, span{from, len(w.Text)})
	}
	v.text = w.Text
	return v, w.End()
}

// at is a validator, nil for none of that number.
func (v *validators) at(i uint64) []byte {
	if i >= uint64(len(v.spans)) {
		return nil
	}
	return v.text[v.spans[i].from:v.spans[i].to]
}

// author is who made a block as JSON, nil where Sidecar finds nobody. It looks at the first
// digest from before the block, then at the first of consensus, then at the first seal; what
// it cannot read ends the search.
func author(digests []digest, v *validators) []byte {
	for _, kind := range []header.Kind{header.PreRuntime, header.Consensus, header.Seal} {
		for i := range digests {
			if digests[i].Kind != kind {
				continue
			}
			author, readable := authorOf(&digests[i], v)
			if author != nil || !readable {
				return author
			}
			break
		}
	}
	return nil
}

// authorOf is who made a block by the word of one digest.
func authorOf(d *digest, v *validators) (author []byte, readable bool) {
	switch engine := string(d.Engine); {
	case engine == "nmbs" || engine == "pow_": // the data begin with the author
		if len(d.Data) < len(chain.Address{}) {
			return nil, false
		}
		return scalejson.AppendString(nil, chain.Address(d.Data).String()), true
	case len(v.spans) == 0:
	case engine == "BABE" && len(d.Data) == 0:
		return v.at(0), true
	case engine == "BABE" && d.Data[0] > 3:
		return nil, false
	case engine == "BABE": // what entitles the author, and the author's number
		return v.at(number(d.Data[1:], 4)), true
	case engine == "aura": // the slot
		return v.at(number(d.Data, 8) % uint64(len(v.spans))), true
	}
	return nil, true
}

// number is a little-endian integer of at most so many bytes, of which some may be missing:
// Sidecar takes them for zero.
func number(bytes []byte, most int) (n uint64) {
	for i, b := range bytes[:min(most, len(bytes))] {
		n |= uint64(b) << (8 * i)
	}
	return n
}
