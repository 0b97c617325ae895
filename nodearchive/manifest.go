package nodearchive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/feeledger/fees/chain"
)

// format is the version of the archive's form.
const format = "fees node archive 1"

const (
	manifestPath = "manifest.json"
	// stampPath has a timestamp of the manifest, where somebody had it stamped. It is no
	// part of what was recorded.
	stampPath = manifestPath + ".tsr"
)

// Manifest says what an archive holds. It has no time and no place in it: the same range of the
// same chain has the same manifest, where the node said the same of itself.
type Manifest struct {
	Format string `json:"format"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	// LastHash is the hash of the last block, by which all others are proved.
	LastHash chain.Hash `json:"last_hash"`
	Accounts []string   `json:"accounts"` // whose balances are proved at each block, rising
	Node     Words      `json:"node"`
	Runtimes []Runtime  `json:"runtimes"` // in the order in which they executed blocks
	// Segments are the files of the blocks, from the block below the first one on, rising and
	// without gaps.
	Segments []Segment `json:"segments"`
	// SHA256 is that of the manifest's own text with this value empty.
	SHA256 string `json:"sha256"`
}

// Words are what a node says of itself and its chain. Nothing proves them.
type Words struct {
	Chain      string          `json:"chain"`      // system_chain
	ChainType  json.RawMessage `json:"chain_type"` // system_chainType
	Properties json.RawMessage `json:"properties"` // system_properties
	Version    string          `json:"version"`    // system_version
}

// Runtime is one that executed blocks of the archive.
type Runtime struct {
	RuntimeName
	// Version is what the node says of the runtime (state_getRuntimeVersion).
	Version      json.RawMessage `json:"version"`
	ParameterKey string          `json:"parameter_key,omitempty"` // of FeesTreasuryProportion
	Metadata     Piece           `json:"metadata"`
	// Code is the hash of the runtime's code, not there where the node gave no proof of it.
	Code *Code `json:"code,omitempty"`
}

// Code is the code that a block left behind.
type Code struct {
	At    uint64     `json:"at"`   // the block
	Hash  chain.Hash `json:"hash"` // blake2b-256
	Proof Piece      `json:"proof"`
}

// Segment is up to a thousand blocks.
type Segment struct {
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Headers Piece  `json:"headers"`
	Blocks  Piece  `json:"blocks"`
}

func (s *Segment) span() span { return span{s.First, s.Last} }

// Piece is a file of the archive.
type Piece struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func pieceOf(path string, bytes []byte) Piece { return Piece{path, int64(len(bytes)), sum(bytes)} }

func sum(bytes []byte) string {
	digest := sha256.Sum256(bytes)
	return hex.EncodeToString(digest[:])
}

func (n RuntimeName) path(kind string) string {
	return fmt.Sprintf("runtimes/%s-%d.%s.zst", n.SpecName, n.SpecVersion, kind)
}

func (n RuntimeName) metadataPath() string { return n.path("metadata") }

func (n RuntimeName) codePath() string { return n.path("code") }

// fileName is what a specName has to be, to be a part of a file's name.
var fileName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// Pieces are all files of the archive but the manifest.
func (m *Manifest) Pieces() (list []Piece) {
	for i := range m.Segments {
		list = append(list, m.Segments[i].Headers, m.Segments[i].Blocks)
	}
	for i := range m.Runtimes {
		list = append(list, m.Runtimes[i].Metadata)
		if code := m.Runtimes[i].Code; code != nil {
			list = append(list, code.Proof)
		}
	}
	return list
}

// Bytes is how large the files are together.
func (m *Manifest) Bytes() (total int64) {
	for _, p := range m.Pieces() {
		total += p.Size
	}
	return total
}

// base is the lowest block that is kept.
func (m *Manifest) base() uint64 { return base(m.First) }

func base(first uint64) uint64 { return max(first, 1) - 1 }

// seal puts the manifest into its one form, with its own sum.
func (m *Manifest) seal() ([]byte, error) {
	m.SHA256 = ""
	open, err := m.text()
	if err != nil {
		return nil, err
	}
	m.SHA256 = sum(open)
	return m.text()
}

func (m *Manifest) text() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", " ")
	return append(text, '\n'), err
}

// readManifest reads a manifest, and refuses one of which any byte is not as it was written.
func readManifest(text []byte) (*Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	if m.Format != format {
		return nil, fmt.Errorf("its format is %.40q, and this program reads %q", m.Format, format)
	}
	sealed := m
	want, err := sealed.seal()
	if err != nil {
		return nil, err
	}
	if string(text) != string(want) {
		return nil, errors.New("its own sum does not hold: a byte has changed")
	}
	return &m, m.check()
}

// check checks that the manifest names the files that an archive of its range has.
func (m *Manifest) check() error {
	if m.Last < m.First {
		return errors.New("its range ends before it begins")
	}
	next := m.base()
	for i := range m.Segments {
		s := &m.Segments[i]
		if s.First != next || s.Last < s.First || s.Last/segmentSize != s.First/segmentSize ||
			s.Headers.Path != s.span().headersPath() || s.Blocks.Path != s.span().blocksPath() {
			return errors.New("its segments are not those of its range")
		}
		next = s.Last + 1
	}
	if next != m.Last+1 {
		return errors.New("its segments are not those of its range")
	}
	for i := range m.Runtimes {
		r := &m.Runtimes[i]
		if !fileName.MatchString(r.SpecName) || r.Metadata.Path != r.metadataPath() || r.Code != nil && r.Code.Proof.Path != r.codePath() {
			return fmt.Errorf("its runtime %v is none that is recorded", r.RuntimeName)
		}
	}
	return nil
}

// runtime is the one of a name, nil for none.
func (m *Manifest) runtime(name RuntimeName) *Runtime {
	for i := range m.Runtimes {
		if m.Runtimes[i].RuntimeName == name {
			return &m.Runtimes[i]
		}
	}
	return nil
}

// segmentOf is the number of the segment that has a height.
func (m *Manifest) segmentOf(height uint64) int {
	for i := range m.Segments {
		if height <= m.Segments[i].Last {
			return i
		}
	}
	return len(m.Segments) - 1
}
