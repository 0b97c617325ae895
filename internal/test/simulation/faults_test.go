package simulation

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/test/rpcserver"
)

// fault is a kind of bad response.
type fault struct {
	name   string
	fits   func(x *exchange) bool // nil: always
	commit func(x *exchange)
}

// fault returns the fault of a response, nil for none.
func (x *exchange) fault() *fault {
	if x.world.calm() || x.mustBeWell() {
		return nil
	}
	for i := range x.world.outages {
		if o := &x.world.outages[i]; o.during(time.Now()) {
			return pick(x.dice, o.faults)
		}
	}
	list, wrong := passing, x.world.wrong
	switch {
	case x.of == "0":
		wrong *= 5 // requested once per run to identify the chain
	case x.world.node:
		wrong *= 8 // fewer messages, because one contains the requests for many blocks
	}
	switch n := x.IntN(1000); {
	case n < wrong:
		if list = broken; x.chance(700) {
			list = x.world.lies
		}
	case n < wrong+x.world.failing:
	default:
		return nil
	}
	for range 10 {
		if f := pick(x.dice, list); f.fits == nil || f.fits(x) {
			return f
		}
	}
	return nil
}

// passing are faults that a retry may avoid.
var passing = []*fault{
	{name: "503", commit: func(x *exchange) { x.refuse(http.StatusServiceUnavailable, "upstream is gone") }},
	{name: "502", commit: func(x *exchange) { x.send(reply{http.StatusBadGateway, "<html>Bad Gateway</html>"}) }},
	{name: "429", commit: func(x *exchange) {
		x.out.Header().Set("Retry-After", pick(x.dice, []string{"0", "1", "7", "7200", "soon"}))
		x.refuse(http.StatusTooManyRequests, "slow down")
	}},
	{name: "a proxy fails", commit: func(x *exchange) {
		x.send(reply{pick(x.dice, []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusGatewayTimeout, 520, 521, 522, 523, 524}), "<html><title>Origin Time-out</title></html>"})
	}},
	{name: "the node fails", commit: func(x *exchange) {
		code := pick(x.dice, []int{-32603, -32005, -32000, -32029})
		if !x.world.node {
			x.refuse(http.StatusInternalServerError, pick(x.dice, []string{"No response received from RPC endpoint in 60s", fmt.Sprintf("%d: Too many requests", code), fmt.Sprintf("%d: Internal error", code)}))
			return
		}
		x.lie(func(*view, *call) ([]byte, error) {
			return nil, &rpcserver.Error{Code: code, Message: pick(x.dice, []string{"Internal error", "too many requests", "daily request count exceeded"})}
		})
	}},
	{name: "the node is lost", commit: func(x *exchange) { x.refuse(http.StatusInternalServerError, "WebSocket is not connected") }},
	{name: "closed without an answer", commit: func(*exchange) { panic(http.ErrAbortHandler) }},
	{name: "broken off", commit: func(x *exchange) {
		x.out.Header().Set("Content-Length", fmt.Sprint(len(x.well.text)))
		fmt.Fprint(x.out, x.well.text[:x.IntN(len(x.well.text))])
		panic(http.ErrAbortHandler)
	}},
	{name: "slow", commit: func(x *exchange) {
		if x.sleep(x.time(time.Second, 29*time.Second)) {
			x.send(x.well)
		}
	}},
	{name: "hung", commit: func(x *exchange) { x.sleep(time.Hour) }},
}

// broken are invalid responses.
var broken = []*fault{
	{name: "500", commit: func(x *exchange) { x.refuse(http.StatusInternalServerError, "cannot read") }},
	{name: "forbidden", commit: func(x *exchange) {
		x.send(reply{http.StatusForbidden, "<html><title>Attention Required!</title></html>"})
	}},
	{name: "web page", commit: func(x *exchange) { x.send(reply{http.StatusOK, "<html>Welcome</html>"}) }},
	{name: "cut", fits: (*exchange).isWell, commit: func(x *exchange) { x.alter(func(text string) string { return text[:1+x.IntN(len(text)-1)] }) }},
	{name: "another shape", fits: (*exchange).isWell, commit: func(x *exchange) {
		x.alter(func(text string) string {
			return pick(x.dice, []string{"null", "{}", "[]", "7", "[" + text + "]", text + "}", text[:strings.Index(text, ":")] + ":null," + text[1:]})
		})
	}},
}

