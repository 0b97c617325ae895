package addressbook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// shortName matches the name of a chain before an address (EIP-3770).
var shortName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// ParseAccount is [chain.ParseAccount] for an address that may name its chain, as in mbeam:0x… (EIP-3770). Short is the
// chain's name, "" if it names none.
func ParseAccount(text string) (short string, a chain.Address, err error) {
	if before, address, ok := strings.Cut(text, ":"); ok && shortName.MatchString(before) && strings.HasPrefix(address, "0x") {
		short, text = before, address
	}
	a, err = chain.ParseAccount(text)
	return short, a, err
}

// CheckChain returns an error if an address names another chain than the one with a short name, "" if that is unknown.
func CheckChain(short, chain string) error {
	switch {
	case short == "" || strings.EqualFold(short, chain):
		return nil
	case chain == "":
		return fmt.Errorf("the address names the chain %q, and the short name of this chain is not known. Remove %s: before the address if it is on this chain", short, short)
	}
	return fmt.Errorf("the address is on the chain %q, not on %q. Remove the line, or correct the address", short, chain)
}

// named is the chain that an address names, and the line.
type named struct {
	chain string
	line  int
}

// onChain notes the chain that an address names.
func (b *Book) onChain(address chain.Address, short string, line int) {
	if short == "" {
		return
	}
	if b.chains == nil {
		b.chains = map[chain.Address][]named{}
	}
	b.chains[address] = append(b.chains[address], named{short, line})
}

// CheckChain returns an error if an address of the book names another chain than the one with a short name.
func (b *Book) CheckChain(chain string) error {
	if b == nil {
		return nil
	}
	first, at := error(nil), 0
	for _, list := range b.chains {
		for _, n := range list {
			if err := CheckChain(n.chain, chain); err != nil && (at == 0 || n.line < at) {
				first, at = fmt.Errorf("line %d: %w", n.line, err), n.line
			}
		}
	}
	return first
}

// TakeChains takes over the chains that the addresses of another book name.
func (b *Book) TakeChains(from *Book) {
	if from == nil {
		return
	}
	for address, list := range from.chains {
		for _, n := range list {
			b.onChain(address, n.chain, n.line)
		}
	}
}

// NamesChains reports whether an address names its chain.
func (b *Book) NamesChains() bool { return len(b.chains) > 0 }

// IsOn reports whether an address is on the chain with a short name: addresses that name no chain are on all.
func (b *Book) IsOn(address chain.Address, short string) bool {
	if b == nil || len(b.chains[address]) == 0 {
		return true
	}
	return slices.ContainsFunc(b.chains[address], func(n named) bool { return short != "" && strings.EqualFold(n.chain, short) })
}

// On returns the addresses on the chain with a short name, without its name. It returns nil for a nil book.
func (b *Book) On(short string) *Book {
	if b == nil || len(b.chains) == 0 {
		return b
	}
	on := &Book{}
	for _, e := range b.entries {
		if b.IsOn(e.Address, short) {
			on.Add(e) // each address once: nothing contradicts it
		}
	}
	return on
}
