// Command chaingen generates a chain and serves it on this machine only, as a gateway and, at the same
// address, as a node (http:// and ws://); or it writes a range of it to a directory of recordings.
//
//	chaingen --seed 1 --head 20000 --listen 127.0.0.1:8080
//	chaingen --seed 1 --directory DIR --first 100 --last 400
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/feeledger/fees/internal/test/chaingen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "chaingen:", err)
		os.Exit(1)
	}
}

func run() error {
	var o chaingen.Options
	flag.Uint64Var(&o.Seed, "seed", 0, "which chain")
	flag.Uint64Var(&o.Head, "head", 0, "the newest block; 0 stands for 100000")
	flag.Uint64Var(&o.Upgrade, "upgrade", 0, "the block that upgrades the runtime; 0 for none")
	flag.BoolVar(&o.Signed, "signed", false, "sign the EVM transactions")
	flag.BoolVar(&o.Rooted, "rooted", false, "make the state roots true, and prove the state by them")
	flag.DurationVar(&o.Every, "every", 12*time.Second, "how long each block takes")
	begin := flag.String("begin", "2025-01-01T00:00:00Z", "when block 1 is made")
	listen := flag.String("listen", "127.0.0.1:8080", "the address to serve on; only this machine is allowed")
	directory := flag.String("directory", "", "write the blocks from --first to --last there, and do not serve")
	first := flag.Uint64("first", 0, "")
	last := flag.Uint64("last", 300, "")
	flag.Parse()
	var err error
	if o.Begin, err = time.Parse(time.RFC3339, *begin); err != nil {
		return fmt.Errorf("--begin: %w", err)
	}
	c := chaingen.New(o)
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case *directory == "":
		return serve(c, *listen)
	case *first > *last:
		return errors.New("--first is above --last")
	}
	return c.WriteDirectory(*directory, *first, *last)
}

func serve(c *chaingen.Chain, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	if at, ok := listener.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return fmt.Errorf("--listen %s: want an address of this machine, such as 127.0.0.1:8080", address)
	}
	fmt.Fprintf(os.Stderr, "http://%v has blocks 0 to %d, ws://%[1]v too\n", listener.Addr(), c.Head())
	gateway, node := c.Handler(), c.Node()
	both := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" {
			gateway.ServeHTTP(w, r)
			return
		}
		node.ServeHTTP(w, r)
	}
	server := &http.Server{Handler: http.HandlerFunc(both), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
