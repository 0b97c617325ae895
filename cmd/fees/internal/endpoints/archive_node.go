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
func recordProofs(ctx context.Context, blocks source.Range, flags recordFlags, stderr io.Writer) error {
	o := nodearchive.RecordOptions{First: blocks.First, Last: blocks.Last, Concurrency: flags.Concurrency}
	var err error
	if o.Accounts, err = cli.ParseAccounts(flags.accounts); err != nil {
		return err
	}
	if o.Trusted, err = flags.Trusted(); err != nil {
		return err
	}
	tables, err := desk.ReadTables(flags.networkFile)
	if err != nil {
		return err
	}
	o.ParameterKey = func(r nodearchive.RuntimeName) string { return tables.ParameterKey(r.SpecName, r.SpecVersion) }
	from, err := flags.origin()
	if err != nil {
		return err
	}
	p := cli.NewProgress(stderr, "blocks", flags.quiet)
	defer p.End()
	o.Progress = p.Show
	manifest, err := nodearchive.Record(ctx, from, flags.directory, o)
	if err != nil {
		return err
	}
	return writeProved(flags.Output, manifest, o.Trusted)
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
func verifyProofs(ctx context.Context, out cli.Output, directory string, trusted chain.Optional[chain.Anchor], p *cli.Progress) error {
	verified, err := nodearchive.Verify(ctx, directory, trusted, p.Show)
	if err != nil {
		return err
	}
	return writeProved(out, verified.Manifest, verified.Trusted)
}

// writeProved says what an archive holds, and how far it is proved.
func writeProved(out cli.Output, m *nodearchive.Manifest, trusted chain.Optional[chain.Anchor]) error {
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
	blocks := m.Last - m.First + 1
	err := out.WriteRecord(cli.Record{
		{"first", m.First}, {"last", m.Last}, {"last_hash", m.LastHash.String()}, {"blocks", blocks},
		{"proved", proved}, {"trusted", by}, {"runtimes", runtimes}, {"accounts", m.Accounts},
		{"files", len(m.Pieces()) + 1}, {"bytes", m.Bytes()}, {"sha256", m.SHA256},
	})
	return err
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
