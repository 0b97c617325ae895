package nodetest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// upgrade is a runtime that takes the place of the recorded one.
type upgrade struct {
	at       int // the block that brings it
	spec     uint32
	metadata json.RawMessage
}

// Upgrade makes the block at a height bring a runtime of another version. Its pallet
// Randomness has another name.
func (n *Node) Upgrade(at int, spec uint32) error {
	m, err := n.metadataBytes()
	if err != nil {
		return err
	}
	from, err := n.specVersionIn(m)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(m[from:], spec)
	n.upgrade = &upgrade{at, spec, asHex(bytes.ReplaceAll(m, []byte("\x28Randomness"), []byte("\x28Randomnezz")))}
	return nil
}

// leaves tells whether the block at a height leaves the new runtime behind.
func (u *upgrade) leaves(height int) bool { return u != nil && height >= u.at }

// version is what is said of the runtime that the block at a height left behind.
func (u *upgrade) version(recorded json.RawMessage, height int) json.RawMessage {
	var said map[string]json.RawMessage
	if !u.leaves(height) || json.Unmarshal(recorded, &said) != nil {
		return recorded
	}
	said["specVersion"] = json.RawMessage(fmt.Sprint(u.spec))
	text, err := json.Marshal(said)
	if err != nil {
		panic(err) // texts have a JSON form
	}
	return text
}

func (n *Node) metadataBytes() ([]byte, error) {
	return hex.DecodeString(strings.TrimSuffix(strings.TrimPrefix(string(n.metadata), `"0x`), `"`))
}

func asHex(m []byte) json.RawMessage { return quoted("0x" + hex.EncodeToString(m)) }

// specVersionIn is where metadata have the version of their runtime: after its name, that of
// its implementation, and the version of its authoring.
func (n *Node) specVersionIn(m []byte) (int, error) {
	var said struct{ SpecName, ImplName string }
	for _, r := range n.recorded["state_getRuntimeVersion"] {
		if err := json.Unmarshal(r.Result, &said); err != nil {
			return 0, err
		}
		break
	}
	var names []byte
	for _, name := range []string{said.SpecName, said.ImplName} {
		names = append(appendCompact(names, uint64(len(name))), name...)
	}
	at := bytes.Index(m, names)
	if at < 0 || said.SpecName == "" {
		return 0, fmt.Errorf("the metadata do not name the runtime %q", said.SpecName)
	}
	return at + len(names) + 4, nil
}
