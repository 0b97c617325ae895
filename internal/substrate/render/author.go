package render

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// validators are the validators of a session, as parts of a text.
type validators struct {
	text  []byte
	spans []span
}

// validators decodes the list in session.validators.
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

// at returns the validator with that index, or nil.
func (v *validators) at(i uint64) []byte {
	if i >= uint64(len(v.spans)) {
		return nil
	}
	return v.text[v.spans[i].from:v.spans[i].to]
}

// author returns the block's author as JSON, or nil if Sidecar finds none. It uses the first pre-runtime
// digest, then the first consensus digest, then the first seal; one that it cannot decode ends the search.
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

// authorOf returns the block's author according to one digest.
func authorOf(d *digest, v *validators) (author []byte, readable bool) {
	switch engine := string(d.Engine); {
	case engine == "nmbs" || engine == "pow_": // the data start with the author
		if len(d.Data) < chain.AddressSize {
			return nil, false
		}
		return scalejson.AppendString(nil, chain.Address20([20]byte(d.Data)).String()), true
	case len(v.spans) == 0:
	case engine == "BABE" && len(d.Data) == 0:
		return v.at(0), true
	case engine == "BABE" && d.Data[0] > 3:
		return nil, false
	case engine == "BABE": // the author's entitlement, then the author's index
		return v.at(number(d.Data[1:], 4)), true
	case engine == "aura": // the slot
		return v.at(number(d.Data, 8) % uint64(len(v.spans))), true
	}
	return nil, true
}

// number decodes a little-endian integer of at most size bytes. Missing bytes count as zero, as in Sidecar.
func number(bytes []byte, size int) (n uint64) {
	for i, b := range bytes[:min(size, len(bytes))] {
		n |= uint64(b) << (8 * i)
	}
	return n
}
