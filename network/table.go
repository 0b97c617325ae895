package network

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/network/rule"
)

// Network is one network's table.
type Network struct {
	Name string `json:"name"` // on the command line and in reports
	// SpecName is the runtime's name for itself, in a gateway's specName and clientImplName; empty if equal to
	// Name.
	SpecName string `json:"spec_name,omitempty"`
	// Chain is the nodes' name for the network, such as "Moonbase Alpha".
	Chain  string `json:"chain,omitempty"`
	Symbol string `json:"symbol"`
	// Genesis is the hash of the chain's block 0, nil if unknown. Signatures of transactions include it.
	Genesis *chain.Hash `json:"genesis,omitempty"`
	// EVMChainID is the chain ID of EVM transactions (EIP-155), 0 if unknown.
	EVMChainID uint64 `json:"evm_chain_id,omitempty"`
	// ShortName precedes an address that names its chain (EIP-3770), as in mbeam:0x…; "" if unknown.
	ShortName string `json:"short_name,omitempty"`
	// Parachain is the chain's ID in its relay chain's state, 0 if unknown or not a parachain. Evidence of finality must
	// be about it.
	Parachain uint32 `json:"parachain,omitempty"`
	// ToFind lists the figures that a drafted table lacks. A table with such a list is not accepted.
	ToFind []string `json:"to_find,omitempty"`
	// Unverified says why the table is not verified: where its figures are from. It was not compared with its chain's
	// blocks, so no row is certain. Empty if it was.
	Unverified string `json:"unverified,omitempty"`
	// LastRuntime is the newest runtime that the rows were checked against.
	LastRuntime uint32 `json:"last_runtime"`
	// Decimals is the number of the token's decimals; 0 stands for 18.
	Decimals uint8 `json:"decimals,omitempty"`
	// EVMUnit is the number of wei, the EVM's unit, in one of the token's smallest units, in which fees are charged: 10^9 if
	// the token has 9 decimals; 0 stands for 1.
	EVMUnit uint64 `json:"evm_unit,omitempty"`
	// FirstWithdrawEvent and FirstFeeEvent are the runtimes that first emitted balances.Withdraw and
	// transactionPayment.TransactionFeePaid (substrate 0.9.13 and 0.9.26); 0 if all do.
	FirstWithdrawEvent uint32 `json:"first_withdraw_event,omitempty"`
	FirstFeeEvent      uint32 `json:"first_fee_event,omitempty"`
	// FirstExactDigest is the first runtime whose header digest lists exactly the EVM transactions that were
	// executed; 0 if all do.
	FirstExactDigest uint32 `json:"first_exact_digest,omitempty"`
	// FirstExactHold is the first runtime that withdraws exactly gas limit × gas price before an EVM transaction
	// runs. FirstActualPaysFee is the first runtime whose outcome states in paysFee whether the extrinsic paid in
	// the end, rather than the call's declaration. 0 if all do.
	FirstExactHold     uint32 `json:"first_exact_hold,omitempty"`
	FirstActualPaysFee uint32 `json:"first_actual_pays_fee,omitempty"`
	// FirstSetCode is the first runtime in which a signing account may have code (EIP-7702), which can raise its
	// nonce; 0 if it may in all.
	FirstSetCode uint32 `json:"first_set_code,omitempty"`
	// FirstMetadataHash is the first runtime with the signed extension CheckMetadataHash (RFC-0078), with which
	// the chain rejects transactions signed with different metadata; 0 if unknown.
	FirstMetadataHash uint32 `json:"first_metadata_hash,omitempty"`
	// EqualTimesFrom is the first runtime whose constant timestamp.MinimumPeriod is 0, so that two blocks may have the same
	// time; nil if none.
	EqualTimesFrom *uint32 `json:"equal_times_from,omitempty"`
	// LastBlock is the last block of a chain that has ended; nil if the chain continues, or if this is unknown.
	LastBlock *uint64 `json:"last_block,omitempty"`
	// Anchors are checkpoints from other sources, lowest first.
	Anchors []Anchor `json:"anchors,omitempty"`
	// Treasury is the account that receives the treasury's part of the fees. If it is unknown, so is the
	// destination of any fee credited to an account.
	Treasury *chain.Address `json:"treasury,omitempty"`
	// AccountMapping says how an EVM address becomes the native account that pays for it.
	AccountMapping AccountMapping `json:"account_mapping,omitempty"`
	// SS58Prefix is the chain's own prefix of accounts of 32 bytes in SS58; nil if unknown.
	SS58Prefix *uint16 `json:"ss58_prefix,omitempty"`
	// TreasuryName is the name of the account Treasury, if it is not the treasury but another pot, such as "staking pot".
	TreasuryName string `json:"treasury_name,omitempty"`
	// Sources contains the sources of the network's figures outside the rows, by field name.
	Sources map[string]string `json:"sources,omitempty"`
	// FeesTreasuryProportion locates the parameter that [rule.TreasuryParameter] uses; nil if unknown or not
	// applicable.
	FeesTreasuryProportion *rule.TreasuryProportion `json:"fees_treasury_proportion,omitempty"`
	Specification          *Specification           `json:"specification,omitempty"`
	rule.Lists

	File string `json:"-"` // the user's file that contains it, "" if built in

	faults []Fault // of all known networks
}

// Specification is the network's row in the specification's own table.
type Specification struct {
	Name            string          `json:"name"` // mainnet or testnet
	BaseFeeConstant *chain.GasPrice `json:"base_fee_constant"`
	MinGasPrice     *chain.GasPrice `json:"minimum_gas_price"`
	Source          string          `json:"source"`
}

