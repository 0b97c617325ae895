package evidence

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// digest compares the block's EVM transactions with those in the digest of its header: all that were executed,
// in order, including those from XCM.
func (s *subject) digest() {
	b := s.block
	if b.Number == 0 {
		s.skip("block 0 does not have a digest")
		return
	}
	named, err := namedTransactions(b.Logs)
	var why unnamed
	switch {
	case errors.As(err, &why):
		s.skip(string(why))
		return
	case err != nil:
		s.broken("the header's digest: %v", err)
		return
	}
	c := digestCheck{named: named}
	c.events(wholeBlock, b.OnInitialize)
	for i := range b.Extrinsics {
		c.events(i, b.Extrinsics[i].Events)
	}
	c.events(wholeBlock, b.OnFinalize)
	switch {
	case c.wrong != "":
		s.brokenAt(c.where, "%s", c.wrong)
	case c.count < len(named):
		s.broken("the header lists %d EVM transactions, but the block has %d: %v is missing", len(named), c.count, named[c.count])
	default:
		s.held()
	}
}

// digestCheck walks through the executed transactions along with the digest's list.
type digestCheck struct {
	named []chain.Hash
	count int    // of the events ethereum.Executed so far
	wrong string // the first mismatch
	where int
}

func (c *digestCheck) events(where int, events []chain.Event) {
	for i := range events {
		if events[i].Is("ethereum", "Executed") {
			c.executed(where, events[i].Data.Index(2))
		}
	}
}

func (c *digestCheck) executed(where int, hash chain.Value) {
	at := c.count
	c.count++
	have, err := chain.Read[chain.Hash](hash)
	switch {
	case c.wrong != "":
		return
	case err != nil:
		c.wrong = fmt.Sprintf("event ethereum.Executed: data[2]: %v", err)
	case at >= len(c.named):
		c.wrong = fmt.Sprintf("the header lists %d EVM transactions, but not %v", len(c.named), have)
	case have != c.named[at]:
		c.wrong = fmt.Sprintf("the header lists %v as EVM transaction %d of the block, but the block has %v", c.named[at], at, have)
	}
	c.where = where
}

// unnamed is the reason why a digest does not list the transactions.
type unnamed string

func (u unnamed) Error() string { return string(u) }

// namedTransactions finds the item of the engine "fron" in a header's digest, and returns the hashes of the
// Ethereum block's transactions in it.
//
// Source: frontier, primitives/consensus/src/lib.rs, find_post_log, which requires exactly one such item.
func namedTransactions(logs chain.Value) ([]chain.Hash, error) {
	switch logs.Kind() {
	case jsonscan.Absent, jsonscan.Null:
		return nil, unnamed("the gateway does not return the header's digest")
	case jsonscan.Array:
	default:
		return nil, fmt.Errorf("want an array, have %v", logs.Kind())
	}
	var item string
	found, unread := 0, false
	for log := range logs.Elements() {
		kind, _ := log.Member("type").Text()
		if kind != "Consensus" {
			unread = unread || kind == ""
			continue
		}
		value := log.Member("value")
		engine, isEngine := value.Index(0).Text()
		text, isText := value.Index(1).Text()
		if !isEngine || !isText {
			unread = true
		} else if strings.EqualFold(engine, frontier) {
			item = text
			found++
		}
	}
	switch {
	case found == 1:
		return readFrontier(item)
	case found > 1:
		return nil, fmt.Errorf("%d items of the engine fron, want one", found)
	case unread:
		return nil, unnamed("the gateway returns the header's digest in an unknown form")
	}
	return nil, errors.New("no item of the engine fron, which lists the EVM transactions")
}

// frontier is the engine's name, "fron".
const frontier = "0x66726f6e"

// The variants of the item's content (frontier, PostLog).
const (
	frontierHashes    = 1 // hash of the Ethereum block and hashes of its transactions
	frontierBlock     = 2 // the whole Ethereum block
	frontierBlockHash = 3 // only its hash
)

// readFrontier decodes the item, SCALE in 0x-hex: the variant, the hash of the
// Ethereum block, and a list of the hashes of its transactions.
func readFrontier(text string) ([]chain.Hash, error) {
	digits, prefixed := strings.CutPrefix(text, "0x")
	data, err := hex.DecodeString(digits)
	switch {
	case !prefixed || err != nil:
		return nil, fmt.Errorf("fron: want 0x and hex digits, have %q", jsonscan.Excerpt(text))
	case len(data) == 0:
		return nil, errors.New("fron: the item is empty")
	}
	switch variant := data[0]; variant {
	case frontierHashes:
	case frontierBlock, frontierBlockHash:
		return nil, unnamed("the header's digest does not list the EVM transactions")
	default:
		return nil, fmt.Errorf("fron: unknown variant %d", variant)
	}
	var hash chain.Hash
	if data = data[1:]; len(data) < len(hash) {
		return nil, errors.New("fron: the item ends within the hash of the Ethereum block")
	}
	count, list, ok := compact(data[len(hash):])
	if !ok || uint64(len(list)) != uint64(count)*uint64(len(hash)) {
		return nil, errors.New("fron: the list of hashes does not have its stated length")
	}
	hashes := make([]chain.Hash, count)
	for i := range hashes {
		copy(hashes[i][:], list[i*len(hash):])
	}
	return hashes, nil
}

// compact decodes a SCALE compact integer of up to 30 bits from the start of data; it must have the shortest
// encoding.
func compact(data []byte) (n uint32, rest []byte, ok bool) {
	if len(data) == 0 {
		return 0, nil, false
	}
	const (
		one  = 1 << 6  // more than one byte encodes
		two  = 1 << 14 // more than two bytes encode
		mode = 3
	)
	size := 1 << (data[0] & mode) // 1, 2 or 4 bytes; 8 means more than 30 bits
	if size > 4 || len(data) < size {
		return 0, nil, false
	}
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | uint32(data[i])
	}
	n >>= 2
	shortest := size == 1 || size == 2 && n >= one || size == 4 && n >= two
	return n, data[size:], shortest
}
