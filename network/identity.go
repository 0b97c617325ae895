package network

import (
	"errors"
	"fmt"
	"strings"
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
var ErrUnknownNetwork = errors.New("unknown network")

// ErrConflict says that the user named another network than the gateway.
var ErrConflict = errors.New("conflicting networks")

// Find chooses the network: by the runtime's specName, else by the node's
// clientImplName, else by its chain name. Wanted is the network that the user
// named, or "": it must not be another than the gateway's, and decides where the
// gateway's is in no table or was not told (the note then says so).
func (t Tables) Find(gateway Identity, wanted string) (n *Network, note string, err error) {
	var found *Network
	for _, name := range gateway.names() {
		if found = t.like(name); found != nil {
			break
		}
	}
	if wanted == "" {
		if found == nil {
			return nil, "", t.unknown(gateway)
		}
		return found, "", nil
	}
	chosen, ok := t.Named(wanted)
	switch {
	case !ok:
		return nil, "", fmt.Errorf("%w %q: known are %s; give a table of your own with --network-file",
			ErrUnknownNetwork, wanted, strings.Join(t.Names(), ", "))
	case found != nil && found.Name != chosen.Name:
		return nil, "", fmt.Errorf("%w: --network says %s, the gateway says %s; leave --network out, or ask another gateway",
			ErrConflict, chosen.Name, found.Name)
	case found == nil:
		said := "the gateway does not name its network"
		if names := gateway.names(); len(names) > 0 {
			said = fmt.Sprintf("the gateway calls its network %q", names[0])
		}
		return chosen, fmt.Sprintf("%s: priced as %s, as --network says", said, chosen.Name), nil
	}
	return chosen, "", nil
}

// like finds a network by any of its names, in any case.
func (t Tables) like(name string) *Network {
	for i := range t.networks {
		n := &t.networks[i]
		if strings.EqualFold(name, n.Name) || n.Chain != "" && strings.EqualFold(name, n.Chain) {
			return n
		}
	}
	return nil
}

func (t Tables) unknown(gateway Identity) error {
	said := "the gateway does not say which network it serves"
	if names := gateway.names(); len(names) > 0 {
		said = fmt.Sprintf("the gateway serves %q", names[0])
	}
	return fmt.Errorf("%w: %s; known are %s; name one with --network, or give a table of your own with --network-file",
		ErrUnknownNetwork, said, strings.Join(t.Names(), ", "))
}
