package nodetest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Hang is the delay of a response that hangs.
const Hang = 200 * time.Millisecond

// Faults damages a node's responses as networks, proxies and nodes do, over HTTP and over WebSockets.
// Everything follows from a seed and from the order of the requests.
type Faults struct {
	node   *Node
	branch *Node
	worlds map[string]world
	share  float64

	guard  sync.Mutex
	dice   *rand.Rand
	done   map[string]int               // faults by kind
	others map[string][]json.RawMessage // the last responses to other requests, by method
	spell  string                       // the world that responds for a while, "" for the node
	left   int                          // for this number of requests
	quiet  bool
	broken map[string]json.RawMessage // contradictory metadata, by kind
}

// world replaces a node for a while.
type world func(q *question) []byte

// NewFaults returns the faults of the node of a mill. Other is a node of another chain.
func NewFaults(node, other *Node, seed uint64, share float64) (*Faults, error) {
	f := &Faults{
		node: node, share: share, dice: rand.New(rand.NewPCG(13, seed)), done: map[string]int{},
		others: map[string][]json.RawMessage{}, broken: map[string]json.RawMessage{},
	}
	begun, err := node.Branch(0)
	if err != nil {
		return nil, err
	}
	branch, err := node.Branch(node.head)
	if err != nil {
		return nil, err
	}
	f.branch = branch
	last := len(node.hashes) - 1
	from := func(n *Node, final, best int) world {
		return func(q *question) []byte { return n.answerFrom(q, view{final, best}) }
	}
	refuse := func(prefix string, failure func(q *question) string) world {
		return func(q *question) []byte {
			if !strings.HasPrefix(q.Method, prefix) {
				return nil
			}
			return written(q.ID, nil, json.RawMessage(failure(q)))
		}
	}
	f.worlds = map[string]world{
		"another chain":             from(other, other.head, other.head),
		"the chain restarted":       from(begun, node.head, last),
		"reorganisation":            from(branch, node.head, last),
		"a head far ahead":          from(node, last, last),
		"a head that went back":     from(node, node.head/2, node.head/2),
		"a node that syncs":         from(node, 3, 3),
		"pruned state":              refuse("state_", func(*question) string { return discarded }),
		"pruned state, with a code": refuse("state_query", func(*question) string { return strings.Replace(discarded, "-32000", "4003", 1) }),
		"no such method":            refuse("state_queryStorageAt", func(*question) string { return `{"code":-32601,"message":"Method not found"}` }),
		"no method at all":          refuse("", func(*question) string { return `{"code":-32601,"message":"Method not found"}` }),
	}
	return f, f.breakMetadata()
}

const discarded = `{"code":-32000,"message":"Client error: Api called for an unknown Block: State already discarded for 0x12"}`

// breakMetadata creates contradictory metadata.
func (f *Faults) breakMetadata() error {
	m, err := f.node.metadataBytes()
	if err != nil {
		return err
	}
	at, err := f.node.specVersionIn(m)
	if err != nil {
		return err
	}
	// A pallet's index is its last field, before the next one's name.
	pallet := bytes.Index(m, []byte("\x24Timestamp\x01\x24Timestamp"))
	named := []byte("\x18Events\x01\x00")
	events := bytes.Index(m, named) + len(named) // their type, in one byte
	record := bytes.Index(m, []byte{m[events], 0, 0, 2})
	if pallet < 1 || events < len(named) || m[events]&3 != 0 || record < 0 {
		return fmt.Errorf("the metadata have no Timestamp or no Events")
	}
	change := func(kind string, at, end int, to ...byte) { f.broken[kind] = asHex(slices.Concat(m[:at], to, m[end:])) }
	change("metadata of another runtime", at, at+4, 17, 0, 0, 0)
	change("metadata with an index twice", pallet-1, pallet, 0)
	change("metadata with a type that is nowhere", events, events+1, 0xfd, 0xff)
	change("metadata with a type of itself", record+4, record+5, m[events])
	change("cut metadata", len(m)/2, len(m))
	return nil
}

// reply is a pending response.
type reply struct {
	kind   string // of the fault, "" for none
	text   []byte
	random int
}

// message returns the reply to a message. In a batch, about one in share responses is faulty, as for single
// requests; the first of them decides any fault of the whole message.
func (f *Faults) message(questions []question, batch bool) reply {
	if !batch {
		return f.answer(&questions[0], f.share)
	}
	var whole reply
	texts := make([][]byte, len(questions))
	for i := range questions {
		r := f.answer(&questions[i], f.share/float64(len(questions)))
		if texts[i] = r.text; slices.Contains(ofMessages, r.kind) && whole.kind == "" {
			whole = r
		}
	}
	whole.text = slices.Concat([]byte{'['}, bytes.Join(texts, []byte(",")), []byte{']'})
	return whole
}

