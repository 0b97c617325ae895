package answers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
)

// manifestFormat is the version of the manifest's format.
const manifestFormat = 1

// tool is the name of the recording program in archives.
const tool = "fees"

// Manifest describes the contents of an archive. It contains no time and no path: the same answers to the same requests
// give the same manifest.
type Manifest struct {
	Format         int      `json:"format"`
	Tool           string   `json:"tool"`
	GatewayVersion string   `json:"gateway_version"` // "" if the gateway did not state it
	First          uint64   `json:"first"`
	Last           uint64   `json:"last"`
	FirstHash      string   `json:"first_hash"`
	LastHash       string   `json:"last_hash"`
	Accounts       []string `json:"accounts"` // with recorded balances, ascending
	// ParameterKey is the key used to request FeesTreasuryProportion; absent if it was not requested.
	ParameterKey string `json:"parameter_key,omitempty"`
	// BaseFeeItem is the storage item of the recorded base fees; absent if they were not requested.
	BaseFeeItem string `json:"base_fee_item,omitempty"`
	// BlockWeights are the heights at which system.blockWeight was requested, ascending; absent if it was not requested.
	// The gateway may have refused it at some.
	BlockWeights []chain.Heights `json:"block_weights,omitempty"`
	Pieces       []archive.Piece `json:"pieces"` // the plain files, sorted by path
	// Segments are those of the range, ascending and without gaps, if the answers are stored in segments.
	Segments []Segment `json:"segments,omitempty"`
	// SHA256 is the checksum of the manifest's own text with this value empty.
	SHA256 string `json:"sha256"`
}

// seal returns the manifest's canonical text with its own checksum.
func (m *Manifest) seal() (string, error) {
	slices.SortFunc(m.Pieces, func(a, b archive.Piece) int { return cmp.Compare(a.Path, b.Path) })
	return archive.Seal(m, &m.SHA256)
}

// Files lists all files of the archive except the manifest, sorted by path, and then the segments by height.
func (m *Manifest) Files() []archive.Piece {
	files := slices.Clone(m.Pieces)
	for _, s := range m.Segments {
		files = append(files, s.Piece)
	}
	return files
}

// pieces returns the files by path.
func (m *Manifest) pieces() map[string]archive.Piece {
	pieces := map[string]archive.Piece{}
	for _, p := range m.Files() {
		pieces[p.Path] = p
	}
	return pieces
}

// heights returns the heights of the answers by directory, ascending; for segments, only those of the runtimes.
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

// readManifest reads the manifest, and rejects it if any byte differs from what the recorder wrote.
func (a *Archive) readManifest() (*Manifest, error) {
	text, err := a.readFile(archive.ManifestPath, httpclient.DefaultMaxAnswer)
	if err != nil {
		return nil, err
	}
	if crowded(text) {
		return nil, a.damaged(archive.ManifestPath, errCrowded)
	}
	var m Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, a.damaged(archive.ManifestPath, err)
	}
	if m.Format != manifestFormat {
		return nil, a.damaged(archive.ManifestPath, fmt.Errorf("unsupported format %d; this program reads format %d", m.Format, manifestFormat))
	}
	if err := archive.CheckSeal(text, m.seal); err != nil {
		return nil, a.damaged(archive.ManifestPath, err)
	}
	if !m.whole() {
		return nil, a.damaged(archive.ManifestPath, errors.New("its segments do not match its range"))
	}
	return &m, nil
}

// leastPiece is less than the size of a piece in a list.
const leastPiece = 100

var errCrowded = errors.New("it contains more pieces than its size allows")

// crowded reports whether a list of pieces cannot have been recorded because it would take many times its own size in
// memory.
func crowded(text string) bool {
	const others = 1000 // more braces than the rest contains
	return strings.Count(text, "{") > others+len(text)/leastPiece
}

// whole reports whether the segments, if any, match the range, and none exceeds the size limit.
func (m *Manifest) whole() bool {
	next := m.First
	for _, s := range m.Segments {
		if s.First != next || s.Last < s.First || s.Last-s.First >= archive.SegmentSize || s.Path != segmentPath(s.Heights) {
			return false
		}
		next = s.Last + 1
	}
	return len(m.Segments) == 0 || next == m.Last+1
}
