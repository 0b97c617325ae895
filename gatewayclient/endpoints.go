package gatewayclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

// HeadHeader returns the header of the newest finalized block, or of the newest block if unfinalized.
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

// Header returns the header of the block at a height.
func (c *Client) Header(ctx context.Context, height uint64) (chain.Header, error) {
	h, err := read(ctx, c, fmt.Sprintf("/blocks/%d/header", height), func(text string) (chain.Header, error) {
		h, err := sidecar.DecodeHeader(text)
		if err == nil && h.Number != height {
			err = fmt.Errorf("%w: it is for block %d", chain.ErrWrongBlock, h.Number)
		}
		return h, err
	})
	if err != nil {
		return chain.Header{}, fmt.Errorf("header of block %d: %w", height, err)
	}
	return h, nil
}

// Balance returns the balance of an account at a height, or at the head if at is unknown.
func (c *Client) Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (none chain.AtBlock[chain.Account], err error) {
	// The gateway rejects a mixed-case address whose checksum it computes differently; it accepts lower case.
	b, err := read(ctx, c, fmt.Sprintf("/accounts/%s/balance-info%s", account.Plain(), atHeight(at, '?')), func(text string) (chain.AtBlock[chain.Account], error) {
		b, err := sidecar.DecodeBalance(text)
		return b, cmp.Or(err, checkAt(at, b.At))
	})
	if err != nil {
		return none, fmt.Errorf("balance of %v: %w", account, err)
	}
	return b, nil
}

// nameForm is the form of names of pallets and storage items. Other names would change the meaning of the
// path.
var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// Storage returns a storage item, such as "transaction-payment" and "nextFeeMultiplier", with the keys of a
// map, as JSON. It reads the state at a height, or at the head if at is unknown.
func (c *Client) Storage(ctx context.Context, pallet, item string, keys []string, at chain.Optional[uint64]) (none chain.AtBlock[json.RawMessage], err error) {
	where := fmt.Sprintf("storage %s.%s", jsonscan.Excerpt(pallet), jsonscan.Excerpt(item))
	if !nameForm.MatchString(pallet) || !nameForm.MatchString(item) {
		return none, fmt.Errorf("%s: want names of letters, digits and hyphens", where)
	}
	path := fmt.Sprintf("/pallets/%s/storage/%s?", pallet, item)
	for _, key := range keys {
		path += "keys%5B%5D=" + url.QueryEscape(key) + "&"
	}
	s, err := read(ctx, c, path+atHeight(at, 0), func(text string) (chain.AtBlock[json.RawMessage], error) {
		s, err := sidecar.DecodeStorage(text, sidecar.StorageItem{Pallet: pallet, Name: item, Keys: keys})
		return s, cmp.Or(err, checkAt(at, s.At))
	})
	if err != nil {
		return none, fmt.Errorf("%s: %w", where, err)
	}
	return s, nil
}

// BlockWeight returns the weight that the chain counted for the block at a height, by class: the item
// system.blockWeight after that block.
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

// checkAt rejects a response for a different height than the one requested.
func checkAt(want chain.Optional[uint64], have uint64) error {
	if height, given := want.Get(); given && have != height {
		return fmt.Errorf("asked at block %d: %w: it is for block %d", height, chain.ErrWrongBlock, have)
	}
	return nil
}

// Metadata copies the runtime's metadata to w as it arrives, and returns the number of bytes. It is JSON of
// some hundred kilobytes to some megabytes. Metadata does not inspect it, and does not retry once data has
// arrived.
func (c *Client) Metadata(ctx context.Context, w io.Writer) (int64, error) {
	n, err := c.gateway.Stream(ctx, "/runtime/metadata", w)
	if err != nil {
		return n, fmt.Errorf("runtime metadata: %w", err)
	}
	return n, nil
}