// ofMessages are the faults of a whole message.
var ofMessages = []string{"dropped connection", "cut in the middle of a frame", "too many requests", "status 500", "hang", "binary", "100 MB"}

// read parses a message.
func read(text []byte) (questions []question, batch bool, err error) {
	if batch = bytes.HasPrefix(text, []byte("[")); batch {
		err = json.Unmarshal(text, &questions)
	} else {
		questions = make([]question, 1)
		err = json.Unmarshal(text, &questions[0])
	}
	if err == nil && len(questions) == 0 {
		err = errors.New("an empty batch")
	}
	return questions, batch, err
}

// answer returns the reply to a request.
func (f *Faults) answer(q *question, share float64) reply {
	honest := f.node.answerFrom(q, f.node.now())
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.quiet {
		return reply{text: honest}
	}
	r := reply{text: honest, random: f.dice.IntN(1 << 30)}
	if f.left--; f.left <= 0 {
		f.spell = ""
	}
	if f.spell == "" && f.dice.Float64() < share/10 {
		names := slices.Sorted(maps.Keys(f.worlds))
		f.spell, f.left = names[f.dice.IntN(len(names))], 1+f.dice.IntN(30)
	}
	if f.spell != "" {
		if said := f.worlds[f.spell](q); said != nil && !bytes.Equal(said, honest) {
			r.kind, r.text = f.spell, said
			f.done[r.kind]++
			return r
		}
	}
	result := resultOf(honest)
	other := json.RawMessage("null")
	if before := f.others[q.Method]; len(before) > 0 {
		other = before[r.random%len(before)]
	}
	if f.others[q.Method] = append(f.others[q.Method], result); len(f.others[q.Method]) > 8 {
		f.others[q.Method] = f.others[q.Method][1:]
	}
	if q.Method == "state_getMetadata" { // which is requested rarely
		share *= 2
	}
	if f.dice.Float64() >= share {
		return r
	}
	kinds := []string{
		"dropped connection", "cut in the middle of a frame", "cut JSON", "wrong id", "internal error", "too many requests", "status 500", "hang",
		"deep JSON", "binary", "100 MB",
	}
	if q.Method != "state_getStorage" { // whose response does not identify its subject
		kinds = append(kinds, "null", "cut SCALE", "hostile length", "deep SCALE")
	}
	if q.Method == "chain_getBlock" && string(result) != "null" { // a block of another chain exists nowhere
		kinds = append(kinds, "another byte")
	}
	if strings.HasPrefix(q.Method, "chain_") || q.Method == "state_queryStorageAt" {
		kinds = append(kinds, "another answer")
	}
	if q.Method == "state_getMetadata" {
		kinds = slices.Sorted(maps.Keys(f.broken))
	}
	r.kind = kinds[f.dice.IntN(len(kinds))]
	if r.kind == "100 MB" && f.dice.IntN(20) > 0 || r.kind == "hang" && f.dice.IntN(4) > 0 { // these take long
		r.kind = "cut JSON"
	}
	with := func(result json.RawMessage) []byte { return written(q.ID, result, nil) }
	refused := func(code int, message string) []byte {
		return written(q.ID, nil, fmt.Appendf(nil, `{"code":%d,"message":%q}`, code, message))
	}
	switch r.kind {
	case "cut JSON":
		r.text = honest[:r.random%len(honest)]
	case "wrong id":
		r.text = written(append([]byte("9"), q.ID...), result, nil)
	case "internal error":
		r.text = refused(-32603, "Internal error")
	case "deep JSON":
		r.text = with([]byte(strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)))
	case "null":
		r.text = with(json.RawMessage("null"))
	case "another answer":
		r.text = with(other)
	case "another byte": // of the longest extrinsic
		from, to := longestHex(result)
		at := from + 2 + r.random%max(to-from-2, 1)
		digit := "123456789abcdef0"[strings.IndexByte("0123456789abcdef", result[at])]
		r.text = with(slices.Concat(result[:at], []byte{digit}, result[at+1:]))
	case "cut SCALE":
		from, to := longestHex(result)
		r.text = with(slices.Concat(result[:from+r.random%max(to-from, 1)], result[to:]))
	case "hostile length":
		r.text = with(instead(result, "0x03ffffffffffffff0f00000000"))
	case "deep SCALE": // a batch of one call, which is a batch of one call, and so on
		r.text = with(instead(result, "0x0204"+strings.Repeat("1e0004", 50_000)))
	default:
		if metadata := f.broken[r.kind]; metadata != nil {
			r.text = with(metadata)
		}
	}
	if bytes.Equal(r.text, honest) && slices.Contains([]string{"null", "another answer", "cut SCALE", "hostile length", "deep SCALE"}, r.kind) {
		r.kind = ""
		return r
	}
	f.done[r.kind]++
	return r
}

