package network

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Identity is a gateway's description of its network. Fields that the gateway did not report are empty.
type Identity struct {
	SpecName       string // from /runtime/spec
	ClientImplName string // from /node/version
	Chain          string // from /node/version
	Token          chain.Token
}

// names returns the names in order of precedence.
func (i Identity) names() []string {
	names := []string{}
	for _, name := range []string{i.SpecName, i.ClientImplName, i.Chain} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ErrUnknownNetwork means that no table matches the name from the gateway or the user.
var ErrUnknownNetwork = failure.New(failure.NotUnderstood, "unknown network")

// ErrConflict means that the user and the gateway named different networks.
var ErrConflict = failure.New(failure.NotUnderstood, "conflicting networks")

// Find selects the network by the runtime's specName, else by the node's clientImplName, else by its chain
// name. Wanted is the user's choice of network, or "". It must not contradict the gateway; it decides if the
// gateway reports no name or one that is in no table (note then explains this), or if several tables have the
// name and one of them is the user's. A token with other decimals than the table's is an error, another symbol a note.
func (t Tables) Find(gateway Identity, wanted string) (n *Network, note string, err error) {
	if n, note, err = t.find(gateway, wanted); err != nil {
		return nil, "", err
	}
	symbol, err := n.checkToken(gateway.Token)
	if err != nil {
		return nil, "", err
	}
	return n, cmp.Or(note, symbol), nil
}

func (t Tables) find(gateway Identity, wanted string) (n *Network, note string, err error) {
	var found *Network
	name := "" // the gateway's name that was found, or its first
	for _, name = range gateway.names() {
		if found = t.like(name); found != nil {
			break
		}
	}
	if wanted == "" {
		if found == nil {
			return nil, "", t.unknown(gateway)
		}
		return found, "", t.only(found, name)
	}
	chosen, err := t.Choose(wanted)
	switch {
	case err != nil:
		return nil, "", err
	case found != nil && !chosen.is(name):
		return nil, "", fmt.Errorf("%w: --network is %s, but the gateway serves %s. Omit --network, or use a different gateway.",
			ErrConflict, chosen.Name, found.Name)
	case found == nil:
		claim := "the gateway does not report its network"
		if names := gateway.names(); len(names) > 0 {
			claim = fmt.Sprintf("the gateway reports the network %q", names[0])
		}
		return chosen, fmt.Sprintf("%s: priced as %s because of --network", claim, chosen.Name), nil
	}
	return chosen, "", nil
}

// only rejects a table found by a gateway's name if another table has that name too, and the user supplied one of the two:
// neither may be left out silently.
func (t Tables) only(found *Network, name string) error {
	other := t.first(func(n *Network) bool { return n.Name != found.Name && n.is(name) && cmp.Or(n.File, found.File) != "" })
	if other == nil {
		return nil
	}
	return fmt.Errorf("%w: the gateway serves %s, which two tables describe: the %s and the %s. Choose one with --network %s or --network %s.",
		ErrConflict, name, found.table(), other.table(), found.Name, other.Name)
}

// checkToken compares the table's token with the token that a gateway reports, if it does. Other decimals would make every
// amount in the token wrong. Another symbol is noted: local and test chains often have one.
func (n *Network) checkToken(t chain.Token) (note string, err error) {
	want := uint64(cmp.Or(n.Decimals, usualDecimals))
	decimals, known := t.Decimals.Get()
	if known && decimals != want {
		return "", fmt.Errorf("%w: the gateway reports a token with %d decimals, but %s in the %s has %d. Use a gateway of the right chain, or correct the table.",
			ErrConflict, decimals, n.Symbol, n.table(), want)
	}
	if t.Symbol != "" && !strings.EqualFold(t.Symbol, n.Symbol) {
		note = fmt.Sprintf("the gateway reports the token %q, but the %s has %s: check that the gateway serves the right chain", jsonscan.Excerpt(t.Symbol), n.table(), n.Symbol)
	}
	return note, nil
}

// Choose returns the network with the user's name for it, in any case.
func (t Tables) Choose(name string) (*Network, error) {
	n, ok := t.Named(strings.ToLower(name))
	if !ok {
		return nil, fmt.Errorf("%w %q: want one of %s",
			ErrUnknownNetwork, name, strings.Join(t.Names(), ", "))
	}
	return n, nil
}

// like returns the network that a gateway's name refers to. A network with exactly this name takes precedence
// over networks that a user defined for the same gateway.
func (t Tables) like(name string) *Network {
	if n, ok := t.Named(strings.ToLower(name)); ok && n.is(name) {
		return n
	}
	for i := range t.networks {
		if n := &t.networks[i]; n.is(name) {
			return n
		}
	}
	return nil
}

// is reports whether a gateway with this name serves the network.
func (n *Network) is(name string) bool {
	specName := cmp.Or(n.SpecName, n.Name)
	return strings.EqualFold(name, specName) || n.Chain != "" && strings.EqualFold(name, n.Chain)
}

func (t Tables) unknown(gateway Identity) error {
	said := "the gateway does not report its network"
	if names := gateway.names(); len(names) > 0 {
		said = fmt.Sprintf("the gateway serves %q", names[0])
	}
	return fmt.Errorf("%w: %s (known: %s)",
		ErrUnknownNetwork, said, strings.Join(t.Names(), ", "))
}

// OfGenesis returns the network whose block 0 has the hash, or nil if it is in no table.
func (t Tables) OfGenesis(hash chain.Hash) *Network {
	return t.first(func(n *Network) bool { return n.Genesis != nil && *n.Genesis == hash })
}

// OfEVMChain returns the network with the EVM chain ID, or nil if it is in no table.
func (t Tables) OfEVMChain(id uint64) *Network {
	return t.first(func(n *Network) bool { return id > 0 && n.EVMChainID == id })
}

func (t Tables) first(fits func(*Network) bool) *Network {
	for i := range t.networks {
		if fits(&t.networks[i]) {
			return &t.networks[i]
		}
	}
	return nil
}

// IsSpecName reports whether the network's runtimes have the spec name.
func (n *Network) IsSpecName(name string) bool { return name == cmp.Or(n.SpecName, n.Name) }