// lies are a gateway's responses with wrong content.
var gatewayLies = []*fault{
	{name: "another block", fits: func(x *exchange) bool { return x.of != "" && x.isWell() }, commit: func(x *exchange) {
		height := uint64(x.between(1, int(x.view.final)))
		x.send(x.world.story.answer(trueChain, x.at(height)))
	}},
	// Each such block has a different hash: agreeing responses would be a fork that cannot be distinguished from
	// the true chain.
	{name: "a final block of another fork", fits: func(x *exchange) bool { return x.tellsOfBlock() && x.isBlock() && x.of != "head" }, commit: func(x *exchange) {
		x.world.lie(x.height)
		text := x.world.story.answer(x.IntN(2), x.at(x.height)).text
		text = replaceHash(text, `"parentHash":"`, x.world.hash(x.height-1).String())
		x.send(reply{http.StatusOK, replaceHash(text, `"hash":"`, x.word())})
	}},
	{name: "another parent", fits: func(x *exchange) bool { return x.tellsOfBlock() && x.isBlock() && x.of != "head" }, commit: func(x *exchange) {
		x.send(reply{http.StatusOK, replaceHash(x.well.text, `"parentHash":"`, x.word())})
	}},
	{name: "the state of another fork", fits: func(x *exchange) bool { return x.tellsOfBlock() && strings.Contains(x.path, "at=") }, commit: func(x *exchange) {
		text := x.world.story.answer(x.IntN(2), x.at(x.height)).text
		x.send(reply{http.StatusOK, replaceHash(text, `"hash":"`, x.word())})
	}},
	{name: "not final", fits: func(x *exchange) bool { return x.tellsOfBlock() && x.isBlock() }, commit: func(x *exchange) {
		x.alter(func(text string) string { return strings.Replace(text, `"finalized":true`, `"finalized":false`, 1) })
	}},
	{name: "no such block", fits: func(x *exchange) bool { return x.of != "" && x.of != "0" }, commit: func(x *exchange) { x.send(noSuchBlock) }},
	{name: "a head that lags", fits: (*exchange).isHead, commit: func(x *exchange) {
		x.send(x.world.answer(x.behind(), &x.question))
	}},
	{name: "a node that lags", fits: func(x *exchange) bool { return x.of != "" }, commit: func(x *exchange) {
		x.send(x.world.answer(x.behind(), &x.question))
	}},
	{name: "a head that is not final yet", fits: (*exchange).isHead, commit: func(x *exchange) {
		early := x.view
		early.final += uint64(x.between(1, finalBelow))
		early.made = early.final // claims to be final
		x.send(x.world.answer(&early, &x.question))
	}},
}

func (x *exchange) refuse(status int, said string) {
	x.send(reply{status, fmt.Sprintf(`{"code":%d,"message":%q,"level":"error"}`, status, said)})
}

func (x *exchange) alter(change func(string) string) {
	x.send(reply{x.well.status, change(x.well.text)})
}

func (x *exchange) isWell() bool { return x.well.status == http.StatusOK }

func (x *exchange) isHead() bool { return x.of == "head" && x.isWell() }

// tellsOfBlock is false for block 0, which only its own response identifies.
func (x *exchange) tellsOfBlock() bool { return x.of != "" && x.of != "0" && x.isWell() }

// behind is the view of a lagging node.
func (x *exchange) behind() *view {
	v := x.world.viewOf(x.view.made - min(x.view.made, uint64(x.between(1, 12))))
	return &v
}

// word returns a unique hash.
func (x *exchange) word() string {
	return fmt.Sprintf("0x%016x%016x%016x%016x", x.Uint64(), x.Uint64(), x.Uint64(), x.Uint64())
}

// replaceHash replaces the hash that follows a prefix in a text.
func replaceHash(text, before, hash string) string {
	at := strings.Index(text, before)
	if at < 0 {
		return text
	}
	at += len(before)
	return text[:at] + hash + text[at+len(hash):]
}

// mustBeWell reports that only this response reveals a lie about a block, so the gateway does not withhold it.
func (x *exchange) mustBeWell() bool {
	return strings.Contains(x.path, "nextFeeMultiplier") && x.world.liedAbout(x.height)
}

// outage is a time when all requests fail.
type outage struct {
	from, to time.Time
	faults   []*fault
}

func (o *outage) during(at time.Time) bool { return !at.Before(o.from) && at.Before(o.to) }
