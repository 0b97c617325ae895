package network

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Network is one network's table.
type Network struct {
	Name string `json:"name"` // on the command line and in reports
	// SpecName is how the runtime names itself, in a gateway's specName and
	// clientImplName; Name if it is empty.
	SpecName string `json:"spec_name,omitempty"`
	// Chain is how a node names the network, such as "Moonbase Alpha".
	Chain  string `json:"chain,omitempty"`
	Symbol string `json:"symbol"`
	// Genesis is the hash of the chain's block 0, nil where it is not known. A signer knows the chain by it.
	Genesis *chain.Hash `json:"genesis,omitempty"`
	// EVMChainID is what EVM transactions of the chain are bound to (EIP-155), 0 where it is not known.
	EVMChainID uint64 `json:"evm_chain_id,omitempty"`
	// LastRuntime is the newest runtime that the rows were checked against.
	LastRuntime uint32 `json:"last_runtime"`
	// FirstWithdrawEvent and FirstFeeEvent are the runtimes that first emitted
	// balances.Withdraw and transactionPayment.TransactionFeePaid (substrate 0.9.13
	// and 0.9.26); 0 where all do.
	FirstWithdrawEvent uint32 `json:"first_withdraw_event,omitempty"`
	FirstFeeEvent      uint32 `json:"first_fee_event,omitempty"`
	// FirstExactDigest is the runtime from which on the header's digest names the EVM
	// transactions that ran, and no others; 0 where all do.
	FirstExactDigest uint32 `json:"first_exact_digest,omitempty"`
	// FirstExactHold is the runtime that first withdrew, before an EVM transaction
	// runs, its gas limit at its gas price and no more. FirstActualPaysFee is the one
	// whose outcome first says by paysFee whether the extrinsic paid in the end, and
	// not what its call declared before. 0 where all do.
	FirstExactHold     uint32 `json:"first_exact_hold,omitempty"`
	FirstActualPaysFee uint32 `json:"first_actual_pays_fee,omitempty"`
	// FirstSetCode is the first runtime in which an account that signs may have code
	// (EIP-7702), which can raise its nonce; 0 where all may be such.
	FirstSetCode uint32 `json:"first_set_code,omitempty"`
	// FirstMetadataHash is the first runtime with the signed extension CheckMetadataHash (RFC-0078), by which the
	// chain refuses what was signed by other metadata; 0 where that is not known.
	FirstMetadataHash uint32 `json:"first_metadata_hash,omitempty"`
	// LastBlock is the last one of a chain that has ended; nil where it goes on, or that
	// is not known.
	LastBlock *uint64 `json:"last_block,omitempty"`
	// Anchors are blocks that are known from elsewhere, the lowest first.
	Anchors []Anchor `json:"anchors,omitempty"`
	// Treasury is the account that gets the treasury's part of the fees. Where it is
	// not known, neither is what became of a fee that somebody was credited of.
	Treasury *chain.Address `json:"treasury,omitempty"`
	// Sources says where the figures of this network are from that stand in no row, each
	// by the name of its field.
	Sources map[string]string `json:"sources,omitempty"`
	// FeesTreasuryProportion is where the chain keeps what [TreasuryParameter] looks
	// at; nil where that is not known, or there is no such parameter.
	FeesTreasuryProportion *TreasuryProportion `json:"fees_treasury_proportion,omitempty"`
	Specification          *Specification      `json:"specification,omitempty"`
	Rows                   []Row               `json:"rows"`
	// What proves the fees of a runtime against the chain's records. A list that is
	// empty, or begins later, leaves it unknown.
	Destinations      []DestinationsRow     `json:"destinations,omitempty"`
	MultiplierUpdates []MultiplierUpdateRow `json:"multiplier_updates,omitempty"`
	NativeFees        []NativeFeeRow        `json:"native_fees,omitempty"`
	// ExistentialDeposits are what an account has at least.
	ExistentialDeposits []ExistentialDepositRow `json:"existential_deposits,omitempty"`

	File string `json:"-"` // the user's file it came from, "" if built in

	faults []Fault // of all networks that are known
}

// Specification is the network's row in the specification's own table.
type Specification struct {
	Name            string          `json:"name"` // mainnet or testnet
	BaseFeeConstant *chain.GasPrice `json:"base_fee_constant"`
	MinGasPrice     *chain.GasPrice `json:"minimum_gas_price"`
	Source          string          `json:"source"`
}

// Row holds from its runtime until the next row's. It has either StaticBaseFee,
// or BaseFeeConstant and MinMultiplier. Prices are in wei per gas, multipliers
// are stored integers (10^18 for 1).
type Row struct {
	FromRuntime      uint32            `json:"from_runtime"`
	StaticBaseFee    *chain.GasPrice   `json:"static_base_fee,omitempty"`
	BaseFeeConstant  *chain.GasPrice   `json:"base_fee_constant,omitempty"`
	MinMultiplier    *chain.Multiplier `json:"minimum_multiplier,omitempty"`
	WeightPerGas     WeightPerGas      `json:"weight_per_gas,omitzero"` // the specification's where it is 0
	WeightCorrection chain.RefTime     `json:"weight_correction,omitzero"`
	PriceUncapped    bool              `json:"price_uncapped,omitempty"`
	// Uncertain says that the sources leave open whether these are the chain's
	// figures. Note says why.
	Uncertain bool   `json:"uncertain,omitempty"`
	Source    string `json:"source"`
	Note      string `json:"note,omitempty"`
}

// MinGasPrice is the lowest price that the row's runtimes accept: the static
// base fee, or floor(minimum multiplier × constant).
func (r Row) MinGasPrice() chain.GasPrice {
	lowest, _ := r.minGasPrice() // checked when the table was read
	return lowest
}

