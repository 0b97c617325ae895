package gatewayclient

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// DecodeError says that an answer is not what it should be.
type DecodeError struct {
	What string // the answer: "block 25", "multiplier"
	Err  error  // names the field, or the place in the text
}

func (e *DecodeError) Error() string { return fmt.Sprintf("malformed %s: %v", e.What, e.Err) }

func (e *DecodeError) Unwrap() error { return e.Err }

// fieldError names a field by its path from the top of the answer.
type fieldError struct {
	path string // "extrinsics[4].hash"
	err  error
}

func (e *fieldError) Error() string { return e.path + ": " + e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// firstError keeps the first error among the fields of an object or array.
type firstError struct{ err error }

// at notes what went wrong with a member, if anything.
func (f *firstError) at(name string, err error) {
	if err == nil || f.err != nil {
		return
	}
	var inner *fieldError
	switch {
	case !errors.As(err, &inner):
		f.err = &fieldError{name, err}
	case strings.HasPrefix(inner.path, "["):
		f.err = &fieldError{name + inner.path, inner.err}
	default:
		f.err = &fieldError{name + "." + inner.path, inner.err}
	}
}

// atIndex notes what went wrong with an element, if anything.
func (f *firstError) atIndex(i int, err error) {
	if err != nil {
		f.at(fmt.Sprintf("[%d]", i), err)
	}
}

// need notes that a member is missing, unless something else was wrong before.
func (f *firstError) need(name string, there bool) {
	if !there {
		f.at(name, chain.ErrMissing)
	}
}

func unwanted(want string, v wire.Value) error {
	return fmt.Errorf("want %s, have %v", want, v.Kind())
}

// DecodeMultiplier reads the storage item transactionPayment.nextFeeMultiplier.
func DecodeMultiplier(text string) (m chain.AtBlock[chain.Multiplier], err error) {
	err = decode("multiplier", text, func(v wire.Value, fields *firstError) {
		var err error
		m.At, m.AtHash = readAt(v.Member("at"), fields)
		m.Value, err = chain.ReadMultiplier(v.Member("value"))
		fields.at("value", err)
	})
	return m, err
}

// DecodeRuntime reads a /runtime/spec: the runtime that a block left behind, which
// executes the next one.
func DecodeRuntime(text string) (r chain.AtBlock[chain.Runtime], err error) {
	err = decode("runtime spec", text, func(v wire.Value, fields *firstError) {
		r.At, r.AtHash = readAt(v.Member("at"), fields)
		version, err := chain.ReadUint64(v.Member("specVersion"))
		if err == nil && version > 1<<32-1 {
			err = fmt.Errorf("%d is more than 32 bits", version)
		}
		fields.at("specVersion", err)
		r.Value.SpecVersion = uint32(version)
		name, ok := v.Member("specName").Text()
		r.Value.SpecName = name
		fields.need("specName", ok)
	})
	return r, err
}

// readAt reads which block's state an answer is of. The hash may be missing.
func readAt(at wire.Value, fields *firstError) (height uint64, hash chain.Optional[chain.Hash]) {
	height, err := chain.ReadUint64(at.Member("height"))
	fields.at("at.height", err)
	if v := at.Member("hash"); v.Kind() != wire.Absent {
		h, err := chain.ReadHash(v)
		fields.at("at.hash", err)
		hash = chain.Some(h)
	}
	return height, hash
}

// DecodeNodeVersion reads a /node/version. Fields that it lacks are empty, but not all of
// them.
func DecodeNodeVersion(text string) (n chain.NodeVersion, err error) {
	err = decode("node version", text, func(v wire.Value, fields *firstError) {
		n.ClientVersion, _ = v.Member("clientVersion").Text()
		n.ClientImplName, _ = v.Member("clientImplName").Text()
		n.Chain, _ = v.Member("chain").Text()
		fields.need("clientImplName", n != chain.NodeVersion{})
	})
	return n, err
}

// decode reads a small answer, which must be an object.
func decode(what, text string, read func(wire.Value, *firstError)) error {
	v, err := wire.Parse(text)
	switch {
	case err != nil:
		return &DecodeError{what, err}
	case v.Kind() != wire.Object:
		return &DecodeError{what, unwanted("an object", v)}
	}
	var fields firstError
	if read(v, &fields); fields.err != nil {
		return &DecodeError{what, fields.err}
	}
	return nil
}
