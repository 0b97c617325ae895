package block

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/schema"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// payloadReader reads the Ethereum transaction in the arguments of ethereum.transact.
type payloadReader func(*scale.Reader) (*chain.Payload, error)

// payload returns the reader of a transaction: a variant for each type, or the fields of a legacy transaction in
// runtimes before typed transactions.
func (t *types) payload(id metadata.TypeID) payloadReader {
	of := &t.of[t.inner(id)]
	if of.Kind == metadata.Composite {
		return t.transaction(id, chain.Payload{Type: chain.Legacy, Untyped: true}, "args.transaction")
	}
	skipping := func(err error) payloadReader {
		return func(r *scale.Reader) (*chain.Payload, error) {
			t.skip(r, id)
			return nil, err
		}
	}
	if of.Kind != metadata.Variant || len(of.Variants) == 0 {
		return skipping(errors.New("args.transaction: want a variant for each type of transaction"))
	}
	var readers [256]payloadReader
	for i := range of.Variants {
		v := &of.Variants[i]
		name := scalejson.CamelCase(v.Name)
		switch as := chain.TransactionType(name); as {
		case chain.Legacy, chain.EIP2930, chain.EIP1559, chain.EIP7702:
			if len(v.Fields) == 1 {
				readers[v.Index] = t.transaction(v.Fields[0].Type, chain.Payload{Type: as}, "args.transaction."+name)
			}
		}
	}
	return func(r *scale.Reader) (*chain.Payload, error) {
		v := readVariant(r, of)
		switch {
		case v == nil:
			return nil, r.Err()
		case readers[v.Index] != nil:
			return readers[v.Index](r)
		}
		t.skipFields(r, v.Fields)
		return nil, fmt.Errorf("args.transaction: unknown transaction type %q", scalejson.CamelCase(v.Name))
	}
}

// fields are the fields of a transaction while they are read.
type fields struct {
	chain.Payload
	err        error // of a field that a fee needs
	own        point // the signature in the transaction itself
	separate   point // in its member signature
	isSeparate bool
}

// point is a signature: v of a legacy transaction, oddYParity of a typed one.
type point struct {
	v, parity chain.Decoded[uint64]
	r, s      chain.Value
}

// noPoint is a signature without its parts.
var noPoint = point{v: decoded("v", chain.Value{}, chain.Value.Uint64), parity: decoded("oddYParity", chain.Value{}, chain.Value.Uint64)}

