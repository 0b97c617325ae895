package cli

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"
)

// AddListen adds the flag that says where a server listens.
func AddListen(c *cobra.Command, to *string, usual string) {
	c.Flags().StringVar(to, "listen", usual, "the address to listen at; port 0 takes any that is free")
}

// ListenAt listens at the address of the flag.
func ListenAt(address string) (net.Listener, error) { return listenAt("listen", address) }

func listenAt(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, address, err)
	}
	return listener, nil
}
