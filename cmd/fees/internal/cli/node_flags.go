package cli

import (
	"cmp"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/nodeclient"
)

// NodeFlags say which node is asked, and how.
type NodeFlags struct {
	Node string
	ConnectionFlags
}

// Add adds the flags.
func (f *NodeFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Node, "node", "", "the node's URL: http, https, ws or wss (default: FEES_NODE)")
	f.ConnectionFlags.Add(c)
}

// Client is a client of the node. It connects to nothing yet.
func (f *NodeFlags) Client() (*nodeclient.Client, error) {
	address, err := NodeAddress(f.Node)
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nil, errors.New("which node? name it with --node or FEES_NODE, such as ws://127.0.0.1:9944")
	}
	c, err := f.Connection()
	if err != nil {
		return nil, err
	}
	return nodeclient.New(address, ask.Options{Total: c.Timeout, APIKey: c.apiKey, APIKeyHeader: c.apiKeyHeader, RootCAs: c.RootCAs})
}

// NodeAddress is what the flag says, or the environment, or nothing.
func NodeAddress(flag string) (string, error) {
	if withoutPassword(flag) != flag {
		return "", errPasswordShown("--node", "FEES_NODE")
	}
	return cmp.Or(flag, os.Getenv("FEES_NODE")), nil
}
