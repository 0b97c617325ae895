package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Demo is the name of the recordings in the program.
const Demo = demo.Name

// Recording asks for the recording of a range of blocks in a directory.
type Recording struct {
	Directory   string
	Blocks      chain.Heights
	Accounts    []chain.Address // whose balances are recorded
	Tables      network.Tables
	Concurrency int
	Progress    func(done, total uint64)
	Segments    bool                         // of responses: segments even of a short range
	Trusted     chain.Optional[chain.Anchor] // of proofs: the checkpoint
	Finality    *FinalityRecording           // of proofs: also what proves the last block final; nil for not
}

// RecordAnswers records a gateway's responses, and returns the contents of the archive.
func RecordAnswers(ctx context.Context, client *gatewayclient.Client, q Recording) (jsontext.Record, error) {
	o := answers.RecordOptions{First: q.Blocks.First, Last: q.Blocks.Last, Concurrency: q.Concurrency, Segments: q.Segments, Progress: q.Progress}
	var err error
	if o.Accounts, err = NativesOf(q.Tables, q.Accounts); err != nil {
		return nil, err
	}
	o.ParameterKey = func(r chain.AtBlock[chain.Runtime]) string {
		return q.Tables.ParameterKey(r.Value.SpecName, r.Value.SpecVersion)
	}
	o.BaseFeeItem = func(r chain.AtBlock[chain.Runtime]) string {
		return q.Tables.BaseFeeItem(r.Value.SpecName, r.Value.SpecVersion)
	}
	o.BlockWeight = func(r chain.AtBlock[chain.Runtime]) bool {
		return q.Tables.NeedsBlockWeight(r.Value.SpecName, r.Value.SpecVersion)
	}
	manifest, err := answers.Record(ctx, client, q.Directory, o)
	if err != nil {
		return nil, err
	}
	return ofAnswers(manifest), nil
}

// RecordProofs records the proofs of a node or of another archive, and returns the contents of the archive.
func RecordProofs(ctx context.Context, from proofs.Origin, q Recording) (jsontext.Record, error) {
	o, err := q.proofOptions()
	if err != nil {
		return nil, err
	}
	manifest, err := proofs.Record(ctx, from, q.Directory, o)
	if err == nil && q.Finality != nil {
		err = q.Finality.record(ctx, q.Directory, chain.Anchor{Height: manifest.Last, Hash: manifest.LastHash})
	}
	if err != nil {
		return nil, err
	}
	return ofProofs(q.Directory, manifest, o.Trusted)
}

// ForecastProofs estimates the effort of [RecordProofs] with a number of requests per second, 0 for no limit.
func ForecastProofs(ctx context.Context, from proofs.Origin, q Recording, rps float64) (jsontext.Record, error) {
	o, err := q.proofOptions()
	if err != nil {
		return nil, err
	}
	o.Progress = nil
	made, err := proofs.NewForecast(ctx, from, o, rps)
	if err != nil {
		return nil, err
	}
	return jsontext.Record{
		{"blocks", made.Blocks}, {"requests", made.Requests}, {"messages", made.Messages},
		{"hours", fmt.Sprintf("%.2f", made.Duration.Hours())}, {"gigabytes", fmt.Sprintf("%.3f", float64(made.Bytes)/1e9)},
	}, nil
}

func (q *Recording) proofOptions() (o proofs.RecordOptions, err error) {
	o = proofs.RecordOptions{First: q.Blocks.First, Last: q.Blocks.Last, Concurrency: q.Concurrency, Progress: q.Progress, Trusted: q.Trusted}
	o.ParameterKey = func(r proofs.RuntimeName) string { return q.Tables.ParameterKey(r.SpecName, r.SpecVersion) }
	o.BaseFeeItem = func(r proofs.RuntimeName) string { return q.Tables.BaseFeeItem(r.SpecName, r.SpecVersion) }
	o.Accounts, err = NativesOf(q.Tables, q.Accounts)
	return o, err
}

// ProofOrigin returns a node or an archive to record proofs from. The caller closes it, if there is something to close.
func ProofOrigin(ctx context.Context, place string, options gatewayclient.Options) (from proofs.Origin, closer io.Closer, err error) {
	if proofs.Is(place) {
		from, err = proofs.FromArchive(ctx, place)
		return from, nil, err
	}
	if !strings.Contains(place, "://") {
		return nil, nil, notUnderstood("%v %s cannot supply proofs; name a node's URL (wss://…, https://…) or an archive recorded with --proofs", FieldGateway, place)
	}
	client, err := rpc.New(place, httpclient.Options(options))
	if err != nil {
		return nil, nil, err
	}
	return proofs.FromNode(client), client, nil
}

