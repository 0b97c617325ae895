package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Node is the data source: a [rpc.Client], or recorded answers of a node. Methods and results are those of that
// client.
type Node interface {
	Call(ctx context.Context, method string, params ...any) (jsonscan.Value, error)
	FinalizedHead(ctx context.Context) (chain.Hash, error)
	Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error)
	Header(ctx context.Context, block chain.Optional[chain.Hash]) (rpc.Header, error)
	Block(ctx context.Context, block chain.Optional[chain.Hash]) (rpc.Block, error)
	Storage(ctx context.Context, block chain.Hash, keys ...[]byte) ([][]byte, error)
	Metadata(ctx context.Context, block chain.Hash) ([]byte, error)
	MetadataAt(ctx context.Context, block chain.Hash, version uint32) ([]byte, error)
}

// Gateway answers from a node. It is safe for concurrent use. It caches heights and runtimes only of final blocks, and
// everything else by hash, because the nodes behind one address can differ.
type Gateway struct {
	node     Node
	batch    func() *rpc.Batch             // nil if batches are not available
	client   *rpc.Client                   // nil if the answers are recorded
	kept     chain.Optional[chain.Heights] // the range of recorded answers
	heights  *heights
	runtimes runtimes
	about    about
	recent   recent
	before   struct { // block 0
		turn   turn
		parent chain.Optional[chain.Hash]
	}
}

// New returns a gateway to a node. It makes no requests yet.
func New(node *rpc.Client) *Gateway {
	g := of(node)
	g.batch, g.client = node.Batch, node
	return g
}

// Of returns a gateway to recorded answers of a node for a range of blocks. For other blocks it returns
// [chain.ErrNotKept].
func Of(kept Node, first chain.Anchor, last uint64) *Gateway {
	g := of(kept)
	g.kept = chain.Some(chain.Heights{First: first.Height, Last: last})
	g.heights.setFirst(anchor{first.Height, chain.Some(first.Hash)})
	return g
}

func of(node Node) *Gateway {
	g := &Gateway{node: node, heights: newHeights(), runtimes: runtimes{turn: newTurn()}, about: about{turn: newTurn()}}
	g.before.turn = newTurn()
	return g
}

// Version is the version stated at the root instead of Sidecar's: an archive's answers were made by this gateway from a
// node's answers.
const Version = "fees, of a node's answers"

// noBlock is the refusal of a nonexistent block.
func noBlock(meaning error) error {
	return &render.RefusedError{Status: http.StatusInternalServerError, Message: render.NoBlock, Meaning: meaning}
}

// Get answers a request to Sidecar, given as a path with its query, such as /blocks/25. What Sidecar refuses is a
// *[render.RefusedError]; other errors come from the node.
func (g *Gateway) Get(ctx context.Context, path string) (string, error) {
	text, err := g.answer(ctx, path)
	return text, meaning(err)
}

// meaning adds to a refusal the error of package chain that it is.
func meaning(err error) error {
	var refused *render.RefusedError
	switch refuses := errors.As(err, &refused); {
	case refuses && refused.Meaning != nil, errors.Is(err, chain.ErrPruned):
		return err
	case errors.Is(err, chain.ErrNoBlock):
		return noBlock(err)
	case refuses && refused.Status == http.StatusNotFound:
		return &render.RefusedError{Status: refused.Status, Message: refused.Message, Meaning: chain.ErrNotOffered}
	case refuses:
		return &render.RefusedError{Status: refused.Status, Message: refused.Message, Meaning: chain.ErrUnsupported}
	}
	return err
}

// Stream writes an answer to w.
func (g *Gateway) Stream(ctx context.Context, path string, w io.Writer) (int64, error) {
	text, err := g.Get(ctx, path)
	if err != nil {
		return 0, err
	}
	n, err := io.WriteString(w, text)
	return int64(n), err
}

func (g *Gateway) answer(ctx context.Context, path string) (string, error) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return "", noSuchPath(path)
	}
	query := u.Query()
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if parts[0] == "blocks" {
		if err := checkFlags(query); err != nil {
			return "", err
		}
	}
	switch {
	case is(parts, "blocks", "head"):
		return g.head(ctx, query)
	case is(parts, "blocks", "head", "header"):
		return g.headHeader(ctx, query)
	case is(parts, "blocks", "*"):
		return g.block(ctx, parts[1], query)
	case is(parts, "blocks", "*", "header"):
		return g.header(ctx, parts[1])
	case is(parts, "accounts", "*", "balance-info"):
		return g.balance(ctx, parts[1], query.Get("at"))
	case is(parts, "pallets", "*", "storage", "*"):
		return g.storage(ctx, parts[1], parts[3], query)
	case is(parts, "runtime", "spec"):
		return g.spec(ctx, query.Get("at"))
	case is(parts, "runtime", "metadata"):
		return g.metadata(ctx, query.Get("at"))
	case u.Path == "/":
		return `{"version":"` + Version + `"}`, nil
	case is(parts, "node", "version"):
		return g.nodeVersion(ctx)
	}
	return "", noSuchPath(u.Path)
}

