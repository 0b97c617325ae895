package nodetest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// upgrade is a runtime that replaces the recorded one.
type upgrade struct {
	at       int // the block with the upgrade
	spec     uint32
	metadata json.RawMessage
}

// Upgrade adds a runtime of a different version to the block at a height. Its pallet Randomness has another
// name.
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

// leaves reports whether the new runtime is in force after the block at a height.
func (u *upgrade) leaves(height int) bool { return u != nil && height >= u.at }

// version returns the version of the runtime after the block at a height.
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

// specVersionIn returns the position of the runtime version in metadata: after the runtime's name, the
// implementation's name, and the authoring version.
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