// transaction returns the reader of the fields of a transaction. Each type requires its own price fields.
func (t *types) transaction(id metadata.TypeID, empty chain.Payload, where string) payloadReader {
	// The names of two fields are others in eip7702 transactions.
	action, input := "action", "input"
	if empty.Type == chain.EIP7702 {
		action, input = "destination", "data"
	}
	read := map[string]field[fields]{
		"nonce":                needed(t, "nonce", func(p *fields) *chain.Nonce { return &p.Nonce }, nonceOf),
		"gasPrice":             needed(t, "gasPrice", func(p *fields) *chain.GasPrice { return &p.LegacyGasPrice }, chain.Value.GasPrice),
		"maxFeePerGas":         needed(t, "maxFeePerGas", func(p *fields) *chain.GasPrice { return &p.MaxFeePerGas }, chain.Value.GasPrice),
		"maxPriorityFeePerGas": needed(t, "maxPriorityFeePerGas", func(p *fields) *chain.GasPrice { return &p.MaxPriorityFeePerGas }, chain.Value.GasPrice),
		"gasLimit":             needed(t, "gasLimit", func(p *fields) *chain.Gas { return &p.GasLimit }, gasOf),
		"value":                needed(t, "value", func(p *fields) *chain.Wei { return &p.Value }, chain.Value.Wei),
		action:                 t.action(action),
		input:                  t.input(input),
		"chainId":              t.chainID,
		"accessList":           t.accessList,
		"authorizationList":    t.authorizationList,
		"signature": func(id metadata.TypeID) func(*scale.Reader, *fields) {
			read, found := structOf(t, id, t.point())
			return func(r *scale.Reader, p *fields) {
				read(r, &p.separate)
				p.isSeparate = found != nil
			}
		},
	}
	for name, part := range t.point() {
		read[name] = func(id metadata.TypeID) func(*scale.Reader, *fields) {
			read := part(id)
			return func(r *scale.Reader, p *fields) { read(r, &p.own) }
		}
	}
	all, found := structOf(t, id, read)
	required := []string{"nonce", "gasPrice", "gasLimit", "value"}
	if empty.Type.DynamicFee() {
		required = []string{"nonce", "maxFeePerGas", "maxPriorityFeePerGas", "gasLimit", "value"}
	}
	var missing error
	for _, name := range required {
		if missing == nil && !found[name] {
			missing = fmt.Errorf("%s.%s: %w", where, name, chain.ErrMissing)
		}
	}
	start := fields{Payload: empty, own: noPoint, separate: noPoint}
	start.Action = chain.DecodedOf(chain.Action{}, wantAction(action))
	start.Input = chain.DecodedOf[[]byte](nil, wantInput(input))
	if empty.Type == chain.Legacy {
		start.AccessList = chain.DecodedOf[[]chain.AccessEntry](nil, nil)
	} else {
		start.AccessList = chain.DecodedOf[[]chain.AccessEntry](nil, wantList("accessList"))
		start.ChainID = chain.DecodedOf(uint64(0), fmt.Errorf("chainId: %w", chain.ErrMissing))
	}
	if empty.Type == chain.EIP7702 {
		start.Authorizations = chain.DecodedOf[[]chain.Authorization](nil, wantList("authorizationList"))
	}
	return func(r *scale.Reader) (*chain.Payload, error) {
		p := start
		switch all(r, &p); {
		case missing != nil:
			return nil, missing
		case p.err != nil:
			return nil, fmt.Errorf("%s.%w", where, p.err)
		}
		p.Signature = chain.DecodedOf(p.signature())
		payload := p.Payload
		return &payload, nil
	}
}

func wantAction(name string) error {
	return fmt.Errorf(`%s: want {"call": address} or {"create": null}`, name)
}

func wantInput(name string) error { return fmt.Errorf("%s: want bytes", name) }

func wantList(name string) error { return fmt.Errorf("%s: want a list", name) }

// needed returns the reader of a number that a fee needs.
func needed[T any](t *types, name string, to func(*fields) *T, as func(chain.Value) (T, error)) field[fields] {
	return func(id metadata.TypeID) func(*scale.Reader, *fields) {
		read := t.value(id, schema.Word)
		return func(r *scale.Reader, p *fields) {
			n, err := as(read(r))
			if *to(p) = n; err != nil && p.err == nil {
				p.err = fmt.Errorf("%s: %w", name, err)
			}
		}
	}
}

func nonceOf(v chain.Value) (chain.Nonce, error) {
	n, err := v.Uint64()
	return chain.NewNonce(n), err
}

func gasOf(v chain.Value) (chain.Gas, error) {
	n, err := v.Uint64()
	return chain.NewGas(n), err
}

// action returns the reader of what the transaction calls, or that it creates a contract.
func (t *types) action(name string) field[fields] {
	return func(id metadata.TypeID) func(*scale.Reader, *fields) {
		of := &t.of[t.inner(id)]
		if of.Kind != metadata.Variant || len(of.Variants) == 0 {
			return func(r *scale.Reader, _ *fields) { t.skip(r, id) }
		}
		return func(r *scale.Reader, p *fields) {
			v := readVariant(r, of)
			switch {
			case v == nil:
			case strings.EqualFold(v.Name, "create") && len(v.Fields) == 0:
				p.Action = chain.DecodedOf(chain.Action{Create: true}, nil)
			case strings.EqualFold(v.Name, "call") && len(v.Fields) == 1:
				to, err := evmAddress(t.value(v.Fields[0].Type, schema.Account)(r))
				if err != nil {
					err = fmt.Errorf("%s.call: %w", name, err)
				}
				p.Action = chain.DecodedOf(chain.Action{To: to}, err)
			default:
				t.skipFields(r, v.Fields)
			}
		}
	}
}

