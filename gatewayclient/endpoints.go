package gatewayclient

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

// HeadHeader is the header of the newest block that is final, or of the newest of
// all if unfinalized.
func (c *Client) HeadHeader(ctx context.Context, unfinalized bool) (chain.Header, error) {
	path := "/blocks/head/header"
	if unfinalized {
		path += "?finalized=false"
	}
	h, err := read(ctx, c, path, sidecar.DecodeHeader)
	if err != nil {
		err = fmt.Errorf("head's header: %w", err)
	}
	return h, err
}

// Header is the header of the block at a height.
func (c *Client) Header(ctx context.Context, height uint64) (chain.Header, error) {
	h, err := read(ctx, c, fmt.Sprintf("/blocks/%d/header", height), func(text string) (chain.Header, error) {
		h, err := sidecar.DecodeHeader(text)
		if err == nil && h.Number != height {
			err = fmt.Errorf("%w: it is of block %d", chain.ErrWrongBlock, h.Number)
		}
		return h, err
	})
	if err != nil {
		return chain.Header{}, fmt.Errorf("header of block %d: %w", height, err)
	}
	return h, nil
}

// Balance is the balance of an account at a height, or at the head where none is
// given.
func (c *Client) Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (none chain.AtBlock[chain.Account], err error) {
	// The gateway refuses an address in mixed case whose checksum it does not
	// agree with; it takes one in lower case.
	b, err := read(ctx, c, fmt.Sprintf("/accounts/0x%x/balance-info%s", account[:], atHeight(at, '?')), func(text string) (chain.AtBlock[chain.Account], error) {
		b, err := sidecar.DecodeBalance(text)
		return b, cmp.Or(err, checkAt(at, b.At))
	})
	if err != nil {
		return none, fmt.Errorf("balance of %v: %w", account, err)
	}
	return b, nil
}

// nameForm is what pallets and storage items are called. Other names would change
// the meaning of the path.
var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// Storage is a storage item, such as "transaction-payment" and
// "nextFeeMultiplier", with the keys of a map, at a height or at the head where
// none is given.
func (c *Client) Storage(ctx context.Context, pallet, item string, keys []string, at chain.Optional[uint64]) (none chain.AtBlock[chain.Value], err error) {
	where := fmt.Sprintf("storage %s.%s", jsonscan.Excerpt(pallet), jsonscan.Excerpt(item))
	if !nameForm.MatchString(pallet) || !nameForm.MatchString(item) {
		return none, fmt.Errorf("%s: want names of letters, digits and hyphens", where)
	}
	path := fmt.Sprintf("/pallets/%s/storage/%s?", pallet, item)
	for _, key := range keys {
		path += "keys%5B%5D=" + url.QueryEscape(key) + "&"
	}
	s, err := read(ctx, c, path+atHeight(at, 0), func(text string) (chain.AtBlock[chain.Value], error) {
		s, err := sidecar.DecodeStorage(text)
		return s, cmp.Or(err, checkAt(at, s.At))
	})
	if err != nil {
		return none, fmt.Errorf("%s: %w", where, err)
	}
	return s, nil
}

// BlockWeight is what the chain counted for the block at a height, by class: the item
// system.blockWeight as that block left it.
func (c *Client) BlockWeight(ctx context.Context, at uint64) (none chain.AtBlock[chain.ClassWeights], err error) {
	w, err := read(ctx, c, sidecar.BlockWeightPath(at), func(text string) (chain.AtBlock[chain.ClassWeights], error) {
		w, err := sidecar.DecodeBlockWeight(text)
		return w, cmp.Or(err, checkAt(chain.Some(at), w.At))
	})
	if err != nil {
		return none, fmt.Errorf("block weight at block %d: %w", at, err)
	}
	return w, nil
}

// Extrinsics are [chain.ErrNotOffered]: a gateway has them decoded alone.
func (c *Client) Extrinsics(context.Context, chain.Hash) ([][]byte, error) {
	return nil, fmt.Errorf("encoded extrinsics: %w", chain.ErrNotOffered)
}

func atHeight(at chain.Optional[uint64], before byte) string {
	height, given := at.Get()
	if !given {
		return ""
	}
	query := "at=" + strconv.FormatUint(height, 10)
	if before != 0 {
		query = string(before) + query
	}
	return query
}

// checkAt refuses an answer for another height than was asked for.
func checkAt(want chain.Optional[uint64], have uint64) error {
	if height, given := want.Get(); given && have != height {
		return fmt.Errorf("asked at block %d: %w: it is at block %d", height, chain.ErrWrongBlock, have)
	}
	return nil
}

// Metadata copies the runtime's metadata, JSON of some hundred kilobytes to some
// megabytes, to w as it comes, and returns how many bytes there were. It is not
// looked into, and not asked for again once it has begun.
func (c *Client) Metadata(ctx context.Context, w io.Writer) (int64, error) {
	n, err := c.gateway.Stream(ctx, "/runtime/metadata", w)
	if err != nil {
		return n, fmt.Errorf("runtime metadata: %w", err)
	}
	return n, nil
}
