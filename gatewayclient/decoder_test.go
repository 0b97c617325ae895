package gatewayclient_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
)

// decoding is a gateway that decodes blocks itself, unless err says why not. Its text is another block.
type decoding struct {
	block *chain.Block
	err   error
	asked []string
}

func (d *decoding) Block(_ context.Context, path string) (*chain.Block, error) {
	d.asked = append(d.asked, path)
	return d.block, d.err
}

func (d *decoding) Get(context.Context, string) (string, error) {
	return `{"number":"8","hash":"0x` + hash8 + `","parentHash":"0x` + hash8 + `","extrinsics":[]}`, nil
}

func (d *decoding) Stream(context.Context, string, io.Writer) (int64, error) { return 0, nil }

const hash8 = "0808080808080808080808080808080808080808080808080808080808080808"

// Blocks that a gateway decodes itself are checked like those from text, which is used only if it does not offer them.
func TestDecoder(t *testing.T) {
	eight, err := chain.ParseHash("0x" + hash8)
	require.NoError(t, err)
	d := &decoding{block: &chain.Block{Number: 7, Hash: chain.Hash{7}}}
	c := gatewayclient.Of(d)
	for _, read := range []func() (*chain.Block, error){
		func() (*chain.Block, error) { return c.Head(t.Context(), false) },
		func() (*chain.Block, error) { return c.Head(t.Context(), true) },
		func() (*chain.Block, error) { return c.Block(t.Context(), 7) },
		func() (*chain.Block, error) { return c.BlockByHash(t.Context(), chain.Hash{7}) },
	} {
		b, err := read()
		require.NoError(t, err)
		require.Same(t, d.block, b)
	}
	require.Equal(t, []string{"/blocks/head", "/blocks/head?finalized=false", "/blocks/7", "/blocks/" + chain.Hash{7}.String()}, d.asked)
	_, err = c.Block(t.Context(), 8)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "block 8: ")
	_, err = c.BlockByHash(t.Context(), eight)
	require.ErrorIs(t, err, chain.ErrWrongBlock)

	d.err = errors.New("the node is gone")
	_, err = c.Block(t.Context(), 8)
	require.ErrorIs(t, err, d.err)

	d.err = chain.ErrNotOffered
	b, err := c.Block(t.Context(), 8)
	require.NoError(t, err)
	require.Equal(t, eight, b.Hash)
	_, err = c.Block(t.Context(), 7)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = c.BlockByHash(t.Context(), chain.Hash{7})
	require.ErrorIs(t, err, chain.ErrWrongBlock)
}