// is reports whether a path has these parts; * matches any.
func is(parts []string, want ...string) bool {
	if len(parts) != len(want) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != parts[i] {
			return false
		}
	}
	return true
}

func noSuchPath(path string) error {
	return render.Refused(http.StatusNotFound, "Cannot GET %s", path)
}

// about contains what a node states about itself and its chain.
type about struct {
	turn  turn
	known *system
}

// system contains what does not change while a node runs.
type system struct {
	chainType, properties jsonscan.Value
	token                 string // the chain's first
	decimals              chain.Optional[uint8]
}

func (g *Gateway) system(ctx context.Context) (*system, error) {
	a := &g.about
	if err := a.turn.take(ctx); err != nil {
		return nil, err
	}
	defer a.turn.leave()
	if a.known != nil {
		return a.known, nil
	}
	s := &system{}
	var err error
	if s.chainType, err = g.node.Call(ctx, "system_chainType"); err != nil {
		return nil, err
	}
	if s.properties, err = g.node.Call(ctx, "system_properties"); err != nil {
		return nil, err
	}
	if s.properties.Kind() != jsonscan.Object || s.chainType.Kind() == jsonscan.Null {
		return nil, &rpc.DecodeError{What: "properties of the chain", Err: fmt.Errorf("system_chainType is %s, system_properties %s",
			jsonscan.Excerpt(s.chainType.Raw()), jsonscan.Excerpt(s.properties.Raw()))}
	}
	first := func(name string) jsonscan.Value {
		v := s.properties.Member(name)
		if v.Kind() == jsonscan.Array {
			v = v.Index(0)
		}
		return v
	}
	s.token, _ = first("tokenSymbol").Text()
	if n, err := jsonread.Uint64(first("tokenDecimals")); err == nil && n <= math.MaxUint8 {
		s.decimals = chain.Some(uint8(n))
	}
	a.known = s
	return s, nil
}

func (g *Gateway) spec(ctx context.Context, at string) (string, error) {
	where, err := g.at(ctx, at)
	if err == nil && !where.final {
		_, err = g.confirmed(ctx, where)
	}
	if err != nil {
		return "", err
	}
	r, err := g.runtimeAt(ctx, where)
	if err != nil {
		return "", err
	}
	s, err := g.system(ctx)
	if err != nil {
		return "", err
	}
	text, err := render.Spec(where.of(), r.version, s.chainType, s.properties)
	return string(text), malformed("runtime", err)
}

// malformed returns the error for a node's answer that could not be used, unless another cause is known.
func malformed(what string, err error) error {
	if err == nil || errors.As(err, new(*render.RefusedError)) || errors.Is(err, chain.ErrUnsupported) {
		return err
	}
	return &rpc.DecodeError{What: what, Err: err}
}

// metadata returns the answer of /runtime/metadata for the runtime after a block.
func (g *Gateway) metadata(ctx context.Context, at string) (string, error) {
	where, err := g.at(ctx, at)
	if err != nil {
		return "", err
	}
	r, err := g.runtimeAt(ctx, where)
	if err != nil {
		return "", err
	}
	text, err := r.Metadata(r.metadata)
	if err != nil {
		return "", fmt.Errorf("runtime %s: %w: %w", r.name, chain.ErrUnsupported, err)
	}
	return string(text), nil
}

// nodeVersion returns the answer of /node/version.
func (g *Gateway) nodeVersion(ctx context.Context) (string, error) {
	client, err := g.text(ctx, "system_version")
	if err != nil {
		return "", err
	}
	chainName, err := g.text(ctx, "system_chain")
	if err != nil {
		return "", err
	}
	version, err := g.node.Call(ctx, "state_getRuntimeVersion")
	if err != nil {
		return "", err
	}
	name, ok := version.Member("implName").Text()
	if !ok {
		return "", fmt.Errorf("the node's runtime version has no implName: %s", jsonscan.Excerpt(version.Raw()))
	}
	return string(render.Version(client, name, chainName)), nil
}

func (g *Gateway) text(ctx context.Context, method string) (string, error) {
	v, err := g.node.Call(ctx, method)
	if err != nil {
		return "", err
	}
	text, ok := v.Text()
	if !ok {
		return "", fmt.Errorf("%s: the node answered %s, want a string", method, jsonscan.Excerpt(v.Raw()))
	}
	return text, nil
}