func resultOf(answer []byte) json.RawMessage {
	var a struct{ Result json.RawMessage }
	json.Unmarshal(answer, &a)
	if a.Result == nil {
		return json.RawMessage("null")
	}
	return a.Result
}

// longestHex returns the position of a result's longest 0x-hex.
func longestHex(result []byte) (from, to int) {
	for at := 0; ; {
		begin := bytes.Index(result[at:], []byte(`"0x`))
		if begin < 0 {
			return from, to
		}
		begin += at + 1
		end := begin + bytes.IndexByte(result[begin:], '"')
		if end-begin > to-from {
			from, to = begin, end
		}
		at = end + 1
	}
}

// instead returns a result with a different text in place of its longest.
func instead(result []byte, text string) json.RawMessage {
	from, to := longestHex(result)
	if to == 0 {
		return result
	}
	return slices.Concat(result[:from], []byte(text), result[to:])
}

// Quiet turns faults off or on.
func (f *Faults) Quiet(quiet bool) {
	f.guard.Lock()
	defer f.guard.Unlock()
	f.quiet, f.spell = quiet, ""
}

// Done returns the number of faults, by kind.
func (f *Faults) Done() map[string]int {
	f.guard.Lock()
	defer f.guard.Unlock()
	return maps.Clone(f.done)
}

// Kinds returns the number of kinds over one of the two transports.
func (f *Faults) Kinds() int { return len(f.worlds) + len(f.broken) + 17 }

// ServeHTTP responds as the node does, or with a fault.
func (f *Faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		f.socket(w, r)
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	questions, batch, err := read(text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := f.message(questions, batch)
	w.Header().Set("Content-Type", "application/json")
	switch a.kind {
	case "dropped connection":
		panic(http.ErrAbortHandler)
	case "cut in the middle of a frame":
		w.Header().Set("Content-Length", fmt.Sprint(len(a.text)))
		w.Write(a.text[:a.random%len(a.text)])
		panic(http.ErrAbortHandler)
	case "too many requests":
		w.WriteHeader(http.StatusTooManyRequests)
	case "status 500":
		w.WriteHeader(http.StatusInternalServerError)
	case "hang":
		time.Sleep(Hang)
		w.Write(a.text)
	case "binary":
		w.Write([]byte{0xff, 0, 0x80})
	case "100 MB":
		writeHuge(w, questions[0].ID)
	default:
		w.Write(a.text)
	}
}

// writeHuge writes a response of 100 MB, as long as the client reads.
func writeHuge(w io.Writer, id []byte) {
	piece := bytes.Repeat([]byte("00"), 1<<15)
	_, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":"0x`, id)
	for sent := 0; sent < 100<<20 && err == nil; sent += len(piece) {
		_, err = w.Write(piece)
	}
	io.WriteString(w, `"}`)
}

// taken hijacks the connection beneath a WebSocket.
type taken struct {
	http.ResponseWriter
	conn net.Conn
}

func (t *taken) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, b, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = c
	return c, b, err
}

// socket responds to each request separately, so that one that hangs does not delay the others.
func (f *Faults) socket(w http.ResponseWriter, r *http.Request) {
	beneath := &taken{ResponseWriter: w}
	c, err := websocket.Accept(beneath, r, nil)
	if err != nil {
		return
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	for {
		_, text, err := c.Read(r.Context())
		if err != nil {
			return
		}
		questions, batch, err := read(text)
		if err != nil {
			return
		}
		answering.Go(func() {
			a := f.message(questions, batch)
			kind := websocket.MessageText
			switch a.kind {
			case "dropped connection":
				c.CloseNow()
				return
			case "status 500":
				c.Close(websocket.StatusInternalError, "")
				return
			case "cut in the middle of a frame":
				frame := binary.BigEndian.AppendUint64([]byte{0x81, 127}, uint64(len(a.text)))
				beneath.conn.Write(append(frame, a.text[:a.random%len(a.text)]...))
				c.CloseNow()
				return
			case "too many requests":
				a.text = written(questions[0].ID, nil, json.RawMessage(`{"code":-32999,"message":"Too many requests"}`))
			case "hang":
				time.Sleep(Hang)
			case "binary":
				kind = websocket.MessageBinary
			case "100 MB":
				if m, err := c.Writer(r.Context(), kind); err == nil {
					writeHuge(m, questions[0].ID)
					m.Close()
				}
				return
			}
			c.Write(r.Context(), kind, a.text)
		})
	}
}

// Branch returns the node of the other branch above the final block.
func (f *Faults) Branch() *Node { return f.branch }