// VerifyArchive compares an archive with its manifest, and proves it if it has proofs. It returns the contents. final is
// the block that a trusted set of validators proves final.
func VerifyArchive(ctx context.Context, directory string, trusted chain.Optional[chain.Anchor], final chain.Optional[FinalBlock], progress func(kind string) func(done, total uint64)) (jsontext.Record, error) {
	switch {
	case !proofs.Is(directory) && trusted.Known():
		return nil, fmt.Errorf("--trust: %s: %w (fees archive record --proofs)", directory, source.ErrNoProofs)
	case !proofs.Is(directory):
		manifest, err := answers.Verify(ctx, directory, progress("files"))
		if err != nil {
			return nil, err
		}
		return ofAnswers(manifest), nil
	}
	if !trusted.Known() {
		if a, err := proofs.Open(directory, trusted); err == nil { // Verify reports damage in more detail
			if err := a.TrustOneOf(network.BuiltIn().Anchors); err != nil {
				return nil, err
			}
			trusted = a.Proved()
		}
	}
	verified, err := proofs.Verify(ctx, directory, trusted, progress("blocks"))
	if err != nil {
		return nil, err
	}
	found, err := ofProofs(directory, verified.Manifest, trusted)
	return append(found, finalFields(directory, final)...), err
}

// JoinArchives joins archives with proofs, and returns the contents of the result.
func JoinArchives(ctx context.Context, parts []string, directory string, trusted chain.Optional[chain.Anchor], progress func(done, total uint64)) (jsontext.Record, error) {
	manifest, err := proofs.Join(ctx, parts, directory, proofs.JoinOptions{Trusted: trusted, Progress: progress})
	if err != nil {
		return nil, err
	}
	return ofProofs(directory, manifest, trusted)
}

// ArchiveHandler returns a server for an archive, recorded responses or the demo, and the blocks that it has.
func ArchiveHandler(place string) (http.Handler, chain.Heights, error) {
	if proofs.Is(place) {
		a, err := proofs.Open(place, chain.Optional[chain.Anchor]{})
		if err != nil {
			return nil, chain.Heights{}, err
		}
		handler, err := a.Handler()
		return handler, a.Kept(), err
	}
	a := demo.Open()
	if place != demo.Name {
		var err error
		if a, err = answers.OpenDirectory(place); err != nil {
			return nil, chain.Heights{}, err
		}
	}
	first, last, err := a.Range()
	return answers.Handler(a), chain.Heights{First: first, Last: last}, err
}

// Serve serves on a listener until the context ends, and lets running requests finish.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	return reply.Serve(ctx, listener, handler)
}

// ofAnswers returns the contents of an archive of responses.
func ofAnswers(m *answers.Manifest) jsontext.Record {
	bytes := int64(0)
	for _, file := range m.Files() {
		bytes += file.Size
	}
	return jsontext.Record{
		{"first", m.First}, {"last", m.Last}, {"first_hash", m.FirstHash}, {"last_hash", m.LastHash}, {"accounts", m.Accounts},
		{"gateway_version", table.OrNull(m.GatewayVersion)}, {"files", len(m.Files())}, {"bytes", bytes}, {"sha256", m.SHA256},
	}
}

// ofProofs returns the contents of an archive with proofs, and how much is proved.
func ofProofs(directory string, m *proofs.Manifest, trusted chain.Optional[chain.Anchor]) (jsontext.Record, error) {
	metadata, err := pinned(directory, m)
	if err != nil {
		return nil, err
	}
	var runtimes []string
	for _, r := range m.Runtimes {
		runtimes = append(runtimes, r.String())
	}
	var by chain.Optional[string]
	if t, ok := trusted.Get(); ok {
		by = chain.Some(t.String())
	}
	r := jsontext.Record{
		{"first", m.First}, {"last", m.Last}, {"last_hash", m.LastHash.String()}, {"blocks", m.Last - m.First + 1},
		{"proved", m.ProvedBy(trusted)}, {"trusted", by}, {"runtimes", runtimes}, {"metadata", metadata}, {"accounts", m.Accounts},
		{"files", len(m.Pieces()) + 1}, {"bytes", m.Bytes()}, {"sha256", m.SHA256},
	}
	if !trusted.Known() {
		last := chain.Anchor{Height: m.Last, Hash: m.LastHash}
		r = append(r, jsontext.Field{"note", "consistent up to its last block; compare that hash with an explorer's, and pass it with --trust " + last.String()})
	}
	return r, nil
}

// pinned reports for each runtime whether the hash of its metadata is built in. Metadata decode
// everything else, and no root in a header proves them.
func pinned(directory string, m *proofs.Manifest) (list []string, err error) {
	a, err := proofs.Open(directory, chain.Optional[chain.Anchor]{})
	if err != nil {
		return nil, err
	}
	for i := range m.Runtimes {
		r := &m.Runtimes[i]
		bytes, err := a.MetadataOf(r)
		if err != nil {
			return nil, err
		}
		status := "not pinned: from the node, not proved"
		if len(bytes) > len("meta") {
			switch network.PinOf(r.SpecName, r.SpecVersion, bytes[len("meta")], chain.Hash(trie.HashOf(bytes))) {
			case network.Pinned:
				status = "pinned"
			case network.PinMismatch:
				status = "different from the built-in hash: from the node, not proved"
			}
		}
		list = append(list, r.String()+": "+status)
	}
	return list, nil
}