// evmAddress returns an address of 20 bytes.
func evmAddress(v chain.Value) (chain.Address, error) {
	a, err := v.Account()
	if err == nil {
		_, err = a.EVM()
	}
	if err != nil {
		return chain.Address{}, err
	}
	return a, nil
}

func (t *types) input(name string) field[fields] {
	return func(id metadata.TypeID) func(*scale.Reader, *fields) {
		if !t.isBlob(id) {
			return func(r *scale.Reader, _ *fields) { t.skip(r, id) }
		}
		return func(r *scale.Reader, p *fields) { p.Input = chain.DecodedOf(r.Blob(), nil) }
	}
}

func (t *types) chainID(id metadata.TypeID) func(*scale.Reader, *fields) {
	read := t.value(id, schema.Number)
	return func(r *scale.Reader, p *fields) { p.ChainID = decoded("chainId", read(r), chain.Value.Uint64) }
}

// decoded returns a value as a type; an error names it.
func decoded[T any](name string, v chain.Value, as func(chain.Value) (T, error)) chain.Decoded[T] {
	value, err := as(v)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return chain.DecodedOf(value, err)
}

// point returns the readers of the parts of a signature.
func (t *types) point() map[string]field[point] {
	hash := func(to func(*point) *chain.Value) field[point] {
		return func(id metadata.TypeID) func(*scale.Reader, *point) {
			read := t.value(id, schema.Hash)
			return func(r *scale.Reader, p *point) { *to(p) = read(r) }
		}
	}
	return map[string]field[point]{
		"v": func(id metadata.TypeID) func(*scale.Reader, *point) {
			read := t.value(id, schema.Number)
			return func(r *scale.Reader, p *point) { p.v = decoded("v", read(r), chain.Value.Uint64) }
		},
		"oddYParity": func(id metadata.TypeID) func(*scale.Reader, *point) {
			if of := &t.of[t.inner(id)]; of.Kind == metadata.Primitive && of.Primitive == metadata.Bool {
				return func(r *scale.Reader, p *point) {
					parity := uint64(0)
					if r.Bool() {
						parity = 1
					}
					p.parity = chain.DecodedOf(parity, nil)
				}
			}
			read := t.value(id, schema.Number)
			return func(r *scale.Reader, p *point) { p.parity = decoded("oddYParity", read(r), parityOf) }
		},
		"r": hash(func(p *point) *chain.Value { return &p.r }),
		"s": hash(func(p *point) *chain.Value { return &p.s }),
	}
}

func parityOf(v chain.Value) (uint64, error) {
	n, err := v.Uint64()
	if err == nil && n > 1 {
		return 0, fmt.Errorf("want 0 or 1, have %d", n)
	}
	return n, err
}

// signature returns the signature of a transaction. It is a separate member in legacy transactions and in runtimes that
// support eip7702, and part of the transaction itself in earlier ones.
func (f *fields) signature() (chain.Signature, error) {
	switch {
	case f.Type == chain.Legacy:
		s, err := f.separate.integers(f.separate.v)
		if err != nil {
			err = fmt.Errorf("signature.%w", err)
		}
		return s, err
	case f.isSeparate || f.Type == chain.EIP7702:
		return f.separate.integers(f.separate.parity)
	}
	return f.own.integers(f.own.parity)
}

// integers returns a signature with v, r and s.
func (p *point) integers(v chain.Decoded[uint64]) (s chain.Signature, err error) {
	if s.V, err = v.Get(); err != nil {
		return chain.Signature{}, err
	}
	if s.R, err = decoded("r", p.r, chain.Value.Hash).Get(); err == nil {
		s.S, err = decoded("s", p.s, chain.Value.Hash).Get()
	}
	if err != nil {
		return chain.Signature{}, err
	}
	return s, nil
}