// Tables are the networks that are known, by name.
type Tables struct {
	networks []Network
	faults   []Fault // of them, and of those that a user's file replaced
}

//go:embed tables/*.json
var builtIn embed.FS

// BuiltIn returns the tables that are built in.
func BuiltIn() Tables {
	t := builtInOnce()
	t.networks = slices.Clone(t.networks)
	return t
}

// builtInOnce reads the tables once: every command asks for their names.
var builtInOnce = sync.OnceValue(func() Tables {
	var t Tables
	files, err := builtIn.ReadDir("tables")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		text, err := builtIn.ReadFile("tables/" + file.Name())
		if err != nil {
			panic(err)
		}
		networks, err := parse(text)
		if err != nil {
			panic(fmt.Sprintf("tables/%s: %v", file.Name(), err))
		}
		t.add(networks)
	}
	return t
})

// add adds networks, and tells each of the faults of all.
func (t *Tables) add(networks []Network) {
	t.networks = append(t.networks, networks...)
	for i := range networks {
		t.faults = withFaults(t.faults, &networks[i])
	}
	for i := range t.networks {
		t.networks[i].faults = t.faults
	}
}

// With adds the networks of a user's file to the tables. A network that is
// already there is replaced whole. File is the name that reports give as their
// source.
func (t Tables) With(file string, text []byte) (Tables, error) {
	added, err := parse(text)
	if err != nil {
		return Tables{}, err
	}
	all := Tables{faults: t.faults}
	for _, n := range t.networks {
		if !slices.ContainsFunc(added, func(a Network) bool { return a.Name == n.Name }) {
			all.networks = append(all.networks, n)
		}
	}
	for i := range added {
		added[i].File = file
	}
	all.add(added)
	return all, nil
}

// All lists the networks by name.
func (t Tables) All() []Network {
	return slices.SortedFunc(slices.Values(t.networks), func(a, b Network) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Names lists the networks' names, in order.
func (t Tables) Names() []string {
	names := []string{}
	for _, n := range t.All() {
		names = append(names, n.Name)
	}
	return names
}

// Named finds a network by its name.
func (t Tables) Named(name string) (*Network, bool) {
	for i := range t.networks {
		if t.networks[i].Name == name {
			return &t.networks[i], true
		}
	}
	return nil, false
}

// parse reads a table and checks all that can be checked without the chain.
func parse(text []byte) ([]Network, error) {
	// encoding/json would take the last of two equal keys.
	if _, err := jsonscan.Parse(string(text)); err != nil {
		return nil, err
	}
	var table struct {
		Networks []Network `json:"networks"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&table); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(table.Networks) == 0 {
		return nil, errors.New(`no networks: want {"networks": [{"name": …, "symbol": …, "last_runtime": …, "rows": […]}]}`)
	}
	seen := map[string]bool{}
	for i := range table.Networks {
		n := &table.Networks[i]
		if err := n.check(); err != nil {
			return nil, fmt.Errorf("network %d %q: %w", i+1, n.Name, err)
		}
		if seen[n.Name] {
			return nil, fmt.Errorf("network %q is there twice", n.Name)
		}
		seen[n.Name] = true
	}
	return table.Networks, nil
}

var (
	nameForm   = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	symbolForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,11}$`)
)

func (n *Network) check() error {
	switch {
	case !nameForm.MatchString(n.Name):
		return errors.New("name: want up to 32 lower-case letters, digits and hyphens")
	case !symbolForm.MatchString(n.Symbol):
		return fmt.Errorf("symbol %q: want up to 12 letters and digits, such as GLMR", n.Symbol)
	case len(n.Rows) == 0:
		return errors.New("rows: none; want at least one")
	}
	if s := n.Specification; s != nil {
		if !nameForm.MatchString(s.Name) || s.BaseFeeConstant == nil || s.MinGasPrice == nil || s.Source == "" {
			return errors.New("specification: want name, base_fee_constant, minimum_gas_price and source")
		}
	}
	if err := cmp.Or(
		n.checkSources(),
		n.checkAnchors(),
		n.FeesTreasuryProportion.check(),
		checkRows("row", n.Rows),
		checkRows("destinations", n.Destinations),
		checkRows("multiplier_updates", n.MultiplierUpdates),
		checkRows("native_fees", n.NativeFees),
		checkRows("existential_deposits", n.ExistentialDeposits),
	); err != nil {
		return err
	}
	if last := max(lastOf(n.Rows), lastOf(n.Destinations), lastOf(n.MultiplierUpdates), lastOf(n.NativeFees), lastOf(n.ExistentialDeposits)); n.LastRuntime < last {
		return fmt.Errorf("last_runtime %d: want the newest runtime that the rows hold for, at least %d", n.LastRuntime, last)
	}
	return nil
}

func (r Row) check() error {
	static, dynamic := r.StaticBaseFee != nil, r.BaseFeeConstant != nil || r.MinMultiplier != nil
	switch {
	case static == dynamic:
		return errors.New("want either static_base_fee, or base_fee_constant with minimum_multiplier")
	case dynamic && (r.BaseFeeConstant == nil || r.MinMultiplier == nil):
		return errors.New("want both base_fee_constant and minimum_multiplier")
	case r.Uncertain && r.Note == "":
		return errors.New("uncertain: want a note that says why")
	}
	_, err := r.minGasPrice()
	return err
}

// minGasPrice is the row's static base fee, or floor(minimum multiplier × constant).
func (r Row) minGasPrice() (chain.GasPrice, error) {
	if r.StaticBaseFee != nil {
		return *r.StaticBaseFee, nil
	}
	lowest, err := r.MinMultiplier.Of(*r.BaseFeeConstant)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("minimum_multiplier × base_fee_constant: %w", err)
	}
	return lowest, nil
}
