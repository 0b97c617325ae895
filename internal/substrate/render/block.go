package render

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Block is a block as served by a node, with the necessary parts of its state.
type Block struct {
	Hash       chain.Hash
	Header     Header
	Extrinsics [][]byte
	Events     []byte // System.Events, nil if nothing is stored
	Validators []byte // Session.Validators if [Runtime.Session]
	// Finalized is omitted if unknown.
	Finalized chain.Optional[bool]
	// NoFees omits the reason why a fee is missing, as ?noFees=true does.
	NoFees bool
	// EventDocs and ExtrinsicDocs add the runtime's documentation of events and of calls, as ?eventDocs=true and
	// ?extrinsicDocs=true do.
	EventDocs, ExtrinsicDocs bool
}

// AppendBlock appends the response of /blocks/N to other text. The runtime is that of the block's parent.
func (r *Runtime) AppendBlock(to []byte, b *Block) ([]byte, error) {
	text, err := r.block(to, b)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Header.Number, err)
	}
	return text, nil
}

func (r *Runtime) block(to []byte, b *Block) ([]byte, error) {
	size := 1024 + 3*len(b.Events)
	for _, x := range b.Extrinsics {
		size += 512 + 3*len(x)
	}
	to = slices.Grow(to, size)
	to = appendNumber(append(to, `{"number":`...), b.Header.Number)
	to = appendHash(append(to, `,"hash":`...), b.Hash)
	to = appendHash(append(to, `,"parentHash":`...), b.Header.ParentHash)
	to = b.Header.roots(to)
	digests := make([]digest, len(b.Header.Logs))
	for i, log := range b.Header.Logs {
		var err error
		if digests[i], err = readDigest(log); err != nil {
			return nil, fmt.Errorf("digest %d: %w", i, err)
		}
	}
	buf := bufPool.Get().(*buffers)
	defer buf.release()
	validators, err := r.validators(b.Validators, &buf.addresses)
	if err != nil {
		return nil, fmt.Errorf("session.validators: %w", err)
	}
	if author := author(digests, &validators); author != nil {
		to = append(append(to, `,"authorId":`...), author...)
	}
	to = append(to, `,"logs":[`...)
	for i := range digests {
		d := &digests[i]
		if i > 0 {
			to = append(to, ',')
		}
		to = scalejson.AppendString(append(to, `{"type":`...), d.Kind.String())
		to = appendNumber(append(to, `,"index":`...), uint64(d.Kind))
		to = append(d.value(append(to, `,"value":`...)), '}')
	}
	events := &buf.events
	if err := r.events(events, b, &buf.addresses); err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	to = append(to, `],"onInitialize":{"events":[`...)
	to = events.append(to, &events.initializing)
	to = append(to, `]},"extrinsics":[`...)
	for i, x := range b.Extrinsics {
		if i > 0 {
			to = append(to, ',')
		}
		var err error
		if to, err = r.extrinsic(to, b, x, buf, &events.applying[i]); err != nil {
			return nil, fmt.Errorf("extrinsic %d: %w", i, err)
		}
	}
	to = append(to, `],"onFinalize":{"events":[`...)
	to = append(events.append(to, &events.finalizing), "]}"...)
	if finalized, known := b.Finalized.Get(); known {
		to = strconv.AppendBool(append(to, `,"finalized":`...), finalized)
	}
	return append(to, '}'), nil
}

// buffers are reused for the next block.
type buffers struct {
	events    events
	signature []byte
	addresses scalejson.Addresses
}

var bufPool = sync.Pool{New: func() any { return new(buffers) }}

// maxPooledBytes and maxPlaces are the largest sizes, in bytes of text and in events and extrinsics, of
// buffers that are reused.
const maxPooledBytes, maxPlaces = 1 << 20, 1 << 14

func (r *buffers) release() {
	if cap(r.events.text)+cap(r.signature) <= maxPooledBytes && cap(r.events.spans)+cap(r.events.applying) <= maxPlaces {
		bufPool.Put(r)
	}
}

// span is a part of a text.
type span struct{ from, to int }

