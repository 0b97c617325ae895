package archive

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	Pieces         []Piece  `json:"pieces"`   // sorted by path
	// SHA256 is that of the manifest's own text with this value empty.
	SHA256 string `json:"sha256"`
}

// Piece is a file of an archive.
type Piece struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`
	SHA256 string `json:"sha256"` // of its bytes
}

func sum(text string) string {
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

// sums are the sums of the pieces by path.
func (m *Manifest) sums() map[string]string {
	sums := make(map[string]string, len(m.Pieces))
	for _, p := range m.Pieces {
		sums[p.Path] = p.SHA256
	}
	return sums
}

// heights are those of the pieces by directory, rising.
func (m *Manifest) heights() map[string][]uint64 {
	heights := map[string][]uint64{}
	for _, p := range m.Pieces {
		if directory, name, ok := strings.Cut(p.Path, "/"); ok {
			heights[directory] = appendHeight(heights[directory], name)
		}
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
	return &m, nil
}