// Tables contains the known networks, sorted by name.
type Tables struct {
	networks []Network
	faults   []Fault // of all networks, including those that a user's file replaced
}

//go:embed tables/*.json
var builtIn embed.FS

// BuiltIn returns the built-in tables.
func BuiltIn() Tables {
	t := builtInOnce()
	t.networks = slices.Clone(t.networks)
	return t
}

// builtInOnce parses the tables once: every command needs their names.
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

// add adds networks, and gives each the faults of all.
func (t *Tables) add(networks []Network) {
	t.networks = append(t.networks, networks...)
	for i := range networks {
		t.faults = withFaults(t.faults, &networks[i])
	}
	for i := range t.networks {
		t.networks[i].faults = t.faults
	}
}

// With adds the networks in a user's file to the tables. It replaces an existing network completely. Reports
// name file as the source.
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

// All returns the networks sorted by name.
func (t Tables) All() []Network {
	return slices.SortedFunc(slices.Values(t.networks), func(a, b Network) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// Names returns the networks' names, sorted.
func (t Tables) Names() []string {
	names := []string{}
	for i := range t.networks {
		names = append(names, t.networks[i].Name)
	}
	slices.Sort(names)
	return names
}

// Named returns the network with a name.
func (t Tables) Named(name string) (*Network, bool) {
	for i := range t.networks {
		if t.networks[i].Name == name {
			return &t.networks[i], true
		}
	}
	return nil, false
}

// parse parses a table and makes all checks that do not need the chain.
func parse(text []byte) ([]Network, error) {
	var table struct {
		Networks []Network `json:"networks"`
	}
	if err := jsonscan.Unmarshal(text, &table); err != nil {
		return nil, err
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
			return nil, fmt.Errorf("duplicate network %q", n.Name)
		}
		seen[n.Name] = true
	}
	return table.Networks, nil
}

var (
	nameForm      = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	potForm       = regexp.MustCompile(`^[a-z][a-z0-9 -]{0,31}$`)
	shortNameForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
	symbolForm    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,11}$`)
)

func (n *Network) check() error {
	switch {
	case !nameForm.MatchString(n.Name):
		return errors.New("name: want up to 32 lower-case letters, digits and hyphens")
	case !symbolForm.MatchString(n.Symbol):
		return fmt.Errorf("symbol %q: want up to 12 letters and digits, such as GLMR", n.Symbol)
	case n.ShortName != "" && !shortNameForm.MatchString(n.ShortName):
		return fmt.Errorf("short_name %q: want letters, digits and hyphens", n.ShortName)
	case len(n.ToFind) > 0:
		return fmt.Errorf("to_find: the table is a draft that lacks %d figures, first %q. Enter them, and remove the list", len(n.ToFind), jsonscan.Excerpt(n.ToFind[0]))
	case n.TreasuryName != "" && (n.Treasury == nil || !potForm.MatchString(n.TreasuryName)):
		return fmt.Errorf("treasury_name %q: want up to 32 lower-case letters, digits, spaces and hyphens, with treasury", n.TreasuryName)
	case n.Treasury != nil && n.Treasury.Size() != n.AccountMapping.Size():
		return fmt.Errorf("treasury %v: want %d bytes, as the chain's native accounts", *n.Treasury, n.AccountMapping.Size())
	case n.SS58Prefix != nil && (n.AccountMapping.Size() != chain.LongAddressSize || *n.SS58Prefix > chain.MaxSS58Prefix):
		return fmt.Errorf("ss58_prefix %d: want at most %d, on a chain whose native accounts have %d bytes", *n.SS58Prefix, chain.MaxSS58Prefix, chain.LongAddressSize)
	case n.Decimals > 18:
		return fmt.Errorf("decimals %d: want at most 18", n.Decimals)
	case n.EVMUnit > maxEVMUnit:
		return fmt.Errorf("evm_unit %d: want at most %d", n.EVMUnit, uint64(maxEVMUnit))
	}
	if s := n.Specification; s != nil {
		if !nameForm.MatchString(s.Name) || s.BaseFeeConstant == nil || s.MinGasPrice == nil || s.Source == "" {
			return errors.New("specification: want name, base_fee_constant, minimum_gas_price and source")
		}
	}
	if err := cmp.Or(
		n.AccountMapping.check(),
		n.checkSources(),
		n.checkAnchors(),
		n.FeesTreasuryProportion.Check(),
		rule.Check(&n.Lists),
		n.checkPots(),
	); err != nil {
		return err
	}
	if last := rule.NewestRow(&n.Lists); n.LastRuntime < last {
		return fmt.Errorf("last_runtime %d: want the newest runtime that the rows apply to, at least %d", n.LastRuntime, last)
	}
	return nil
}

// checkPots checks the accounts of the destinations that do not use the treasury's.
func (n *Network) checkPots() error {
	for _, row := range n.Destinations {
		switch d := row.Destinations; {
		case d.Account == nil:
		case d.Account.Size() != n.AccountMapping.Size():
			return fmt.Errorf("destinations from runtime %d: account %v: want %d bytes, as the chain's native accounts", row.FromRuntime, *d.Account, n.AccountMapping.Size())
		case !potForm.MatchString(d.AccountName):
			return fmt.Errorf("destinations from runtime %d: account_name %q: want up to 32 lower-case letters, digits, spaces and hyphens", row.FromRuntime, d.AccountName)
		}
	}
	return nil
}
