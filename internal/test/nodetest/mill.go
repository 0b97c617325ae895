package nodetest

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// header is a header in a node's form.
type header struct {
	ParentHash     string `json:"parentHash"`
	Number         string `json:"number"`
	StateRoot      string `json:"stateRoot"`
	ExtrinsicsRoot string `json:"extrinsicsRoot"`
	Digest         struct {
		Logs []string `json:"logs"`
	} `json:"digest"`
}

// block is a block in a node's form.
type block struct {
	Block struct {
		Header     header          `json:"header"`
		Extrinsics json.RawMessage `json:"extrinsics"`
	} `json:"block"`
}

// block returns the recorded block with a hash.
func (n *Node) block(hash string) (b block, err error) {
	result, _ := n.replay("chain_getBlock", []json.RawMessage{quoted(hash)})
	if err = json.Unmarshal(result, &b); err != nil {
		err = fmt.Errorf("block %s: %w", hash, err)
	}
	return b, err
}

// texts returns a node's responses for the block: its header, and all of it.
func (b *block) texts() (header, whole []byte) {
	header, err := json.Marshal(b.Block.Header)
	if err != nil {
		panic(err) // texts have a JSON form
	}
	return header, fmt.Appendf(nil, `{"block":{"header":%s,"extrinsics":%s},"justifications":null}`, header, b.Block.Extrinsics)
}

// mill is a chain of recorded blocks, repeated over and over, each with a new number, parent and hash.
type mill struct {
	headers  []header // of the recorded blocks
	bodies   []json.RawMessage
	recorded []string // their hashes
	above    int      // blocks above it have different contents, unless 0
	shift    int      // by how many
}

// Mill turns the node into one with a chain of that many blocks after block 0. Block 0 and its state are the
// recorded ones.
func (n *Node) Mill(blocks int) error { return n.grind(&mill{recorded: n.hashes}, blocks) }

// Branch returns, for a mill's node, a node with the same blocks up to a height, and different ones above.
func (n *Node) Branch(above int) (*Node, error) {
	b := newNode(n.recorded)
	b.metadata, b.upgrade, b.tries, b.hashes = n.metadata, n.upgrade, n.tries, n.mill.recorded
	return b, b.grind(&mill{recorded: n.mill.recorded, above: above, shift: 5}, len(n.hashes)-1)
}

func (n *Node) grind(m *mill, blocks int) error {
	for _, hash := range n.hashes {
		b, err := n.block(hash)
		if err != nil {
			return err
		}
		m.headers = append(m.headers, b.Block.Header)
		m.bodies = append(m.bodies, b.Block.Extrinsics)
	}
	hashes := []string{n.hashes[0]}
	n.heights = map[string]int{n.hashes[0]: 0}
	for height := 1; height <= blocks; height++ {
		h := m.header(height, hashes[height-1])
		hash, err := h.hash(uint64(height))
		if err != nil {
			return fmt.Errorf("block %d: %w", height, err)
		}
		hashes = append(hashes, hash)
		n.heights[hash] = height
	}
	n.mill, n.hashes, n.head = m, hashes, blocks
	return nil
}

// of returns the recorded block that a height is based on.
func (m *mill) of(height int) int {
	if height == 0 {
		return 0
	}
	if height > m.above {
		height += m.shift
	}
	return (height-1)%(len(m.recorded)-1) + 1
}

func (m *mill) header(height int, parent string) header {
	h := m.headers[m.of(height)]
	h.ParentHash, h.Number = parent, "0x"+strconv.FormatInt(int64(height), 16)
	return h
}

// result responds about the block at a height, or reports that the recordings do.
func (m *mill) result(n *Node, method string, height int) (result json.RawMessage, made bool) {
	if height == 0 || !strings.HasPrefix(method, "chain_") {
		return nil, false
	}
	var b block
	b.Block.Header, b.Block.Extrinsics = m.header(height, n.hashes[height-1]), m.bodies[m.of(height)]
	header, whole := b.texts()
	if method == "chain_getHeader" {
		return header, true
	}
	return whole, true
}

// hash returns the hash of a header's encoding.
func (h *header) hash(number uint64) (string, error) {
	var encoded []byte
	add := func(text string) error {
		bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		encoded = append(encoded, bytes...)
		return err
	}
	if err := add(h.ParentHash); err != nil {
		return "", err
	}
	encoded = appendCompact(encoded, number)
	for _, text := range []string{h.StateRoot, h.ExtrinsicsRoot} {
		if err := add(text); err != nil {
			return "", err
		}
	}
	encoded = appendCompact(encoded, uint64(len(h.Digest.Logs)))
	for _, log := range h.Digest.Logs {
		if err := add(log); err != nil {
			return "", err
		}
	}
	return hash(blake2b.Sum256(encoded)), nil
}

// appendCompact appends a compact integer of at most 30 bits.
func appendCompact(to []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(to, byte(n<<2))
	case n < 1<<14:
		return binary.LittleEndian.AppendUint16(to, uint16(n<<2|1))
	}
	return binary.LittleEndian.AppendUint32(to, uint32(n<<2|2))
}
