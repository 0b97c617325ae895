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

// mostAtOnce is how many questions one message may have. It is below what nodes allow whose
// operator has set a limit, as far as is known: 100 is a common one.
const mostAtOnce = 64

// Batch is questions that go to the node in one message, whose answers come in one. A node
// that does not take that many at once, or none at all, is asked in smaller batches, in the
// end one by one.
type Batch struct {
	client *Client
	calls  []*call
}

// call is one question of a batch.
type call struct {
	question
	result jsonscan.Value
	err    error
}

// Batch begins a batch, to which questions are added before it is asked.
func (c *Client) Batch() *Batch { return &Batch{client: c} }

// Pending is the answer to a question of a batch, which is there once the batch was asked.
type Pending[T any] struct {
	call *call
	read func(jsonscan.Value) (T, error)
}

// Get is the answer, or why there is none.
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

var errNotAsked = errors.New("the batch was not asked")

// Block adds the question of [Client.Block].
func (b *Batch) Block(hash chain.Hash) Pending[Block] {
	return Pending[Block]{b.add(getBlock, hash), func(v jsonscan.Value) (Block, error) { return decodeBlock(v, chain.Some(hash)) }}
}

// Storage adds the question of [Client.Storage]. It is [ErrNoMethod] of a node that takes
// one key at a time alone.
func (b *Batch) Storage(block chain.Hash, keys ...[]byte) Pending[[][]byte] {
	texts := hexKeys(keys)
	read := func(v jsonscan.Value) ([][]byte, error) { return readChanges(v, block, texts) }
	if b.client.noQueryStorage.Load() {
		return Pending[[][]byte]{&call{err: ErrNoMethod}, read}
	}
	return Pending[[][]byte]{b.add(queryStorage, texts, block), read}
}

// Ask asks all questions. An error is what ended that: the answers that came before it are
// there. What the node refuses of one question alone is that question's.
func (b *Batch) Ask(ctx context.Context) error {
	calls := b.calls
	if b.calls = nil; len(calls) == 0 {
		return nil
	}
	return b.client.askInParts(ctx, calls, len(calls))
}

// askInParts asks questions in messages of at most size, all of which are under way at the
// same time.
func (c *Client) askInParts(ctx context.Context, calls []*call, size int) error {
	if size = min(size, int(c.mostAtOnce.Load())); len(calls) <= size {
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

// askPart asks questions in one message, or in smaller ones where it is refused.
func (c *Client) askPart(ctx context.Context, calls []*call) error {
	err := c.askTogether(ctx, calls)
	if err == nil || len(calls) < 2 || !refusesSize(err) {
		return err
	}
	half := len(calls) / 2
	if refusesBatch(err) && !c.asker.Answered(len(calls)) {
		c.mostAtOnce.Store(min(c.mostAtOnce.Load(), int64(half)))
	}
	return c.askInParts(ctx, calls, half)
}

// askTogether asks questions in one message.
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

// refusesSize tells whether fewer questions may be answered where these were not. What
// passes was waited for; what was not understood, a batch may be to blame for.
func refusesSize(err error) bool {
	switch {
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled):
		return false
	}
	return !httpclient.Passes(err) || httpclient.FailureOf(err) == httpclient.Internal
}

// Codes of a node whose answer would be larger than it may be.
//
// Source: paritytech/jsonrpsee, types/src/error.rs.
const (
	oversizedResponse = -32008
	tooBigBatchAnswer = -32011
)

// refusesBatch tells whether it is so many questions that a node does not take: it will not
// take them later either. Where the answer was too large, or garbled, it may.
func refusesBatch(err error) bool {
	var refused *batchError
	if errors.As(err, &refused) {
		code, _ := refused.failure.Code.Get()
		return code != oversizedResponse && code != tooBigBatchAnswer
	}
	var status *httpclient.StatusError
	return errors.As(err, &status) && status.Code/100 == 4
}

// batchError says that a node refuses several questions at once.
type batchError struct{ failure *RPCError }

func (e *batchError) Error() string { return fmt.Sprintf("several questions at once: %v", e.failure) }

func (e *batchError) Unwrap() error { return e.failure }

// batchesUnsupported is the code of a node that takes no batches. Others mean by it that there
// were too many requests.
//
// Source: paritytech/jsonrpsee, types/src/error.rs.
const batchesUnsupported = -32005

// Refused makes it an [httpclient.Refusal]. That a batch is too large passes for no batch of its size.
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
