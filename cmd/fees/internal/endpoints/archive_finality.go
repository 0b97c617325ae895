package endpoints

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/node/rpc"
)

func (f *recordFlags) addFinality(c *cobra.Command) {
	c.Flags().BoolVar(&f.finality, "finality", false, "with --proofs, also record what proves the last block final")
	c.Flags().StringVar(&f.relay, "relay", "", "with --finality, the `URL` of a node of the relay chain, which keeps old states (default: FEES_RELAY)")
	c.Flags().StringVar(&f.relayBlock, "relay-block", "", "with --relay, the `HEIGHT` of the relay block with the parachain's head (default: the newest)")
}

// checkFinality checks the flags before anything is recorded, and reads the trusted set.
func (f *recordFlags) checkFinality() error {
	var err error
	f.final.Set, err = f.TrustSet()
	switch {
	case err != nil:
		return err
	case f.finality && !f.proofs:
		return errors.New("--finality needs --proofs; add --proofs")
	case !f.finality && (f.relay != "" || f.final.Set.Known()):
		return errors.New("--relay and --trust-set need --finality; add --finality")
	}
	if f.relay, err = cli.RelayAddress(f.relay); err != nil || f.relayBlock == "" {
		return err
	}
	if f.relay == "" {
		return errors.New("--relay-block needs --relay; name a node of the relay chain")
	}
	height, err := strconv.ParseUint(f.relayBlock, 10, 32)
	if err != nil {
		return fmt.Errorf("--relay-block %q must be a height from 0 to 4294967295", f.relayBlock)
	}
	f.final.RelayBlock = chain.Some(height)
	return nil
}

// nodes connects to the chain's node and, if one is named, to the relay chain's. The API key is the first one's.
func (f *recordFlags) nodes() (node, relay *rpc.Client, err error) {
	if node, err = f.node(f.Place(), f.WithoutKey); err == nil && f.relay != "" {
		relay, err = f.node(f.relay, true)
	}
	return node, relay, err
}

// node connects to a node.
func (f *recordFlags) node(place string, withoutKey bool) (*rpc.Client, error) {
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	if withoutKey {
		options.APIKey = ""
	}
	client, err := app.FinalityNode(place, options)
	if err != nil {
		return nil, err
	}
	f.Closes(client)
	return client, nil
}
