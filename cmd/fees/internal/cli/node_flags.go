package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// NodeFlags say which node is asked, and how.
type NodeFlags struct {
	Node        string
	Variables   []string // of the environment, the first that is set names the node where no flag does; FEES_NODE if there are none
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

// Client is a client of the node. It connects to nothing yet.
func (f *NodeFlags) Client() (*rpc.Client, error) {
	address, err := nodeAddress(f.Node, f.variables())
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nil, fmt.Errorf("which node? name it with --node or %s, such as ws://127.0.0.1:9944", strings.Join(f.variables(), " or "))
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

// Concurrent adds the flag for how many questions are asked at once, and checks it.
func (f *NodeFlags) Concurrent(c *cobra.Command) { addConcurrency(c, &f.Concurrency) }

// nodeVariable names the node in the environment.
const nodeVariable = "FEES_NODE"

// NodeAddress is what the flag says, or the environment, or nothing.
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
