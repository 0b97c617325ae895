package closing

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/chain"
)

// GroupFile describes the packages of several chains that were closed together, in the directory that contains them.
const GroupFile = "group.json"

// Group describes the packages of several chains of one period: what each states, and the total. It follows from the packages.
type Group struct {
	Format   int    `json:"format"`
	Month    string `json:"month,omitempty"`
	Year     string `json:"year,omitempty"`
	Timezone string `json:"timezone"`
	Company  string `json:"company,omitempty"`
	Currency string `json:"currency"` // of the values; "" without prices
	Chains   []Link `json:"chains"`   // by network
	// Total has the sums of the chains' rounded values. A sum with an unknown part is null.
	Total Values   `json:"total"`
	Notes []string `json:"notes"` // such as why a sum is not known
}

// Link names the package of a chain, with what it states.
type Link struct {
	Network  string `json:"network"`
	Token    string `json:"token"`
	Path     string `json:"path"` // of the package, in the group's directory
	Version  int    `json:"version"`
	Manifest string `json:"manifest"` // its SHA-256
	Seal     string `json:"seal"`     // "" if not all blocks are sealed
	Complete bool   `json:"complete"` // the ledger covers the period
	// Charged are the fees, in the smallest unit of the token; null if unknown.
	Charged chain.Optional[chain.Wei] `json:"charged"`
	Values  Values                    `json:"values"`
	// Reconciliation is the verdict on the company's record; nil without a record.
	Reconciliation *Verdict `json:"reconciliation"`
	Findings       Findings `json:"findings"`
}

// Values are amounts in the currency, null if unknown or without prices.
type Values struct {
	Charged             chain.Optional[string] `json:"charged"`
	Opening             chain.Optional[string] `json:"opening"`
	ValuationDifference chain.Optional[string] `json:"valuation_difference"`
	Closing             chain.Optional[string] `json:"closing"`
}

// Verdict is the verdict of a reconciliation.
type Verdict struct {
	Headline   string               `json:"headline"`
	Reconciled chain.Optional[bool] `json:"reconciled"` // null if not all was compared
}

// Encode encodes the group and returns its SHA-256, too. Equal groups give equal bytes.
func (g *Group) Encode() (text []byte, sum string, err error) {
	g.Format = format
	text, err = encode(g)
	return text, sumOf(text), err
}

// Period returns the group's period.
func (g *Group) Period() string { return g.Month + g.Year }

// OpenGroup reads the group in a directory. It returns fs.ErrNotExist if there is none, and [ErrDamaged] if it is not what
// Encode writes.
func OpenGroup(dir string) (*Group, error) {
	name := filepath.Join(dir, GroupFile)
	if _, err := os.Lstat(name); err != nil {
		return nil, fs.ErrNotExist
	}
	file, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err != nil {
		return nil, err
	}
	var g Group
	if err := decode(text, &g, &g.Format); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	return &g, nil
}

// check rejects inconsistent contents.
func (g *Group) check() error {
	if (g.Month == "") == (g.Year == "") || len(g.Chains) < 2 {
		return errors.New("the period or the chains are inconsistent")
	}
	for i, l := range g.Chains {
		switch {
		case l.Path != l.Network || !isName(l.Path):
			return fmt.Errorf("%q is not the directory of %s", l.Path, l.Network)
		case i > 0 && g.Chains[i-1].Network >= l.Network:
			return fmt.Errorf("%s is out of order", l.Network)
		}
	}
	return nil
}