// signature contains the parts of an extrinsic before its call, as parts of a text. Those that it does not have are empty.
type signature struct{ signer, signature, nonce, tip, era span }

// extrinsic appends an extrinsic of a block with its events.
func (r *Runtime) extrinsic(to []byte, b *Block, bytes []byte, buf *buffers, own *place) ([]byte, error) {
	reader, preamble, err := block.Open(bytes)
	if err != nil {
		return nil, err
	}
	signed := preamble.Signed
	var s signature
	parts := scalejson.Writer{Reader: reader, Text: buf.signature[:0], Addresses: &buf.addresses}
	if signed {
		s.signer = written(&parts, r.codec.Signer)
		s.signature = written(&parts, r.codec.Signature)
	}
	extensions, known := r.extensions[preamble.Version]
	if signed || preamble.General {
		r.extended(&parts, extensions, &s)
	}
	buf.signature = parts.Text
	part := func(s span, otherwise string) []byte {
		if s == (span{}) {
			return []byte(otherwise)
		}
		return buf.signature[s.from:s.to]
	}
	w := scalejson.Writer{Reader: reader, Text: to, Addresses: &buf.addresses}
	call := unknownCall
	if known {
		if call = r.codec.Call(&w); call == nil {
			return nil, w.Err()
		}
	} else {
		reader.Bytes(reader.Left())
	}
	w.Text = append(append(w.Text, `{"method":`...), call.Method...)
	if signed {
		w.Text = append(append(w.Text, `,"signature":{"signature":`...), part(s.signature, "null")...)
		w.Text = append(append(w.Text, `,"signer":`...), part(s.signer, "null")...)
		w.Text = append(append(w.Text, `},"nonce":`...), part(s.nonce, "null")...)
	} else {
		w.Text = append(w.Text, `,"signature":null,"nonce":null`...)
	}
	w.Text = append(w.Text, `,"args":`...)
	r.codec.Arguments(&w, call)
	if err := w.End(); err != nil {
		return nil, err
	}
	if signed {
		w.Text = append(append(w.Text, `,"tip":`...), part(s.tip, "null")...)
	} else {
		w.Text = append(w.Text, `,"tip":null`...)
	}
	w.Text = appendHash(append(w.Text, `,"hash":`...), blake2b.Sum256(bytes))
	if signed && own.pays == "Yes" && !b.NoFees && b.Header.ParentHash != (chain.Hash{}) {
		w.Text = append(w.Text, `,"info":{"error":"Fee calculation not supported for this network"}`...)
	} else {
		w.Text = append(w.Text, `,"info":{}`...)
	}
	w.Text = append(append(w.Text, `,"era":`...), part(s.era, `{"immortalEra":"0x00"}`)...)
	w.Text = append(buf.events.append(append(w.Text, `,"events":[`...), own), `],"success":`...)
	w.Text = append(strconv.AppendBool(w.Text, own.success), `,"paysFee":`...)
	if signed && own.pays == "" {
		w.Text = append(w.Text, "null"...)
	} else {
		w.Text = strconv.AppendBool(w.Text, signed && own.pays == "Yes")
	}
	if b.ExtrinsicDocs {
		w.Text = append(w.Text, `,"docs":`...)
		w.Lines(call.Docs)
	}
	return append(w.Text, '}'), nil
}

// unknownCall is the call of a general extrinsic whose extensions the metadata do not describe.
var unknownCall = &scalejson.Call{Method: `{"pallet":"` + block.UnknownPallet + `","method":"` + block.UnknownCall + `"}`}

// written returns the span of what is written.
func written(w *scalejson.Writer, write func(*scalejson.Writer)) span {
	from := len(w.Text)
	write(w)
	return span{from, len(w.Text)}
}

// extended decodes the extensions of an extrinsic.
func (r *Runtime) extended(w *scalejson.Writer, extensions []metadata.Part, s *signature) {
	for _, e := range extensions {
		value := written(w, func(w *scalejson.Writer) { r.codec.Value(w, e.Type) })
		switch e.Role {
		case metadata.Nonce:
			s.nonce = value
		case metadata.Tip:
			s.tip = value
		case metadata.Era:
			s.era = value
		}
	}
}
