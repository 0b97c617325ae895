package network

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Anchor is a block that is known from somewhere else than who gives the blocks. Whoever
// trusts it has all blocks below it proved.
type Anchor struct {
	chain.Anchor
	Source string `json:"source"`
}

// checkAnchors checks that the anchors are in the order of their heights, and each whole.
func (n *Network) checkAnchors() error {
	for i, a := range n.Anchors {
		err := func() error {
			switch {
			case a.Hash == chain.Hash{} || a.Source == "":
				return errors.New("want height, hash and source")
			case i > 0 && a.Height <= n.Anchors[i-1].Height:
				return errors.New("want rising heights")
			case n.LastBlock != nil && a.Height > *n.LastBlock:
				return fmt.Errorf("the chain ended with block %d", *n.LastBlock)
			}
			return nil
		}()
		if err != nil {
			return fmt.Errorf("anchors: block %d: %w", a.Height, err)
		}
	}
	return nil
}

// Anchors are the blocks that are known of the chain with a specName, the lowest first.
func (t Tables) Anchors(specName string) (list []chain.Anchor) {
	if n := t.like(specName); n != nil {
		for _, a := range n.Anchors {
			list = append(list, a.Anchor)
		}
	}
	return list
}
