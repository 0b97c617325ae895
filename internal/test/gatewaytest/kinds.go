package gatewaytest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	anotherFork = "another fork"
	loop        = "loop"
	page        = "<html><body>Welcome</body></html>"
)

// kinds are the faults. All are detectable: none is, for example, a plausible but wrong fee.
var kinds = slices.Concat(silences, breaks, refusals, protocols, encodings, bodies)

// silences keep the client waiting.
var silences = []*fault{
	{name: "hang", commit: (*exchange).hang},
	{name: "hang after the head", commit: func(x *exchange) { x.begin(0); x.hang() }},
	{name: "hang in the body", commit: func(x *exchange) { x.begin(len(x.well.body) / 2); x.hang() }},
	{name: "slow drip", commit: drip},
	{name: "endless body", commit: endless},
}

// drip sends byte by byte.
func drip(x *exchange) {
	x.begin(0)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for i := range x.well.body {
		x.w.Write(x.well.body[i : i+1])
		x.flush()
		select {
		case <-tick.C:
		case <-x.r.Context().Done():
			return
		}
	}
}

func endless(x *exchange) {
	x.w.Header().Set("Content-Type", jsonType)
	chunk := bytes.Repeat([]byte(pick(x.random, []string{" ", "[", "0"})), 32<<10)
	for {
		if _, err := x.w.Write(chunk); err != nil {
			return
		}
	}
}

// breaks end the connection.
var breaks = []*fault{
	{name: "reset", commit: func(x *exchange) { x.raw("", true) }},
	{name: "reset in the body", commit: func(x *exchange) { x.raw(x.half(lengthOf(x.well.body)), true) }},
	{name: "closed", commit: func(x *exchange) { x.raw("", false) }},
	{name: "closed in the head", commit: func(x *exchange) { x.raw(head()[:x.random.IntN(len(head())-2)], false) }},
	{name: "closed in the body", commit: func(x *exchange) { x.raw(x.half(lengthOf(x.well.body)), false) }},
	{name: "closed between chunks", commit: func(x *exchange) {
		half := x.well.body[:len(x.well.body)/2]
		x.raw(head("Transfer-Encoding: chunked")+fmt.Sprintf("%x\r\n%s\r\n", len(half), half), false)
	}},
}

// half returns a response that ends in the middle of its body.
func (x *exchange) half(fields ...string) string {
	return head(fields...) + string(x.well.body[:len(x.well.body)/2])
}

// burst fails some consecutive requests.
var burst = &fault{
	name: "burst of 5xx",
	prepare: func(x *exchange) {
		if x.history.status == 0 {
			x.history.burst = x.random.IntN(5)
			x.history.status = pick(x.random, []int{500, 502, 503, 504})
		}
	},
	commit: func(x *exchange) {
		said := []string{"", page, `{"code":503,"message":"upstream\n\u001b[31mis gone\u001b[0m"}`, `{"message":7}`, "[", `{"code":500,"message":"cannot read"}`}
		x.send(x.history.status, pick(x.random, []string{jsonType, "text/html"}), []byte(pick(x.random, said)))
	},
}

// refusals are responses with an error status.
var refusals = []*fault{
	burst,
	{name: "too many requests", commit: func(x *exchange) {
		x.w.Header().Set("Retry-After", pick(x.random, []string{
			"0", "1", "7200", "99999999999999999999", "-1", "soon", "0.001", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
		}))
		x.send(http.StatusTooManyRequests, jsonType, []byte(`{"code":429,"message":"slow down"}`))
	}},
	{name: "node lost", commit: func(x *exchange) { x.send(http.StatusInternalServerError, jsonType, []byte(nodeIsDown)) }},
	{name: "odd status", commit: func(x *exchange) {
		x.send(pick(x.random, []int{204, 205, 300, 304, 305, 401, 403, 407, 418, 599}), jsonType, nil)
	}},
	// A gateway without /runtime/spec is a different kind of gateway, not a fault.
	{name: "web page not found", fits: func(x *exchange) bool { return x.r.URL.Path != "/runtime/spec" }, commit: func(x *exchange) {
		x.send(http.StatusNotFound, "text/html", []byte(page))
	}},
	{name: "redirect in a loop", commit: func(x *exchange) { x.redirect("?" + loop) }},
	{name: "redirect to itself", commit: func(x *exchange) { x.redirect(x.r.RequestURI) }},
	{name: "redirect elsewhere", commit: func(x *exchange) {
		x.redirect(pick(x.random, []string{"http://127.0.0.1:1/blocks/7", "https://" + x.r.Host + "/", "ftp://" + x.r.Host, "file:///etc/hostname", "//127.0.0.1:1"}))
	}},
	{name: "redirect nowhere", commit: func(x *exchange) {
		x.redirect(pick(x.random, []string{"", "http://[", ":", "http://\x1b[31m", "%zz"}))
	}},
}