// accessList returns the reader of an access list (EIP-2930).
func (t *types) accessList(id metadata.TypeID) func(*scale.Reader, *fields) {
	type entry struct {
		chain.AccessEntry
		err error
	}
	list := listOf(t, id, func(id metadata.TypeID) func(*scale.Reader, *entry) {
		all, found := structOf(t, id, map[string]field[entry]{
			"address": func(id metadata.TypeID) func(*scale.Reader, *entry) {
				read := t.value(id, schema.Account)
				return func(r *scale.Reader, e *entry) { e.Address, e.err = evmAddress(read(r)) }
			},
			"storageKeys": func(id metadata.TypeID) func(*scale.Reader, *entry) {
				keys := listOf(t, id, func(id metadata.TypeID) func(*scale.Reader, *chain.Hash) {
					read := t.value(id, schema.Hash)
					return func(r *scale.Reader, h *chain.Hash) { *h, _ = read(r).Hash() }
				})
				if of := &t.of[t.inner(id)]; keys == nil || t.hash(of.Element) == nil {
					return func(r *scale.Reader, e *entry) { t.skip(r, id); e.err = wantList("storageKeys") }
				}
				return func(r *scale.Reader, e *entry) { e.StorageKeys = keys(r) }
			},
		})
		return func(r *scale.Reader, e *entry) {
			if all(r, e); len(found) != 2 && e.err == nil {
				e.err = chain.ErrMissing
			}
		}
	})
	if list == nil {
		return func(r *scale.Reader, _ *fields) { t.skip(r, id) }
	}
	return func(r *scale.Reader, p *fields) {
		var entries []chain.AccessEntry
		for i, e := range list(r) {
			if e.err != nil {
				p.AccessList = chain.DecodedOf[[]chain.AccessEntry](nil, fmt.Errorf("accessList[%d]: %w", i, e.err))
				return
			}
			entries = append(entries, e.AccessEntry)
		}
		p.AccessList = chain.DecodedOf(entries, nil)
	}
}

// authorizationList returns the reader of a list of authorizations (EIP-7702).
func (t *types) authorizationList(id metadata.TypeID) func(*scale.Reader, *fields) {
	type entry struct {
		chainID        chain.Decoded[uint64]
		address, nonce chain.Value
		signature      point
	}
	value := func(as schema.Type, to func(*entry) *chain.Value) field[entry] {
		return func(id metadata.TypeID) func(*scale.Reader, *entry) {
			read := t.value(id, as)
			return func(r *scale.Reader, e *entry) { *to(e) = read(r) }
		}
	}
	list := listOf(t, id, func(id metadata.TypeID) func(*scale.Reader, *entry) {
		all, _ := structOf(t, id, map[string]field[entry]{
			"chainId": func(id metadata.TypeID) func(*scale.Reader, *entry) {
				read := t.value(id, schema.Number)
				return func(r *scale.Reader, e *entry) { e.chainID = decoded("chainId", read(r), chain.Value.Uint64) }
			},
			"address": value(schema.Account, func(e *entry) *chain.Value { return &e.address }),
			"nonce":   value(schema.Word, func(e *entry) *chain.Value { return &e.nonce }),
			"signature": func(id metadata.TypeID) func(*scale.Reader, *entry) {
				read, _ := structOf(t, id, t.point())
				return func(r *scale.Reader, e *entry) {
					e.signature = noPoint
					read(r, &e.signature)
				}
			},
		})
		return all
	})
	if list == nil {
		return func(r *scale.Reader, _ *fields) { t.skip(r, id) }
	}
	return func(r *scale.Reader, p *fields) {
		var authorizations []chain.Authorization
		for i, e := range list(r) {
			var a chain.Authorization
			var err error
			if a.ChainID, err = e.chainID.Get(); err == nil {
				a.Address, err = decoded("address", e.address, evmAddress).Get()
			}
			if err == nil {
				var nonce chain.GasPrice // 256 bits, too
				nonce, err = decoded("nonce", e.nonce, chain.Value.GasPrice).Get()
				a.Nonce = chain.AuthorizationNonceOf(nonce.Word())
			}
			if err == nil {
				if a.Signature, err = e.signature.integers(e.signature.parity); err != nil {
					err = fmt.Errorf("signature.%w", err)
				}
			}
			if err != nil {
				p.Authorizations = chain.DecodedOf[[]chain.Authorization](nil, fmt.Errorf("authorizationList[%d].%w", i, err))
				return
			}
			authorizations = append(authorizations, a)
		}
		p.Authorizations = chain.DecodedOf(authorizations, nil)
	}
}
