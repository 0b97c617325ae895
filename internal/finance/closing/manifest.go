package closing

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// Optional files of a package.
const (
	ManifestFile = "manifest.json"
	ChangesFile  = "changes.json"
	versionsDir  = "versions"
)

// format is the version of the manifest's format. Other versions are rejected.
const format = 1

const (
	maxManifestBytes = 16 << 20 // thousands of accounts with long labels
	maxFiles         = 1000
	maxVersions      = 10_000
)

// Manifest describes a package: what it covers, what it is based on, and its files.
type Manifest struct {
	Format   int    `json:"format"`
	Version  int    `json:"version"`  // of the package, from 1 on
	Previous string `json:"previous"` // the SHA-256 of the previous version's manifest, "" for the first
	Tool     string `json:"tool"`     // the program that created it
	Network  string `json:"network"`
	Genesis  string `json:"genesis"` // the hash of block 0, "" if not known
	Period   Period `json:"period"`
	Blocks   Blocks `json:"blocks"`
	// Evidence is the evidence for those blocks when the package was created.
	Evidence evidence.Evidence `json:"evidence"`
	Options  Options           `json:"options"`
	Accounts []Account         `json:"accounts"`
	Totals   Totals            `json:"totals"` // of the accounts
	// Balances are the sums of the accounts' balances, free and reserved; nil if they were not queried.
	Balances *Balances        `json:"balances,omitempty"`
	Figures  []Figure         `json:"figures,omitempty"` // of the cover
	Findings Findings         `json:"findings"`          // counts of findings
	Trail    ledger.TrailHead `json:"trail"`             // the ledger's audit trail when the package was created
	LeftOut  []string         `json:"left_out"`          // descriptions of what the package lacks, and why
	Files    []File           `json:"files"`             // by name, without the manifest
}

// Period is the closed period.
type Period struct {
	Month    string   `json:"month,omitempty"` // such as 2026-01; absent for a year
	Year     string   `json:"year,omitempty"`  // such as 2026; absent for a month
	Timezone string   `json:"timezone"`
	From     string   `json:"from"`     // start, in RFC 3339
	Before   string   `json:"before"`   // end, exclusive
	Complete bool     `json:"complete"` // the ledger covers both of its ends
	Missing  []string `json:"missing"`  // descriptions of missing parts
	// ChainEnd is the chain's last block if the chain ended in this period; otherwise nil.
	ChainEnd *ChainEnd `json:"chain_end,omitempty"`
}

// Name returns the period's name: 2026-01, or 2026.
func (p *Period) Name() string { return p.Month + p.Year }

// ChainEnd is the last block of a chain that has ended, from the network's table.
type ChainEnd struct {
	Block uint64 `json:"block"`
	Hash  string `json:"hash"`
}

// Options are the options a package was created with. With its inputs and the same ledger, they reproduce
// it.
type Options struct {
	Journal        string          `json:"journal"`             // the program: hledger, beancount or ledger; "" for none
	Posted         []string        `json:"posted,omitempty"`    // accounting systems with journals in posted/
	Summarise      string          `json:"summarise,omitempty"` // what their entries have the fees of
	Company        string          `json:"company,omitempty"`   // its name, for the cover
	With           string          `json:"with"`                // fees or movements
	Partial        bool            `json:"partial"`             // incomplete periods were allowed
	Balances       bool            `json:"balances"`            // were queried to prove the statements
	OwnNetworks    bool            `json:"own_networks"`        // the network table was provided by the user
	Names          bool            `json:"names"`               // inputs/names.csv exists
	Labels         bool            `json:"labels,omitempty"`    // inputs/labels.csv exists: the address book; absent in older packages
	Reconciliation *Reconciliation `json:"reconciliation"`
	Prices         *Prices         `json:"prices,omitempty"`      // absent without amounts in a currency
	Rollforward    bool            `json:"rollforward,omitempty"` // included; absent in older packages
	Classes        bool            `json:"classes,omitempty"`     // inputs/classes.csv exists: the user's own classes of movements
	Chart          bool            `json:"chart,omitempty"`       // inputs/chart.csv exists: the chart of accounts
	Tags           bool            `json:"tags,omitempty"`        // inputs/tags.csv exists: tags of transactions
	About          bool            `json:"about,omitempty"`       // about.txt exists; absent in older packages
	Records        bool            `json:"records"`               // records.jsonl.gz exists: what the seal covers
	Acts           bool            `json:"acts,omitempty"`        // inputs/acts.csv exists: who prepared, approved and closed it
	Variance       *Variance       `json:"variance,omitempty"`    // absent if the ledger lacked the period before
}

// Variance describes the period that variance.json and variance.csv compare with.
type Variance struct {
	Against  string            `json:"against"` // such as 2025-12
	First    uint64            `json:"first"`   // its first block
	Evidence evidence.Evidence `json:"evidence"`
}

