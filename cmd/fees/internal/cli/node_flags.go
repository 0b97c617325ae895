package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// NodeFlags select the node.
type NodeFlags struct {
	Node        string
	Variables   []string // environment variables that name the node without the flag, the first that is set; FEES_NODE if empty
	Concurrency int      // the client's default if 0
	ConnectionFlags
}

// Add adds the flags.
func (f *NodeFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Node, "node", "", "the node's URL: http, https, ws or wss (default: "+strings.Join(f.variables(), ", else ")+")")
	f.ConnectionFlags.Add(c)
}

func (f *NodeFlags) variables() []string {
	if len(f.Variables) == 0 {
		return []string{nodeVariable}
	}
	return f.Variables
}

// Client returns a client of the node, not connected yet.
func (f *NodeFlags) Client() (*rpc.Client, error) {
	address, err := nodeAddress(f.Node, f.variables())
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nil, fmt.Errorf("no node is named; pass --node or set %s, such as ws://127.0.0.1:9944", strings.Join(f.variables(), " or "))
	}
	c, err := f.Connection()
	if err != nil {
		return nil, err
	}
	client, err := rpc.New(address, httpclient.Options{Total: c.Timeout, Concurrency: f.Concurrency, APIKey: c.apiKey, APIKeyHeader: c.apiKeyHeader, RootCAs: c.RootCAs, Observer: f.Observer})
	if err == nil {
		f.Closes(client)
	}
	return client, err
}

// Concurrent adds and checks the flag for the number of concurrent requests.
func (f *NodeFlags) Concurrent(c *cobra.Command) { addConcurrency(c, &f.Concurrency) }

// nodeVariable is the environment variable that names the node.
const nodeVariable = "FEES_NODE"

// NodeAddress returns the node named by the flag or the environment, "" if none is.
func NodeAddress(flag string) (string, error) { return nodeAddress(flag, []string{nodeVariable}) }

func nodeAddress(flag string, variables []string) (string, error) {
	if err := checkSecrets("--node", flag, variables[0]); err != nil || flag != "" {
		return flag, err
	}
	for _, variable := range variables {
		if address := os.Getenv(variable); address != "" {
			return address, nil
		}
	}
	return "", nil
}
