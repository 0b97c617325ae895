package closing

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// The files that every package may have.
const (
	ManifestFile = "manifest.json"
	ChangesFile  = "changes.json"
	versionsDir  = "versions"
)

// format is how the manifest is written. Another one is not read.
const format = 1

const (
	mostManifestBytes = 16 << 20 // some thousands of accounts, each with a long label
	mostFiles         = 1000
	mostVersions      = 10_000
)

// Manifest says what a package is of, what it rests on, and what is in it.
type Manifest struct {
	Format   int    `json:"format"`
	Version  int    `json:"version"`  // of the package; the first is 1
	Previous string `json:"previous"` // the SHA-256 of the manifest of the version before, "" of the first
	Tool     string `json:"tool"`     // the program that made it
	Network  string `json:"network"`
	Genesis  string `json:"genesis"` // the hash of block 0, "" where the ledger does not know it
	Period   Period `json:"period"`
	Blocks   Blocks `json:"blocks"`
	// Evidence is how well the ledger knew those blocks when the package was made.
	Evidence evidence.Evidence `json:"evidence"`
	Options  Options           `json:"options"`
	Accounts []Account         `json:"accounts"`
	Totals   Totals            `json:"totals"`   // of the accounts
	Findings Findings          `json:"findings"` // what does not hold
	LeftOut  []string          `json:"left_out"` // for people, what the package lacks and why
	Files    []File            `json:"files"`    // by name, all but the manifest
}

// Period is what was closed.
type Period struct {
	Month    string   `json:"month,omitempty"` // such as 2026-01; not there where it is a year
	Year     string   `json:"year,omitempty"`  // such as 2026; not there where it is a month
	Timezone string   `json:"timezone"`
	From     string   `json:"from"`     // the first moment, in RFC 3339
	Before   string   `json:"before"`   // the first moment after
	Complete bool     `json:"complete"` // the ledger reached both of its ends
	Missing  []string `json:"missing"`  // for people, what it lacked
	// ChainEnd is the chain's last block, where the chain ended in this period; nil elsewhere.
	ChainEnd *ChainEnd `json:"chain_end,omitempty"`
}

// Name is what the period is called: 2026-01, or 2026.
func (p *Period) Name() string { return p.Month + p.Year }

// ChainEnd is the last block of a chain that has ended, as its network's table says.
type ChainEnd struct {
	Block uint64 `json:"block"`
	Hash  string `json:"hash"`
}

// Options are how the package was made: with them, its inputs and the ledger it is made
// again.
type Options struct {
	Journal        string          `json:"journal"`          // the program: hledger, beancount or ledger
	With           string          `json:"with"`             // fees or movements
	Partial        bool            `json:"partial"`          // was allowed
	Balances       bool            `json:"balances"`         // were asked for, to prove the statements
	OwnNetworks    bool            `json:"own_networks"`     // the network table is the user's
	Names          bool            `json:"names"`            // inputs/names.csv is there
	Labels         bool            `json:"labels,omitempty"` // inputs/labels.csv is there: the address book. Packages were made without it
	Reconciliation *Reconciliation `json:"reconciliation"`
	Prices         *Prices         `json:"prices,omitempty"`      // not there without amounts in a currency
	Rollforward    bool            `json:"rollforward,omitempty"` // it is there. Packages were made without
	Classes        bool            `json:"classes,omitempty"`     // inputs/classes.csv is there: the user's own classes of movements
}

// Prices are what amounts in a currency rest on. The file is inputs/prices.csv.
type Prices struct {
	Name     string `json:"name"` // of the file, as it came
	Currency string `json:"currency"`
}

// Reconciliation is how the company's own record of fees was read.
type Reconciliation struct {
	Name  string `json:"name"`  // of the file, as it came
	Input string `json:"input"` // where it is in the package
	Reading
	Priced bool `json:"priced,omitempty"` // its amounts are in the currency of the prices too. Packages were made without
}

// Reading is how a company's record of fees is read, as a person names it. "" is the default of each.
type Reading struct {
	Unit       string   `json:"unit"`                 // wei, gwei or token
	Decimal    string   `json:"decimal"`              // the separator of decimals
	Thousands  string   `json:"thousands"`            // and of thousands
	Separator  string   `json:"separator"`            // of the columns of csv: comma, semicolon, tab or pipe
	Sheet      string   `json:"sheet"`                // of xlsx
	DateFormat string   `json:"date_format"`          // such as dd.mm.yyyy
	Tolerance  string   `json:"tolerance"`            // an amount with its unit: 5 wei, 1 Gwei, 0.000001 GLMR; without one, wei
	Columns    []string `json:"columns"`              // FIELD=NAME
	Encoding   string   `json:"encoding,omitempty"`   // of csv: utf-8 or windows-1252
	HeaderRow  int      `json:"header_row,omitempty"` // 0 where it is found by its names
	SkipRows   []int    `json:"skip_rows,omitempty"`
	Negative   bool     `json:"negative,omitempty"`
}

// Account is one whose fees the package has.
type Account struct {
	Address string `json:"address"`
	Label   string `json:"label"`
}