// Prices describes the basis of amounts in a currency. The files are inputs/prices.csv, inputs/prices-2.csv and so on,
// or .zip.
type Prices struct {
	Name      string   `json:"name"` // of the original file, after PAIR= if the user stated the pair
	Currency  string   `json:"currency"`
	More      []string `json:"more,omitempty"`       // names of the other files
	LastKnown bool     `json:"last_known,omitempty"` // days without a price have the last one before
	Columns   []string `json:"columns,omitempty"`    // FIELD=NAME, of files in no known format
}

// Reconciliation describes how the company's own record of fees was read.
type Reconciliation struct {
	Name  string `json:"name"`  // of the original file
	Input string `json:"input"` // path in the package
	Reading
	Priced   bool `json:"priced,omitempty"`   // amounts are also in the currency of the prices; absent in older packages
	Accepted bool `json:"accepted,omitempty"` // inputs/accepted.csv exists: the accepted differences
	// More are the records that were compared together with it.
	More []Record `json:"more,omitempty"`
}

// Record is a company's record, and how it was read.
type Record struct {
	Name  string `json:"name"`
	Input string `json:"input"`
	Reading
}

// Records returns all records.
func (r *Reconciliation) Records() []Record {
	return append([]Record{{r.Name, r.Input, r.Reading}}, r.More...)
}

// Names returns the names of the records.
func (r *Reconciliation) Names() string {
	var names []string
	for _, record := range r.Records() {
		names = append(names, record.Name)
	}
	return strings.Join(names, ", ")
}

// Reading contains the settings for reading a company's record of fees. "" selects the default.
type Reading struct {
	Unit       string   `json:"unit"`                 // wei, gwei, token or evm-wei
	Decimal    string   `json:"decimal"`              // decimal separator
	Thousands  string   `json:"thousands"`            // thousands separator
	Separator  string   `json:"separator"`            // column separator of csv: comma, semicolon, tab or pipe
	Sheet      string   `json:"sheet"`                // of xlsx
	DateFormat string   `json:"date_format"`          // such as dd.mm.yyyy
	Tolerance  string   `json:"tolerance"`            // an amount with its unit: 5 wei, 1 Gwei, 0.000001 GLMR; without one, wei
	Columns    []string `json:"columns"`              // FIELD=NAME
	Encoding   string   `json:"encoding,omitempty"`   // of csv: utf-8 or windows-1252
	HeaderRow  int      `json:"header_row,omitempty"` // 0 to detect it by column names
	SkipRows   []int    `json:"skip_rows,omitempty"`
	Negative   bool     `json:"negative,omitempty"`

	Profile     string `json:"profile,omitempty"`      // by which the file is read; "" recognizes it
	OwnProfiles string `json:"own_profiles,omitempty"` // the user's, as JSON
	CutDecimals int    `json:"cut_decimals,omitempty"` // decimals of the token after which fees may be cut; 0 is none
}

// Account is an account whose fees the package contains.
type Account struct {
	Address string `json:"address"`
	Label   string `json:"label"`
}

// Totals are the sums over the accounts' transactions, in wei. A sum with an unknown part is
// null.
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
	Tip            chain.Optional[chain.Wei] `json:"tip"`
	Charged        chain.Optional[chain.Wei] `json:"charged"`
	Burned         chain.Optional[chain.Wei] `json:"burned"`
	Treasury       chain.Optional[chain.Wei] `json:"treasury"`
	Author         chain.Optional[chain.Wei] `json:"author"`
	Gas            chain.Optional[uint64]    `json:"gas"`
	// AssetFees are the fees that were paid in assets, by asset. They are in no other sum.
	AssetFees fee.AssetTotals `json:"asset_fees,omitempty"`
}

// Balances are balances at the ends of a period.
type Balances struct {
	Opening chain.Wei `json:"opening"`
	Closing chain.Wei `json:"closing"`
}

// Figure is a line of a cover, of all accounts, free and reserved: a balance, what moved it, or the valuation difference.
type Figure struct {
	Name   string                          `json:"name"` // opening, a line of the rollforward, unexplained, valuation_difference or closing
	Amount chain.Optional[chain.SignedWei] `json:"amount"`
	Value  chain.Optional[string]          `json:"value"` // in the currency of the prices; null without them, or if unknown
}

// Findings counts the findings in a package.
type Findings struct {
	Checks       uint64 `json:"checks"`       // failed checks in the period's blocks
	Undetermined uint64 `json:"undetermined"` // fees that no rule determines
	Drifts       uint64 `json:"drifts"`       // fees that differ from what the chain charged
	Unclassified uint64 `json:"unclassified"` // unrecognised balances events
	Statements   uint64 `json:"statements"`   // accounts with an unproved statement
	Journal      uint64 `json:"journal"`      // 1 if the movements do not match the balances
	Differences  uint64 `json:"differences"`  // between the company's record and the ledger, not accepted
	// Accepted counts the differences that a person accepted. They are explained, not findings.
	Accepted uint64 `json:"accepted_differences,omitempty"`
	// Rollforward is 1 if one of its columns does not close.
	Rollforward uint64 `json:"rollforward,omitempty"`
	// InAssets counts the fees in assets that no record contains: they were not compared. That is not a finding.
	InAssets uint64 `json:"fees_in_assets_not_compared,omitempty"`
	// NothingCompared means that neither the record nor the ledger has a fee to compare. That is not a finding.
	NothingCompared bool `json:"nothing_compared,omitempty"`
	// Posted counts the journals for accounting systems that differ from the report.
	Posted uint64 `json:"posted,omitempty"`
}

