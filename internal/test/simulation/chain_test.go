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

// story is a chain, and the blocks of it that a book is to have. Many seeds share one: its
// blocks and answers are made once, and so is the book that a quiet run makes.
type story struct {
	name        string
	chain       *chaingen.Chain
	forks       []*chaingen.Chain // whose blocks stand where the chain's were replaced
	tables      network.Tables
	parameter   bool // governance sets one
	first, last uint64

	handler  http.Handler
	handlers []http.Handler
	answers  sync.Map // of a gateway, by fork and question
	node     *rpcserver.Server
	nodes    []*rpcserver.Server
	said     sync.Map // by a node, likewise
	quiet    func() (*book, error)
}

// every is how long a block takes.
const every = 12 * time.Second

// begin is when block 1 is made: a day, a month and a year end in the middle of each story.
var begin = time.Date(1999, time.December, 31, 23, 41, 0, 0, time.UTC)

// stories are all of them. In some the runtime is upgraded, and in some governance sets the
// parameter that the split of fees depends on.
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
		make := func(seed uint64) (*chaingen.Chain, http.Handler, *rpcserver.Server) {
			o.Seed = seed
			c := chaingen.New(o)
			return c, c.Handler(), c.Node()
		}
		s.chain, s.handler, s.node = make(uint64(100 + i))
		for k := range 2 {
			c, h, n := make(uint64(200 + 10*i + k))
			s.forks, s.handlers, s.nodes = append(s.forks, c), append(s.handlers, h), append(s.nodes, n)
		}
		s.quiet = sync.OnceValues(s.quietBook)
		list = append(list, s)
	}
	return list
})

// tidewater is a chain that no table of ours has, with a parameter of governance.
var tidewater = chaingen.Network{
	SpecName: "tidewater", Symbol: "TIDE", WeightPerGas: 66_666, BaseFeeConstant: 31_415_926_535, NormalRefTime: 1_300_000_000_000,
	Treasury: chain.Address([]byte("tidewater/treasury##")),
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

// reply is what a gateway says.
type reply struct {
	status int
	text   string
}

const trueChain = -1 // in the place of a fork's number

// answer is what a gateway says to a question on a fork, or on the true chain.
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

// question is what a gateway is asked: about a block, or the state that one left.
type question struct {
	path   string // with %s in the place of the block
	of     string // which block: a height, or "head"
	height uint64 // of it, where of is one
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

// at is the question about the block at a height.
func (q *question) at(height uint64) string {
	if q.of == "" {
		return q.path
	}
	path, _, _ := strings.Cut(q.path, "?finalized=")
	return strings.Replace(path, "%s", strconv.FormatUint(height, 10), 1)
}

// isBlock tells whether it asks for a whole block.
func (q *question) isBlock() bool {
	return strings.HasPrefix(q.path, "/blocks/") && !strings.HasSuffix(q.path, "/header")
}
