package source

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

const maxHeight = math.MaxUint32 // the chain's heights are u32

var (
	errRangeForm = errors.New("want A..B, both included, or A:+N for N blocks from A, such as 100..199 or 100:+100")
	errReversed  = errors.New("the range ends before it starts; write the lower height first")
	errNoBlocks  = errors.New("want 1 block or more")
	errTooHigh   = fmt.Errorf("heights go from 0 to %d", uint64(maxHeight))
)

// ParseRange parses "A..B", the blocks from A to B, or "A:+N", N blocks from A.
func ParseRange(text string) (chain.Heights, error) {
	r, err := parseRange(text)
	if err != nil {
		return chain.Heights{}, fmt.Errorf("range %q: %w", text, err)
	}
	return r, nil
}

func parseRange(text string) (chain.Heights, error) {
	if first, last, ok := strings.Cut(text, ".."); ok {
		return parseBounds(first, last)
	}
	if first, count, ok := strings.Cut(text, ":+"); ok {
		return parseCount(first, count)
	}
	return chain.Heights{}, errRangeForm
}

func parseBounds(first, last string) (r chain.Heights, err error) {
	if r.First, err = parseNumber(first); err != nil {
		return r, err
	}
	if r.Last, err = parseNumber(last); err != nil {
		return r, err
	}
	return r, check(r)
}

func parseCount(first, count string) (chain.Heights, error) {
	from, err := parseNumber(first)
	if err != nil {
		return chain.Heights{}, err
	}
	n, err := parseNumber(count)
	switch {
	case err != nil:
		return chain.Heights{}, err
	case n == 0:
		return chain.Heights{}, errNoBlocks
	}
	// Each fits 64 bits, but their sum may not.
	if from > maxHeight || n-1 > maxHeight-from {
		return chain.Heights{}, errTooHigh
	}
	return chain.Heights{First: from, Last: from + n - 1}, nil
}

func parseNumber(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, errTooHigh
	case err != nil:
		return 0, errRangeForm
	}
	return n, nil
}

func check(r chain.Heights) error {
	switch {
	case r.First > r.Last:
		return errReversed
	case r.Last > maxHeight:
		return errTooHigh
	}
	return nil
}
