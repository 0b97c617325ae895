package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
)

// maxConcurrent limits the requests in one message. As far as is known, it is below the limits that node operators set;
// 100 is a common one.
const maxConcurrent = 64

// Batch sends several requests to the node in one message. If a node does not accept that many at once, or no
// batches, they are sent in smaller batches, or finally one by one.
type Batch struct {
	client *Client
	calls  []*call
}

// call is one request of a batch.
type call struct {
	question
	result jsonscan.Value
	err    error
}

// Batch returns an empty batch. Add requests before calling Ask.
func (c *Client) Batch() *Batch { return &Batch{client: c} }

// Pending is the answer to a request of a batch, available after the batch was sent.
type Pending[T any] struct {
	call *call
	read func(jsonscan.Value) (T, error)
}

// Get returns the answer or its error.
func (p Pending[T]) Get() (T, error) {
	if p.call.err != nil {
		var none T
		return none, p.call.err
	}
	return p.read(p.call.result)
}

func (b *Batch) add(method string, params ...any) *call {
	c := &call{question: question{method, params}, err: errNotAsked}
	b.calls = append(b.calls, c)
	return c
}

var errNotAsked = errors.New("the batch was not sent")

// Block adds the request of [Client.Block].
func (b *Batch) Block(hash chain.Hash) Pending[Block] {
	return Pending[Block]{b.add(getBlock, hash), func(v jsonscan.Value) (Block, error) { return decodeBlock(v, chain.Some(hash)) }}
}

// Storage adds the request of [Client.Storage]. It yields [ErrNoMethod] if the node accepts only one key at a time.
func (b *Batch) Storage(block chain.Hash, keys ...[]byte) Pending[[][]byte] {
	texts := hexKeys(keys)
	read := func(v jsonscan.Value) ([][]byte, error) { return readChanges(v, block, texts) }
	if b.client.noQueryStorage.Load() {
		return Pending[[][]byte]{&call{err: ErrNoMethod}, read}
	}
	return Pending[[][]byte]{b.add(queryStorage, texts, block), read}
}

// Ask sends all requests. If it returns an error, the answers that arrived before are available. A refusal of a single request
// is reported by its Pending only.
func (b *Batch) Ask(ctx context.Context) error {
	calls := b.calls
	if b.calls = nil; len(calls) == 0 {
		return nil
	}
	return b.client.askInParts(ctx, calls, len(calls))
}

// askInParts sends requests in messages of at most size, all of them concurrently.
func (c *Client) askInParts(ctx context.Context, calls []*call, size int) error {
	if size = min(size, int(c.maxConcurrent.Load())); len(calls) <= size {
		return c.askPart(ctx, calls)
	}
	var all sync.WaitGroup
	parts := slices.Collect(slices.Chunk(calls, size))
	errs := make([]error, len(parts))
	for i, part := range parts {
		all.Go(func() { errs[i] = c.askPart(ctx, part) })
	}
	all.Wait()
	return cmp.Or(errs...)
}

// askPart sends requests in one message, or in smaller ones if it is refused.
func (c *Client) askPart(ctx context.Context, calls []*call) error {
	err := c.askTogether(ctx, calls)
	if err == nil || len(calls) < 2 || !refusesSize(err) {
		return err
	}
	half := len(calls) / 2
	if refusesBatch(err) && !c.asker.Answered(len(calls)) {
		c.maxConcurrent.Store(min(c.maxConcurrent.Load(), int64(half)))
	}
	return c.askInParts(ctx, calls, half)
}

// askTogether sends requests in one message.
func (c *Client) askTogether(ctx context.Context, calls []*call) error {
	questions := make([]question, len(calls))
	for i, one := range calls {
		questions[i] = one.question
	}
	answers, err := c.ask(ctx, questions)
	for i, one := range calls {
		if one.err = err; err == nil {
			one.result, one.err = answers[i].given()
		}
	}
	return err
}

// refusesSize reports whether fewer requests may succeed. Transient failures were retried already; the batch may be to blame for an
// answer that could not be parsed.
func refusesSize(err error) bool {
	switch {
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled):
		return false
	}
	return !httpclient.IsTransient(err) || httpclient.FailureOf(err) == httpclient.Internal
}

// Error codes for answers above the node's size limit.
//
// Source: paritytech/jsonrpsee, types/src/error.rs.
const (
	oversizedResponse = -32008
	tooBigBatchAnswer = -32011
)

// refusesBatch reports whether the node refuses the number of requests, and will again. An answer that was too large or garbled
// does not count.
func refusesBatch(err error) bool {
	var refused *batchError
	if errors.As(err, &refused) {
		code, _ := refused.failure.Code.Get()
		return code != oversizedResponse && code != tooBigBatchAnswer
	}
	var status *httpclient.StatusError
	return errors.As(err, &status) && status.Code/100 == 4
}

// batchError reports that a node refuses several requests at once.
type batchError struct{ failure *RPCError }

func (e *batchError) Error() string { return fmt.Sprintf("several requests at once: %v", e.failure) }

func (e *batchError) Unwrap() error { return e.failure }

// batchesUnsupported is the code of a node without batch support. Other nodes use it for too many requests.
//
// Source: paritytech/jsonrpsee, types/src/error.rs.
const batchesUnsupported = -32005

// Refused implements [httpclient.Refusal]. A batch that is too large counts as lack of support for its size.
func (e *batchError) Refused() (code int64, text string) {
	code, text = e.failure.Refused()
	if code == batchesUnsupported {
		code = 0
	}
	if strings.Contains(strings.ToLower(text), "batch") {
		return 0, ""
	}
	return code, text
}
