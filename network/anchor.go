package network

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Anchor is a checkpoint: a block whose hash comes from a source other than the one that serves the blocks.
// With a trusted checkpoint, all blocks below it can be proved.
type Anchor struct {
	chain.Anchor
	Source string `json:"source"`
}

// checkAnchors checks that the anchors are complete and sorted by height.
func (n *Network) checkAnchors() error {
	for i, a := range n.Anchors {
		err := func() error {
			switch {
			case a.Hash == chain.Hash{} || a.Source == "":
				return errors.New("want height, hash and source")
			case i > 0 && a.Height <= n.Anchors[i-1].Height:
				return errors.New("want ascending heights")
			case n.LastBlock != nil && a.Height > *n.LastBlock:
				return fmt.Errorf("the chain ended at block %d", *n.LastBlock)
			}
			return nil
		}()
		if err != nil {
			return fmt.Errorf("anchors: block %d: %w", a.Height, err)
		}
	}
	return nil
}

// Anchors returns the known checkpoints of the chain with a specName, lowest first.
func (t Tables) Anchors(specName string) (list []chain.Anchor) {
	if n := t.like(specName); n != nil {
		for _, a := range n.Anchors {
			list = append(list, a.Anchor)
		}
	}
	return list
}
