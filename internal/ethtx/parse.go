package ethtx

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// maxBytes is more than any pool accepts.
const maxBytes = 1 << 20

// Parse parses a signed transaction in its wire encoding. The result encodes to the same bytes.
func Parse(raw []byte) (*Transaction, error) {
	switch {
	case len(raw) == 0:
		return nil, errors.New("not a transaction: it is empty")
	case len(raw) > maxBytes:
		return nil, fmt.Errorf("a transaction of %d bytes: want at most %d", len(raw), maxBytes)
	case raw[0] >= 0xc0: // an RLP list
		return parse(chain.Legacy, raw)
	}
	for kind, first := range typeBytes {
		if raw[0] == first {
			return parse(kind, raw[1:])
		}
	}
	return nil, fmt.Errorf("unknown transaction type (first byte %#x): want an RLP list, or the type 1, 2 or 4", raw[0])
}

func parse(kind chain.TransactionType, encoded []byte) (*Transaction, error) {
	content, rest, err := split(rlpList, encoded)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes left over", len(rest))
	}
	if err != nil {
		return nil, fmt.Errorf("%s transaction: %w", kind, err)
	}
	p := &parser{rest: content}
	t := p.transaction(kind)
	if p.err == nil && len(p.rest) > 0 {
		p.fail("the end", errors.New("more fields follow"))
	}
	if p.err != nil {
		return nil, fmt.Errorf("%s transaction: %w", kind, p.err)
	}
	return t, nil
}

// parser reads the fields of a list in sequence. It keeps its first error.
type parser struct {
	rest []byte
	err  error
}

func (p *parser) fail(name string, err error) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %w", name, err)
	}
}

func (p *parser) transaction(kind chain.TransactionType) *Transaction {
	t := &Transaction{Type: kind}
	dynamic := kind == chain.EIP1559 || kind == chain.EIP7702
	if kind != chain.Legacy {
		if t.ChainID = p.uint64("chainId"); t.ChainID == 0 {
			p.fail("chainId", errors.New("0 is not a chain ID"))
		}
	}
	t.Nonce = chain.NewNonce(p.uint64("nonce"))
	if dynamic {
		t.MaxPriorityFeePerGas = p.price("maxPriorityFeePerGas")
		t.MaxFeePerGas = p.price("maxFeePerGas")
	} else {
		t.GasPrice = p.price("gasPrice")
	}
	t.GasLimit = chain.NewGas(p.uint64("gasLimit"))
	switch to := p.bytes("to"); len(to) {
	case 0:
	case chain.AddressSize:
		t.To = chain.Some(chain.Address20([20]byte(to)))
	default:
		p.fail("to", fmt.Errorf("want 20 bytes, or none for a creation; have %d", len(to)))
	}
	t.Value = p.wei("value")
	t.Input = p.bytes("data")
	if kind != chain.Legacy {
		t.AccessList = p.accessList()
	}
	if kind == chain.EIP7702 {
		t.Authorizations = p.authorizations()
	}
	s := p.signature(kind != chain.Legacy)
	if kind == chain.Legacy && p.err == nil {
		var err error
		if t.ChainID, _, err = legacyV(s.V); err != nil {
			p.fail("v", err)
		}
	}
	t.Signature = chain.Some(s)
	return t
}

// bytes reads an RLP string.
func (p *parser) bytes(name string) []byte {
	if p.err != nil {
		return nil
	}
	content, rest, err := split(rlpString, p.rest)
	if err != nil {
		p.fail(name, err)
		return nil
	}
	p.rest = rest
	return content
}

// integer reads an integer of at most size bytes, without leading zeros.
func (p *parser) integer(name string, size int) []byte {
	content := p.bytes(name)
	switch {
	case len(content) > size:
		p.fail(name, fmt.Errorf("want an integer of at most %d bits, have %d bytes", 8*size, len(content)))
	case len(content) > 0 && content[0] == 0:
		p.fail(name, errors.New("an integer has leading zeros"))
	default:
		return content
	}
	return nil
}

func (p *parser) uint64(name string) (n uint64) {
	for _, b := range p.integer(name, 8) {
		n = n<<8 | uint64(b)
	}
	return n
}

func (p *parser) price(name string) chain.GasPrice { return chain.GasPriceOf(p.word(name)) }

func (p *parser) wei(name string) chain.Wei {
	wei, err := chain.WeiOf(p.word(name))
	if err != nil {
		p.fail(name, err)
	}
	return wei
}

// word reads an integer of 256 bits. RLP encodes 0 as no bytes.
func (p *parser) word(name string) (h chain.Hash) {
	content := p.integer(name, len(h))
	copy(h[len(h)-len(content):], content)
	return h
}

// signature reads v or the parity, r and s.
func (p *parser) signature(typed bool) (s chain.Signature) {
	if s.V = p.uint64("v"); typed && s.V > 1 {
		p.fail("yParity", fmt.Errorf("want 0 or 1, have %d", s.V))
	}
	s.R, s.S = p.word("r"), p.word("s")
	return s
}

// list reads a list whose elements are lists.
func (p *parser) list(name string, element func(inside *parser)) {
	if p.err != nil {
		return
	}
	content, rest, err := split(rlpList, p.rest)
	if err != nil {
		p.fail(name, err)
		return
	}
	p.rest = rest
	for i := 0; len(content) > 0 && p.err == nil; i++ {
		var one []byte
		if one, content, err = split(rlpList, content); err != nil {
			p.fail(fmt.Sprintf("%s[%d]", name, i), err)
			return
		}
		inside := &parser{rest: one}
		element(inside)
		if inside.err == nil && len(inside.rest) > 0 {
			inside.err = errors.New("more fields follow")
		}
		if inside.err != nil {
			p.fail(fmt.Sprintf("%s[%d]", name, i), inside.err)
		}
	}
}

// fixed reads exactly size bytes.
func (p *parser) fixed(name string, size int) []byte {
	content := p.bytes(name)
	if p.err == nil && len(content) != size {
		p.fail(name, fmt.Errorf("want %d bytes, have %d", size, len(content)))
	}
	if p.err != nil {
		return make([]byte, size)
	}
	return content
}

func (p *parser) address() chain.Address {
	return chain.Address20([chain.AddressSize]byte(p.fixed("address", chain.AddressSize)))
}

func (p *parser) accessList() (list []chain.AccessEntry) {
	p.list("accessList", func(inside *parser) {
		e := chain.AccessEntry{Address: inside.address()}
		if inside.err != nil {
			return
		}
		keys, rest, err := split(rlpList, inside.rest)
		if err != nil {
			inside.fail("storageKeys", err)
			return
		}
		inside.rest = rest
		for of := (&parser{rest: keys}); len(of.rest) > 0; {
			key := of.fixed("storageKeys", len(chain.Hash{}))
			if of.err != nil {
				inside.fail("storageKeys", of.err)
				return
			}
			e.StorageKeys = append(e.StorageKeys, chain.Hash(key))
		}
		list = append(list, e)
	})
	return list
}

func (p *parser) authorizations() (list []chain.Authorization) {
	p.list("authorizationList", func(inside *parser) {
		a := chain.Authorization{ChainID: inside.uint64("chainId"), Address: inside.address()}
		a.Nonce = chain.AuthorizationNonceOf(inside.word("nonce"))
		a.Signature = inside.signature(false)
		list = append(list, a)
	})
	return list
}