// None reports whether no finding is left open. Accepted differences and what was not compared are not findings.
func (f Findings) None() bool {
	f.Accepted, f.InAssets, f.NothingCompared = 0, 0, false
	return f == Findings{}
}

// Counts iterates over the kinds of findings with their counts.
func (f Findings) Counts(yield func(what string, count uint64) bool) {
	for _, n := range []struct {
		what  string
		count uint64
	}{
		{"failed checks", f.Checks}, {"undetermined fees", f.Undetermined}, {"fee drifts", f.Drifts}, {"unrecognised events", f.Unclassified}, {"failed statements", f.Statements},
		{"failed rollforwards", f.Rollforward}, {"failed journals", f.Journal}, {"posted journals that differ from the report", f.Posted}, {"open reconciliation differences", f.Differences}, {"accepted reconciliation differences", f.Accepted},
		{"fees in assets not compared", f.InAssets},
	} {
		if n.count > 0 && !yield(n.what, n.count) {
			return
		}
	}
}

// Named returns the files with some names.
func (m *Manifest) Named(names []string) (files []File) {
	for _, f := range m.Files {
		if slices.Contains(names, f.Name) {
			files = append(files, f)
		}
	}
	return files
}

// File is a file of a package.
type File struct {
	Name   string `json:"name"` // slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Encode encodes the manifest. Equal manifests give equal bytes.
func (m *Manifest) Encode() ([]byte, error) { return encode(m) }

func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	err := jsontext.Write(&text, value)
	return text.Bytes(), err
}

// ReadManifest parses a manifest strictly: only the bytes written by Encode are accepted.
func ReadManifest(text []byte) (*Manifest, error) {
	var m Manifest
	if err := decode(text, &m, &m.Format); err != nil {
		return nil, err
	}
	return &m, m.check()
}

// decode parses a text strictly: only the bytes written by encode are accepted. Its format is found in the value.
func decode(text []byte, into any, formatOf *int) error {
	if len(text) > maxManifestBytes {
		return fmt.Errorf("larger than %d bytes", maxManifestBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if *formatOf != format {
		return fmt.Errorf("format %d is not supported; this program reads format %d", *formatOf, format)
	}
	again, err := encode(into)
	if err != nil {
		return err
	}
	if !bytes.Equal(text, again) {
		return errors.New("not in the exact form that fees writes")
	}
	return nil
}

// check rejects inconsistent contents.
func (m *Manifest) check() error {
	if m.Version < 1 || m.Version > maxVersions || (m.Version == 1) != (m.Previous == "") {
		return fmt.Errorf("version %d does not fit the previous manifest %q", m.Version, m.Previous)
	}
	if m.Blocks.First > m.Blocks.Last || m.Period.Complete != (len(m.Period.Missing) == 0) || (m.Period.Month == "") == (m.Period.Year == "") {
		return errors.New("the period is inconsistent")
	}
	if err := cmp.Or(m.Evidence.Check(), m.Trail.Check()); err != nil {
		return err
	}
	if v := m.Options.Variance; v != nil {
		if err := v.Evidence.Check(); err != nil || v.First >= m.Blocks.First {
			return errors.New("the period before is inconsistent")
		}
	}
	if m.Evidence.Blocks != m.Blocks.Count {
		return fmt.Errorf("the evidence covers %d blocks, the package %d", m.Evidence.Blocks, m.Blocks.Count)
	}
	if len(m.Files) > maxFiles {
		return fmt.Errorf("%d files exceed the limit of %d", len(m.Files), maxFiles)
	}
	for i, f := range m.Files {
		switch {
		case !validName(f.Name):
			return fmt.Errorf("%q is not a valid file name", f.Name)
		case i > 0 && m.Files[i-1].Name >= f.Name:
			return fmt.Errorf("%q is out of order", f.Name)
		}
	}
	return nil
}

// validName reports whether a name is a valid file name inside a package.
func validName(name string) bool {
	return filepath.IsLocal(name) && path.Clean(name) == name && !strings.ContainsAny(name, `\:`) &&
		name != "." && name != ManifestFile && name != SignatureFile && name != StampFile && name != versionsDir && !strings.HasPrefix(name, versionsDir+"/")
}

// content returns the manifest without its history: two versions with equal content are the same
// package.
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
