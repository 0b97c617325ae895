package simulation

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/network"
)

// story is a chain, and its blocks that a ledger must end up with. Many seeds share a story: its blocks, responses and
// quiet ledger are created once.
type story struct {
	name        string
	chain       *chaingen.Chain
	forks       []*chaingen.Chain // forks that were replaced
	tables      network.Tables
	parameter   bool // set by governance
	first, last uint64

	handler  http.Handler
	handlers []http.Handler
	answers  sync.Map // a gateway's responses by fork and request
	node     *rpcserver.Server
	nodes    []*rpcserver.Server
	said     sync.Map // a node's, likewise
	quiet    func() (*book, error)
}

// every is the block time.
const every = 12 * time.Second

// begin is the time of block 1: a day, a month and a year end in the middle of each story.
var begin = time.Date(1999, time.December, 31, 23, 41, 0, 0, time.UTC)

// stories are all stories. Some upgrade the runtime, and in some governance sets the parameter of the fee split.
var stories = sync.OnceValue(func() (list []*story) {
	for i := range 6 {
		s := &story{name: fmt.Sprint("story-", i), tables: network.BuiltIn(), first: uint64(i % 3), last: uint64(i%3 + 200 + 3*i)}
		o := chaingen.Options{Head: 10_000, Begin: begin, Every: every}
		if i%2 == 1 {
			o.Upgrade = uint64(60 + 20*i)
		}
		if i%3 == 2 {
			o.Network, o.Upgrade, s.parameter = &tidewater, 0, true
			tables, err := s.tables.With("tidewater.json", []byte(tidewaterTable))
			if err != nil {
				panic(err)
			}
			s.tables = tables
		}
		newChain := func(seed uint64) (*chaingen.Chain, http.Handler, *rpcserver.Server) {
			o.Seed = seed
			c := chaingen.New(o)
			return c, c.Handler(), c.Node()
		}
		s.chain, s.handler, s.node = newChain(uint64(100 + i))
		for k := range 2 {
			c, h, n := newChain(uint64(200 + 10*i + k))
			s.forks, s.handlers, s.nodes = append(s.forks, c), append(s.handlers, h), append(s.nodes, n)
		}
		s.quiet = sync.OnceValues(s.quietBook)
		list = append(list, s)
	}
	return list
})

// tidewater is a chain that is in none of our tables, with a parameter set by governance.
var tidewater = chaingen.Network{
	SpecName: "tidewater", Symbol: "TIDE", WeightPerGas: 66_666, BaseFeeConstant: 31_415_926_535, NormalRefTime: 1_300_000_000_000,
	Treasury: chain.Address20([20]byte([]byte("tidewater/treasury##"))),
	EVMBase:  chaingen.ByParameter, EVMPriority: chaingen.ToAuthor, NativeBase: 1_000_000_000, NativeTip: chaingen.ToAuthor,
	ParameterKey: "0x0709", DefaultProportion: 150_000_000,
	Proportions: []chaingen.Proportion{{From: 40, Perbill: 333_333_333}, {From: 110, Perbill: 0}, {From: 160, Perbill: 1_000_000_000}},
}

var tidewaterTable = `{"networks": [{
  "name": "tidewater", "symbol": "TIDE", "last_runtime": 2302,
  "treasury": "` + strings.ToLower(tidewater.Treasury.String()) + `",
  "fees_treasury_proportion": {"key": "0x0709", "default": "150000000", "source": "a test"},
  "rows": [{"from_runtime": 1, "base_fee_constant": "31415926535", "minimum_multiplier": "1000000000000000000",
    "weight_per_gas": 66666, "source": "a test"}],
  "destinations": [{"from_runtime": 1, "evm_base": "treasury_parameter", "evm_priority": "author",
    "native_base": "treasury_100", "native_tip": "author", "source": "a test"}],
  "multiplier_updates": [{"from_runtime": 1, "minimum": "1000000000000000000", "maximum": "100000000000000000000000",
    "adjustment": "4000000000000000", "target": 250000, "max_ref_time": "2000000000000", "normal_class": 650000,
    "block_weight": "events", "source": "a test"}],
  "existential_deposits": [{"from_runtime": 1, "deposit": "0", "source": "a test"}]
}]}`

// reply is a gateway's response.
type reply struct {
	status int
	text   string
}

const trueChain = -1 // instead of a fork's number

// answer returns a gateway's response to a request on a fork, or on the true chain.
func (s *story) answer(fork int, question string) reply {
	type key struct {
		fork     int
		question string
	}
	k := key{fork, question}
	if r, known := s.answers.Load(k); known {
		return r.(reply)
	}
	handler := s.handler
	if fork != trueChain {
		handler = s.handlers[fork]
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, question, nil))
	r := reply{w.Code, w.Body.String()}
	s.answers.Store(k, r)
	return r
}

// question is a request to a gateway: for a block, or for the state after it.
type question struct {
	path   string // with %s for the block
	of     string // the block: a height, or "head"
	height uint64 // if of is a height
	asked  string
}

var ofBlock = regexp.MustCompile(`(^/blocks/|[?&]at=)(head|[0-9]+)`)

func parseQuestion(uri string) (q question) {
	q.asked = uri
	at := ofBlock.FindStringSubmatchIndex(uri)
	if at == nil {
		q.path = uri
		return q
	}
	q.of = uri[at[4]:at[5]]
	q.path = uri[:at[4]] + "%s" + uri[at[5]:]
	q.height, _ = strconv.ParseUint(q.of, 10, 64)
	return q
}

// at returns the request for the block at a height.
func (q *question) at(height uint64) string {
	if q.of == "" {
		return q.path
	}
	path, _, _ := strings.Cut(q.path, "?finalized=")
	return strings.Replace(path, "%s", strconv.FormatUint(height, 10), 1)
}

// isBlock reports whether a whole block is requested.
func (q *question) isBlock() bool {
	return strings.HasPrefix(q.path, "/blocks/") && !strings.HasSuffix(q.path, "/header")
}
