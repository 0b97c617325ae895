package endpoints

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/gatewayserver"
	"github.com/feeledger/fees/nodearchive"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/source"
)

// recordProofs keeps what a node says of a range, with what proves it.
func recordProofs(ctx context.Context, blocks source.Range, flags *recordFlags, progress func(done, total uint64)) (cli.Record, error) {
	o := nodearchive.RecordOptions{First: blocks.First, Last: blocks.Last, Concurrency: flags.Concurrency, Progress: progress}
	var err error
	if o.Accounts, err = cli.ParseAccounts(flags.accounts); err != nil {
		return nil, err
	}
	if o.Trusted, err = flags.Trusted(); err != nil {
		return nil, err
	}
	tables, err := desk.ReadTables(flags.networkFile)
	if err != nil {
		return nil, err
	}
	o.ParameterKey = func(r nodearchive.RuntimeName) string { return tables.ParameterKey(r.SpecName, r.SpecVersion) }
	from, err := flags.origin()
	if err != nil {
		return nil, err
	}
	manifest, err := nodearchive.Record(ctx, from, flags.directory, o)
	if err != nil {
		return nil, err
	}
	return ofProofs(manifest, o.Trusted), nil
}

// origin is the node that the flag names, or an archive of one.
func (f *recordFlags) origin() (nodearchive.Origin, error) {
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	place := f.Place()
	if nodearchive.Is(place) {
		return nodearchive.Open(place, chain.Optional[chain.Anchor]{})
	}
	if !strings.Contains(place, "://") {
		return nil, fmt.Errorf("--gateway %s: want a node's URL here (wss://…, https://…), or an archive that was recorded with --proofs: a gateway has no proofs", place)
	}
	client, err := nodeclient.New(place, options)
	if err != nil {
		return nil, err
	}
	f.Closes(client)
	return nodearchive.FromNode(client), nil
}

// verifyProofs proves an archive of a node.
func verifyProofs(ctx context.Context, directory string, trusted chain.Optional[chain.Anchor], progress func(done, total uint64)) (cli.Record, error) {
	verified, err := nodearchive.Verify(ctx, directory, trusted, progress)
	if err != nil {
		return nil, err
	}
	return ofProofs(verified.Manifest, verified.Trusted), nil
}

// ofProofs is what an archive of a node holds, and how far it is proved.
func ofProofs(m *nodearchive.Manifest, trusted chain.Optional[chain.Anchor]) cli.Record {
	var runtimes []string
	for _, r := range m.Runtimes {
		runtimes = append(runtimes, r.String())
	}
	var by chain.Optional[string]
	proved := uint64(0)
	if t, any := trusted.Get(); any {
		by = chain.Some(t.String())
		proved = max(t.Height+1, m.First) - m.First
	}
	return cli.Record{
		{"first", m.First}, {"last", m.Last}, {"last_hash", m.LastHash.String()}, {"blocks", m.Last - m.First + 1},
		{"proved", proved}, {"trusted", by}, {"runtimes", runtimes}, {"accounts", m.Accounts},
		{"files", len(m.Pieces()) + 1}, {"bytes", m.Bytes()}, {"sha256", m.SHA256},
	}
}

// serveProofs answers from an archive of a node.
func serveProofs(ctx context.Context, directory, listen string, stderr io.Writer) error {
	a, err := nodearchive.Open(directory, chain.Optional[chain.Anchor]{})
	if err != nil {
		return err
	}
	handler, err := a.Handler()
	if err != nil {
		return err
	}
	listener, err := listenAt(listen)
	if err != nil {
		return err
	}
	announce(stderr, a.Kept(), directory, listener)
	return gatewayserver.Serve(ctx, listener, handler)
}
