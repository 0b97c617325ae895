package network

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// Identity is what a gateway says of the network behind it. Empty fields are
// what it did not say.
type Identity struct {
	SpecName       string // of /runtime/spec
	ClientImplName string // of /node/version
	Chain          string // of /node/version
}

// names are the names in the order in which they decide.
func (i Identity) names() []string {
	names := []string{}
	for _, name := range []string{i.SpecName, i.ClientImplName, i.Chain} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// ErrUnknownNetwork says that no table fits what the gateway or the user named.
var ErrUnknownNetwork = failure.New(failure.NotUnderstood, "unknown network")

// ErrConflict says that the user named another network than the gateway.
var ErrConflict = failure.New(failure.NotUnderstood, "conflicting networks")

// Find chooses the network: by the runtime's specName, else by the node's
// clientImplName, else by its chain name. Wanted is the network that the user
// named, or "": it must not be another than the gateway's, and decides where the
// gateway's is in no table or was not told (the note then says so).
func (t Tables) Find(gateway Identity, wanted string) (n *Network, note string, err error) {
	var found *Network
	said := "" // the gateway's name that was found, or its first
	for _, said = range gateway.names() {
		if found = t.like(said); found != nil {
			break
		}
	}
	if wanted == "" {
		if found == nil {
			return nil, "", t.unknown(gateway)
		}
		return found, "", nil
	}
	chosen, err := t.Choose(wanted)
	switch {
	case err != nil:
		return nil, "", err
	case found != nil && !chosen.is(said):
		return nil, "", fmt.Errorf("%w: --network says %s, the gateway says %s; leave --network out, or ask another gateway",
			ErrConflict, chosen.Name, found.Name)
	case found == nil:
		claim := "the gateway does not name its network"
		if names := gateway.names(); len(names) > 0 {
			claim = fmt.Sprintf("the gateway calls its network %q", names[0])
		}
		return chosen, fmt.Sprintf("%s: priced as %s, as --network says", claim, chosen.Name), nil
	}
	return chosen, "", nil
}

// Choose finds the network that the user named, in any case.
func (t Tables) Choose(name string) (*Network, error) {
	n, ok := t.Named(strings.ToLower(name))
	if !ok {
		return nil, fmt.Errorf("%w %q: known are %s",
			ErrUnknownNetwork, name, strings.Join(t.Names(), ", "))
	}
	return n, nil
}

// like finds a network by what a gateway calls it. One that has this very name
// goes before those that a user made for the same gateway.
func (t Tables) like(said string) *Network {
	if n, ok := t.Named(strings.ToLower(said)); ok && n.is(said) {
		return n
	}
	for i := range t.networks {
		if n := &t.networks[i]; n.is(said) {
			return n
		}
	}
	return nil
}

// is tells whether a gateway that says this name serves the network.
func (n *Network) is(said string) bool {
	specName := cmp.Or(n.SpecName, n.Name)
	return strings.EqualFold(said, specName) || n.Chain != "" && strings.EqualFold(said, n.Chain)
}

func (t Tables) unknown(gateway Identity) error {
	said := "the gateway does not say which network it serves"
	if names := gateway.names(); len(names) > 0 {
		said = fmt.Sprintf("the gateway serves %q", names[0])
	}
	return fmt.Errorf("%w: %s; known are %s",
		ErrUnknownNetwork, said, strings.Join(t.Names(), ", "))
}

// OfGenesis finds the network whose block 0 has the hash, nil if no table names it.
func (t Tables) OfGenesis(hash chain.Hash) *Network {
	return t.first(func(n *Network) bool { return n.Genesis != nil && *n.Genesis == hash })
}

// OfEVMChain finds the network whose EVM transactions are bound to the chain ID, nil if no table names it.
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
