package answers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// manifestFormat is the version of the manifest's form.
const manifestFormat = 1

// tool is the name that recorded archives bear.
const tool = "fees"

// Manifest says what an archive holds. It has no time and no place in it: the
// same answers to the same questions make the same manifest.
type Manifest struct {
	Format         int      `json:"format"`
	Tool           string   `json:"tool"`
	GatewayVersion string   `json:"gateway_version"` // "" where the gateway did not say
	First          uint64   `json:"first"`
	Last           uint64   `json:"last"`
	FirstHash      string   `json:"first_hash"`
	LastHash       string   `json:"last_hash"`
	Accounts       []string `json:"accounts"` // whose balances were kept, rising
	// ParameterKey is the key by which FeesTreasuryProportion was asked for; not there
	// where it was not.
	ParameterKey string `json:"parameter_key,omitempty"`
	// BlockWeights are the heights at which system.blockWeight was asked for, rising;
	// not there where it was not. A gateway may have refused it at some.
	BlockWeights []chain.Heights `json:"block_weights,omitempty"`
	Pieces       []Piece         `json:"pieces"` // the plain files, sorted by path
	// Segments are those of the range, rising and without gaps, where the answers
	// are kept in segments.
	Segments []Segment `json:"segments,omitempty"`
	// SHA256 is that of the manifest's own text with this value empty.
	SHA256 string `json:"sha256"`
}

// Piece is a file of an archive, or an answer in a segment.
type Piece struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // of its bytes
}

func pieceOf(path, text string) Piece { return Piece{path, int64(len(text)), sum(text)} }

func sum[Text string | []byte](text Text) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// seal puts the manifest into its one form, with its own sum.
func (m *Manifest) seal() (text string, err error) {
	slices.SortFunc(m.Pieces, func(a, b Piece) int { return cmp.Compare(a.Path, b.Path) })
	m.SHA256 = ""
	open, err := m.text()
	if err != nil {
		return "", err
	}
	m.SHA256 = sum(open)
	return m.text()
}

func (m *Manifest) text() (string, error) {
	text, err := json.MarshalIndent(m, "", " ")
	return string(text) + "\n", err
}

// Files are all files of the archive but the manifest, sorted by path, then the
// segments by their heights.
func (m *Manifest) Files() []Piece {
	files := slices.Clone(m.Pieces)
	for _, s := range m.Segments {
		files = append(files, s.Piece)
	}
	return files
}

// sums are the sums of the files by path.
func (m *Manifest) sums() map[string]string {
	sums := map[string]string{}
	for _, p := range m.Files() {
		sums[p.Path] = p.SHA256
	}
	return sums
}

// heights are those of the answers by directory, rising; of segments only those
// of the runtimes.
func (m *Manifest) heights() map[string][]uint64 {
	heights := map[string][]uint64{}
	for _, p := range m.Pieces {
		if directory, name, ok := strings.Cut(p.Path, "/"); ok {
			heights[directory] = appendHeight(heights[directory], name)
		}
	}
	for _, s := range m.Segments {
		heights[runtimeDirectory] = append(heights[runtimeDirectory], s.Runtimes...)
	}
	for _, rising := range heights {
		slices.Sort(rising)
	}
	return heights
}

// readManifest reads the manifest and refuses one of which any byte is not as the
// recorder wrote it.
func (a *Archive) readManifest() (*Manifest, error) {
	text, err := a.readFile(manifestPath)
	if err != nil {
		return nil, err
	}
	if crowded(text) {
		return nil, a.damaged(manifestPath, errCrowded)
	}
	var m Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, a.damaged(manifestPath, err)
	}
	if m.Format != manifestFormat {
		return nil, a.damaged(manifestPath, fmt.Errorf("format %d: this program reads format %d", m.Format, manifestFormat))
	}
	sealed := m
	sealed.Pieces = slices.Clone(m.Pieces)
	want, err := sealed.seal()
	if err != nil {
		return nil, a.damaged(manifestPath, err)
	}
	if text != want {
		return nil, a.damaged(manifestPath, errors.New("its own sum does not hold: a byte has changed"))
	}
	if !m.whole() {
		return nil, a.damaged(manifestPath, errors.New("its segments are not those of its range"))
	}
	return &m, nil
}

// leastPiece is fewer bytes than a piece takes in a list of them.
const leastPiece = 100

var errCrowded = errors.New("it has more pieces than there is text for")

// crowded tells whether a list of pieces is none that was recorded: one that would
// take many times its own size in memory.
func crowded(text string) bool {
	const others = 1000 // more braces than are in the rest
	return strings.Count(text, "{") > others+len(text)/leastPiece
}

// whole tells whether the segments, if there are any, are those of the range, and
// none is larger than it may be.
func (m *Manifest) whole() bool {
	next := m.First
	for _, s := range m.Segments {
		if s.First != next || s.Last < s.First || s.Last-s.First >= segmentSize || s.Path != segmentPath(s.First, s.Last) {
			return false
		}
		next = s.Last + 1
	}
	return len(m.Segments) == 0 || next == m.Last+1
}
