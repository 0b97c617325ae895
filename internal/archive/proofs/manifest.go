package proofs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/jsonscan"
)

// format is the version of the archive format.
const format = "fees node archive 1"

// Manifest describes the contents of an archive. It contains no time and no path: the same range of the same chain gives the
// same manifest, if the node's statements about itself agree.
type Manifest struct {
	Format string `json:"format"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	// LastHash is the hash of the last block, which proves all others.
	LastHash chain.Hash `json:"last_hash"`
	Accounts []string   `json:"accounts"` // with balances proved at each block, ascending
	Node     Words      `json:"node"`
	Runtimes []Runtime  `json:"runtimes"` // in the order in which they executed blocks
	// After is the runtime after the last block, if that block upgrades to another: it decodes the last block's state.
	After *Runtime `json:"after,omitempty"`
	// Segments are the files of the blocks, beginning with the block below the range, ascending and without gaps.
	Segments []Segment `json:"segments"`
	// SHA256 is the checksum of the manifest's own text with this value empty.
	SHA256 string `json:"sha256"`
}

// Words are a node's statements about itself and its chain. They are not proved.
type Words struct {
	Chain      string          `json:"chain"`      // system_chain
	ChainType  json.RawMessage `json:"chain_type"` // system_chainType
	Properties json.RawMessage `json:"properties"` // system_properties
	Version    string          `json:"version"`    // system_version
}

// Runtime is a runtime that executed blocks of the archive.
type Runtime struct {
	RuntimeName
	// Version is the node's statement about the runtime (state_getRuntimeVersion).
	Version      json.RawMessage `json:"version"`
	ParameterKey string          `json:"parameter_key,omitempty"` // of FeesTreasuryProportion
	BaseFeeItem  string          `json:"base_fee_item,omitempty"` // where the base fee is stored
	Metadata     archive.Piece   `json:"metadata"`
	// Code identifies the runtime's code; absent if the node supplied no proof of it.
	Code *Code `json:"code,omitempty"`
}

// Code identifies the code of a runtime in the state of the parent of the highest block that it executed.
type Code struct {
	At    uint64        `json:"at"`   // the parent
	Hash  chain.Hash    `json:"hash"` // blake2b-256
	Proof archive.Piece `json:"proof"`
}

// Segment describes up to a thousand blocks.
type Segment struct {
	chain.Heights
	Headers archive.Piece `json:"headers"`
	Blocks  archive.Piece `json:"blocks"`
}

func (n RuntimeName) path(kind string) string {
	return fmt.Sprintf("runtimes/%s-%d.%s.zst", n.SpecName, n.SpecVersion, kind)
}

func (n RuntimeName) metadataPath() string { return n.path("metadata") }

func (n RuntimeName) codePath() string { return n.path("code") }

// fileName matches a specName that can be part of a file name.
var fileName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// Pieces lists all files of the archive but the manifest.
func (m *Manifest) Pieces() (list []archive.Piece) {
	for i := range m.Segments {
		list = append(list, m.Segments[i].Headers, m.Segments[i].Blocks)
	}
	for i := range m.Runtimes {
		list = append(list, m.Runtimes[i].Metadata)
		if code := m.Runtimes[i].Code; code != nil {
			list = append(list, code.Proof)
		}
	}
	if m.After != nil && !slices.Contains(list, m.After.Metadata) {
		list = append(list, m.After.Metadata)
	}
	return list
}

// listed returns the paths of all files of the archive.
func (m *Manifest) listed() map[string]bool {
	paths := map[string]bool{archive.ManifestPath: true, archive.StampPath: true, finalityPath: true}
	for _, p := range m.Pieces() {
		paths[p.Path] = true
	}
	return paths
}

// Bytes returns the total size of the files.
func (m *Manifest) Bytes() (total int64) {
	for _, p := range m.Pieces() {
		total += p.Size
	}
	return total
}

// ProvedBy returns how many blocks of the range a trusted block proves: those up to it.
func (m *Manifest) ProvedBy(trusted chain.Optional[chain.Anchor]) uint64 {
	t, given := trusted.Get()
	if !given {
		return 0
	}
	return max(t.Height+1, m.First) - m.First
}

// base returns the lowest stored block.
func (m *Manifest) base() uint64 { return base(m.First) }

func base(first uint64) uint64 { return max(first, 1) - 1 }

// seal returns the manifest's canonical text with its own checksum.
func (m *Manifest) seal() (string, error) { return archive.Seal(m, &m.SHA256) }

// readManifest parses a manifest, and rejects it if any byte differs from what was written.
func readManifest(text string) (*Manifest, error) {
	m, err := unsealed(text)
	if err != nil {
		return nil, err
	}
	if m.Format != format {
		return nil, fmt.Errorf("unsupported format %.40q; this program reads %q", m.Format, format)
	}
	if err := archive.CheckSeal(text, m.seal); err != nil {
		return nil, err
	}
	return m, m.check()
}

func unsealed(text string) (*Manifest, error) {
	var m Manifest
	return &m, json.Unmarshal([]byte(text), &m)
}

// maxRuntimes limits the runtimes of an archive. A chain has a few a year.
const maxRuntimes = 1000

// check checks that the manifest lists the files that an archive of its range consists of.
func (m *Manifest) check() error {
	if m.Last < m.First || m.Last > math.MaxUint32 { // heights have 32 bits
		return fmt.Errorf("invalid range %d to %d", m.First, m.Last)
	}
	if _, err := m.accounts(); err != nil {
		return err
	}
	if err := m.checkSegments(); err != nil {
		return err
	}
	return m.checkRuntimes()
}

func (m *Manifest) checkSegments() error {
	wrong := errors.New("its segments do not match its range")
	next := m.base()
	for i := range m.Segments {
		s := &m.Segments[i]
		if s.First != next || s.Last < s.First || s.Last > m.Last || s.Last/archive.SegmentSize != s.First/archive.SegmentSize ||
			s.Headers.Path != headersPath(s.Heights) || s.Blocks.Path != blocksPath(s.Heights) {
			return wrong
		}
		next = s.Last + 1
	}
	if next != m.Last+1 {
		return wrong
	}
	return nil
}

func (m *Manifest) checkRuntimes() error {
	if len(m.Runtimes) == 0 || len(m.Runtimes) > maxRuntimes {
		return fmt.Errorf("invalid number of runtimes: %d", len(m.Runtimes))
	}
	listed := map[RuntimeName]bool{}
	for i := range m.Runtimes {
		r := &m.Runtimes[i]
		if code := r.Code; !r.isNamed() || listed[r.RuntimeName] || code != nil && (code.Proof.Path != r.codePath() || code.At < m.base() || code.At > m.Last) {
			return fmt.Errorf("invalid runtime %v", r.RuntimeName)
		}
		listed[r.RuntimeName] = true
	}
	if r := m.After; r != nil {
		other := m.runtime(r.RuntimeName) // a block can announce an upgrade and keep its runtime
		if !r.isNamed() || r.Code != nil || other != r && other.Metadata != r.Metadata {
			return fmt.Errorf("invalid runtime %v after the last block", r.RuntimeName)
		}
	}
	return nil
}

// isNamed reports whether the node's statement and the path of the metadata are of the runtime's name.
func (r *Runtime) isNamed() bool {
	said, err := jsonscan.Parse(string(r.Version))
	if err != nil {
		return false
	}
	name, err := readVersion(said)
	return err == nil && name == r.RuntimeName && r.Metadata.Path == r.metadataPath()
}

// accounts returns the accounts with balances, which must be ascending.
func (m *Manifest) accounts() (list []chain.Address, err error) {
	for _, text := range m.Accounts {
		a, err := chain.ParseAccount(text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	if list, err = archive.Accounts(list); err != nil {
		return nil, err
	}
	if !slices.EqualFunc(list, m.Accounts, func(a chain.Address, text string) bool { return a.String() == text }) {
		return nil, errors.New("its accounts are not in the order and form that fees writes")
	}
	return list, nil
}

// runtime returns the runtime with a name, nil for none.
func (m *Manifest) runtime(name RuntimeName) *Runtime {
	for i := range m.Runtimes {
		if m.Runtimes[i].RuntimeName == name {
			return &m.Runtimes[i]
		}
	}
	if m.After != nil && m.After.RuntimeName == name {
		return m.After
	}
	return nil
}

// segmentOf returns the index of the segment that contains a height of the archive.
func (m *Manifest) segmentOf(height uint64) int {
	i, _ := slices.BinarySearchFunc(m.Segments, height, func(s Segment, height uint64) int { return cmp.Compare(s.Last, height) })
	return i
}