// Totals are what the accounts' transactions add up to. Amounts are in wei; a sum with a
// part that is not known is null.
type Totals struct {
	EVM            uint64                    `json:"evm_transactions"`
	Native         uint64                    `json:"native_transactions"`
	EVMFailed      uint64                    `json:"evm_failed"`
	NativeFailed   uint64                    `json:"native_failed"`
	OutcomeUnknown uint64                    `json:"outcome_unknown"`
	Fee            chain.Wei                 `json:"fee"`
	EVMFee         chain.Wei                 `json:"evm_fee"`
	NativeFee      chain.Wei                 `json:"native_fee"`
	PriorityFee    chain.Optional[chain.Wei] `json:"priority_fee"`
	Tip            chain.Wei                 `json:"tip"`
	Charged        chain.Optional[chain.Wei] `json:"charged"`
	Burned         chain.Optional[chain.Wei] `json:"burned"`
	Treasury       chain.Optional[chain.Wei] `json:"treasury"`
	Author         chain.Optional[chain.Wei] `json:"author"`
	Gas            uint64                    `json:"gas"`
}

// Findings count what does not hold in a package.
type Findings struct {
	Checks       uint64 `json:"checks"`       // that did not hold in the period's blocks
	Undetermined uint64 `json:"undetermined"` // fees that no rule gives
	Drifts       uint64 `json:"drifts"`       // fees that are not what the chain charged
	Unclassified uint64 `json:"unclassified"` // balances events that are not understood
	Statements   uint64 `json:"statements"`   // accounts whose statement does not hold
	Journal      uint64 `json:"journal"`      // 1 where the movements do not lead to the balances
	Differences  uint64 `json:"differences"`  // between the company's record and the ledger
	// Rollforward is 1 where a column of it does not close.
	Rollforward uint64 `json:"rollforward,omitempty"`
}

// None tells whether all holds.
func (f Findings) None() bool { return f == Findings{} }

// Counts hands over what there is of each kind, and how many.
func (f Findings) Counts(yield func(what string, count uint64) bool) {
	for _, n := range []struct {
		what  string
		count uint64
	}{
		{"checks that do not hold", f.Checks}, {"undetermined fees", f.Undetermined}, {"drifts", f.Drifts}, {"events not understood", f.Unclassified}, {"statements that do not hold", f.Statements},
		{"rollforwards that do not close", f.Rollforward}, {"journals that cannot be made", f.Journal}, {"differences to the books", f.Differences},
	} {
		if n.count > 0 && !yield(n.what, n.count) {
			return
		}
	}
}

// File is one of a package.
type File struct {
	Name   string `json:"name"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Encode writes the manifest: the same manifest is the same bytes.
func (m *Manifest) Encode() ([]byte, error) { return encode(m) }

func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	err := jsontext.Write(&text, value)
	return text.Bytes(), err
}

// ReadManifest reads a manifest, strictly: only the bytes that Encode writes are one.
func ReadManifest(text []byte) (*Manifest, error) {
	if len(text) > mostManifestBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", mostManifestBytes)
	}
	var m Manifest
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return nil, err
	}
	if m.Format != format {
		return nil, fmt.Errorf("its format is %d, and this program reads %d", m.Format, format)
	}
	again, err := m.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(text, again) {
		return nil, errors.New("it is not as fees writes it")
	}
	return &m, m.check()
}

// check wants what a package can be.
func (m *Manifest) check() error {
	if m.Version < 1 || m.Version > mostVersions || (m.Version == 1) != (m.Previous == "") {
		return fmt.Errorf("version %d after %q cannot be", m.Version, m.Previous)
	}
	if m.Blocks.First > m.Blocks.Last || m.Period.Complete != (len(m.Period.Missing) == 0) || (m.Period.Month == "") == (m.Period.Year == "") {
		return errors.New("its period contradicts itself")
	}
	if err := m.Evidence.Check(); err != nil {
		return err
	}
	if m.Evidence.Blocks != m.Blocks.Count {
		return fmt.Errorf("its evidence is of %d blocks, and it has %d", m.Evidence.Blocks, m.Blocks.Count)
	}
	if len(m.Files) > mostFiles {
		return fmt.Errorf("%d files: at most %d can be", len(m.Files), mostFiles)
	}
	for i, f := range m.Files {
		switch {
		case !validName(f.Name):
			return fmt.Errorf("%q is no name of a file in it", f.Name)
		case i > 0 && m.Files[i-1].Name >= f.Name:
			return fmt.Errorf("%q is not in order", f.Name)
		}
	}
	return nil
}

// validName tells whether a name is that of a file inside of a package.
func validName(name string) bool {
	return filepath.IsLocal(name) && path.Clean(name) == name && !strings.ContainsAny(name, `\:`) &&
		name != "." && name != ManifestFile && name != SignatureFile && name != StampFile && name != versionsDir && !strings.HasPrefix(name, versionsDir+"/")
}

// content is the manifest without what only its history makes: two versions with the
// same content are the same package.
func (m *Manifest) content() *Manifest {
	c := *m
	c.Format, c.Version, c.Previous, c.Files = 0, 0, "", nil
	for _, f := range m.Files {
		if f.Name != ChangesFile {
			c.Files = append(c.Files, f)
		}
	}
	return &c
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
