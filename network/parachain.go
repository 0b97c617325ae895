package network

import (
	"fmt"
	"strconv"

	"github.com/feeledger/fees/internal/failure"
)

// ErrOtherChain reports evidence of finality of another chain.
var ErrOtherChain = failure.New(failure.DoesNotHold, "the evidence of finality is of another chain")

// CheckParachain compares the parachain that evidence of finality is about with the table: its ID, or "" for a chain
// that finalizes itself. Another parachain may run the same runtime. A table without an ID accepts any.
func (n *Network) CheckParachain(id string) error {
	if n.Parachain == 0 || id == strconv.FormatUint(uint64(n.Parachain), 10) {
		return nil
	}
	said := "parachain " + id
	if id == "" {
		said = "a chain that finalizes itself"
	}
	return fmt.Errorf("%w: %s, but %s is parachain %d. Use evidence of %[3]s.", ErrOtherChain, said, n.Name, n.Parachain)
}

// CheckParachain compares the parachain of evidence with the table of a specName, if there is one.
func (t Tables) CheckParachain(specName, id string) error {
	if n := t.like(specName); n != nil {
		return n.CheckParachain(id)
	}
	return nil
}
