package addressbook

import (
	"fmt"
	"regexp"
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

// onChain notes the chain that an address names.
func (b *Book) onChain(short string, line int) {
	if _, known := b.chains[short]; known || short == "" {
		return
	}
	if b.chains == nil {
		b.chains = map[string]int{}
	}
	b.chains[short] = line
}

// CheckChain returns an error if an address of the book names another chain than the one with a short name.
func (b *Book) CheckChain(chain string) error {
	if b == nil {
		return nil
	}
	first, at := error(nil), 0
	for short, line := range b.chains {
		if err := CheckChain(short, chain); err != nil && (at == 0 || line < at) {
			first, at = fmt.Errorf("line %d: %w", line, err), line
		}
	}
	return first
}

// TakeChains takes over the chains that the addresses of another book name.
func (b *Book) TakeChains(from *Book) {
	if from == nil {
		return
	}
	for short, line := range from.chains {
		b.onChain(short, line)
	}
}