func (x *exchange) redirect(to string) {
	if to != "" {
		x.w.Header().Set("Location", to)
	}
	x.send(pick(x.random, []int{301, 302, 303, 307, 308}), "text/html", []byte(page))
}

// protocols violate HTTP.
var protocols = []*fault{
	{name: "garbage instead of HTTP", commit: func(x *exchange) {
		x.raw(pick(x.random, []string{
			string(noise(x.random, 200)), "HTTP/1.1 200", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 99999 OK\r\n\r\n", "HTTP/1.1 \x1b[31m200 OK\r\n\r\n",
			"\x15\x03\x01\x00\x02\x02\x28", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", page,
		}), false)
	}},
	{name: "garbage in the head", commit: func(x *exchange) {
		x.raw(head(pick(x.random, []string{
			"Content-Length: -5", "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 99999999999999999999", "Content-Length: x",
			"Transfer-Encoding: \x1b[31m", "\x1b[31mred", ": none", "no colon " + strings.Repeat("x", 10_000), "\x00: 1",
		}))+string(x.well.body), false)
	}},
	{name: "garbage between chunks", commit: func(x *exchange) {
		x.raw(head("Transfer-Encoding: chunked")+pick(x.random, []string{
			"zz\r\n{}\r\n0\r\n\r\n", "-5\r\n", "fffffffffffffffffffff\r\n", "2\r\n{}}}\r\n0\r\n\r\n", "2\r\n{}\r\n\x1b\r\n", "\r\n\r\n", "7fffffffffffffff\r\n{",
		}), false)
	}},
	{name: "huge head", commit: func(x *exchange) {
		x.w.Header().Set("X-Padding", strings.Repeat("x", 1<<20))
		x.send(x.well.status, jsonType, x.well.body)
	}},
	{name: "interim answers", commit: func(x *exchange) {
		interim := pick(x.random, []string{"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\n", "HTTP/1.1 199 Odd\r\n\r\n"})
		x.raw(strings.Repeat(interim, pick(x.random, []int{1, 2, 50}))+head(lengthOf(x.well.body), "Connection: close")+string(x.well.body), false)
	}},
	{name: "another protocol", commit: func(x *exchange) {
		x.raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"+pick(x.random, []string{"", "{}", string(noise(x.random, 50))}), false)
	}},
	{name: "more than the answer", commit: func(x *exchange) {
		x.raw(head(lengthOf(x.well.body))+string(x.well.body)+pick(x.random, []string{page, head(lengthOf([]byte("{}"))) + "{}"}), false)
	}},
}

// encodings contradict the header.
var encodings = []*fault{
	{name: "gzip bomb", commit: func(x *exchange) { x.encoded("gzip", bomb()) }},
	{name: "gzip garbage", commit: func(x *exchange) {
		whole := compressed(x.well.body)
		whole[len(whole)-6]++ // its checksum
		x.encoded("gzip", pick(x.random, [][]byte{x.well.body, noise(x.random, 100), whole[:len(whole)/2], whole, nil}))
	}},
	{name: "unknown encoding", commit: func(x *exchange) {
		x.encoded(pick(x.random, []string{"br", "zstd", "deflate", "gzip, gzip", "x"}), noise(x.random, 100))
	}},
	{name: "wrong type", commit: func(x *exchange) {
		x.send(x.well.status, pick(x.random, []string{"text/plain", "text/html", "application/xml", "", "image/png", ";;", "application/json; charset=utf-16"}), x.well.body)
	}},
}

func (x *exchange) encoded(as string, body []byte) {
	x.w.Header().Set("Content-Encoding", as)
	x.send(http.StatusOK, jsonType, body)
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(body)
	z.Close()
	return b.Bytes()
}

// bomb is small, and large when decompressed. It is built on demand: each program that a test starts contains
// this package.
var bomb = sync.OnceValue(func() []byte { return compressed(bytes.Repeat([]byte(" "), 32<<20)) })

func noise(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// bodies are complete responses with wrong content.
var bodies = []*fault{
	{name: "garbage", commit: func(x *exchange) { x.send(http.StatusOK, jsonType, noise(x.random, 300)) }},
	{name: "empty", commit: func(x *exchange) { x.send(http.StatusOK, jsonType, nil) }},
	{name: "web page", commit: func(x *exchange) {
		x.send(http.StatusOK, pick(x.random, []string{"text/html", jsonType}), []byte(page))
	}},
	altered("cut", func(x *exchange, text string) string { return text[:1+x.random.IntN(len(text)-1)] }),
	altered("byte order mark", func(_ *exchange, text string) string { return "\ufeff" + text }),
	altered("invalid JSON", func(x *exchange, text string) string {
		return pick(x.random, []string{
			text + "}", text + text, "," + text, text[:len(text)-1] + ",}", strings.Replace(text, `"`, `'`, 2), strings.Replace(text, `":`, `" `, 1),
			strings.Replace(text, `"`, "\"\x00", 1), strings.Replace(text, `"`, "\"\xff", 1), strings.Replace(text, `"`, `"\x`, 1), "NaN", "// \n" + text,
		})
	}),
	altered("wrong shape", func(x *exchange, text string) string {
		return pick(x.random, []string{"null", "[]", "{}", `"text"`, "7", "true", "[" + text + "]", `{"result":` + text + `}`, `{"message":"ok"}`})
	}),
	altered("key twice", func(_ *exchange, text string) string { return text[:strings.Index(text, ":")] + ":null," + text[1:] }),
	altered("deep nesting", func(_ *exchange, text string) string { return `{"x":` + strings.Repeat("[", 100_000) + text }),
	altered("number as a float", number(func(x *exchange, digits string) string {
		float := pick(x.random, []string{digits + ".0", digits + ".5", digits + "e0", digits[:1] + "." + digits[1:] + "0E+" + fmt.Sprint(len(digits)-1)})
		return pick(x.random, []string{float, `"` + float + `"`})
	})),
	altered("negative number", number(func(x *exchange, digits string) string {
		return pick(x.random, []string{"-1" + digits, `"-1` + digits + `"`})
	})),
	altered("huge number", number(func(x *exchange, digits string) string {
		return `"1` + digits + strings.Repeat("0", pick(x.random, []int{80, 1000, 100_000})) + `"`
	})),
	{name: "another block", fits: func(x *exchange) bool { return x.isWell() && ofBlock.MatchString(x.r.URL.RequestURI()) }, commit: func(x *exchange) {
		address := ofBlock.ReplaceAllString(x.r.URL.RequestURI(), fmt.Sprint("${1}", x.random.IntN(28)))
		other := x.gateway(httptest.NewRequest(http.MethodGet, address, nil))
		x.send(other.status, jsonType, other.body)
	}},
	{name: anotherFork, more: 3, fits: func(x *exchange) bool { return x.isWell() && forkHash(x) != nil }, commit: func(x *exchange) {
		// Each response has a different hash: several that agreed would be an undetectable fork.
		body := slices.Clone(x.well.body)
		copy(body[forkHash(x)[1]:], fmt.Sprintf("%016x", x.random.Uint64()))
		x.send(http.StatusOK, jsonType, body)
	}},
}

func (x *exchange) isWell() bool { return x.well.status == http.StatusOK }

// altered changes healthy responses.
func altered(name string, change func(x *exchange, text string) string) *fault {
	return &fault{name: name, fits: (*exchange).isWell, commit: func(x *exchange) {
		x.send(http.StatusOK, jsonType, []byte(change(x, string(x.well.body))))
	}}
}

// quantity matches a number in the gateway's form.
var quantity = regexp.MustCompile(`[:,\[]"([0-9]+)"`)

// number writes one of the response's numbers in a different form.
func number(write func(x *exchange, digits string) string) func(*exchange, string) string {
	return func(x *exchange, text string) string {
		found := quantity.FindAllStringSubmatchIndex(text, -1)
		if len(found) == 0 { // as /node/version
			return "1.5"
		}
		at := pick(x.random, found)
		return text[:at[2]-1] + write(x, text[at[2]:at[3]]) + text[at[3]+1:]
	}
}

// ofBlock matches the block in an address.
var ofBlock = regexp.MustCompile(`(/blocks/|at=)(0x[0-9a-f]+|[0-9]+)`)

var (
	hashOfParent = regexp.MustCompile(`"parentHash":"0x`)
	hashOfBlock  = regexp.MustCompile(`"hash":"0x`)
)

// forkHash finds the hash that ties a response to others: the parent's for a block requested by height,
// otherwise its own. Nothing ties the head to anything.
func forkHash(x *exchange) []int {
	switch path := x.r.URL.Path; {
	case path == "/blocks/head", strings.HasSuffix(path, "/header"):
		return nil
	case strings.HasPrefix(path, "/blocks/") && !strings.HasPrefix(path, "/blocks/0x"):
		return hashOfParent.FindIndex(x.well.body)
	}
	return hashOfBlock.FindIndex(x.well.body)
}
