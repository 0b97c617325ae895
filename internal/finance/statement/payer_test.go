package statement_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/source"
)

// strange is a source with an extrinsic whose fee event contains an account in an unknown
// format.
type strange struct {
	source.Source
	height    uint64
	extrinsic int
	unsigned  bool // nor is it known who sent it
}

func (s *strange) Unwrap() source.Source { return s.Source }

func (s *strange) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := s.Source.Block(ctx, height)
	if err != nil || height != s.height {
		return b, err
	}
	x := &b.Extrinsics[s.extrinsic]
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("transactionPayment", "TransactionFeePaid") {
			e.Data = chain.Values{chain.MalformedValue(errors.New("want an address, have an object")), e.Data.At(1), e.Data.At(2)}
		}
	}
	if s.unsigned {
		x.Signed.Signer = chain.Value{}
	}
	return b, err
}

// A fee with unknown payer is in no statement: it is a finding, and the statements that may lack it have a
// note.
func TestFeeOfAnUnknownPayer(t *testing.T) {
	ctx := context.Background()
	recorded, err := answers.OpenDirectory("../../../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	whole := chain.Heights{First: 24, Last: 26}
	alith, baltathar := address(t, "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"), address(t, "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0")
	for _, c := range []struct {
		unsigned         bool
		alith, baltathar uint64
	}{{false, 1, 0}, {true, 1, 1}} {
		path := filepath.Join(t.TempDir(), "fees.db")
		fill(t, path, &strange{recorded, 25, 6, c.unsigned}, whole)
		book := open(t, path)
		var found []string
		for f, err := range book.Findings(ctx, ledger.Query{Span: whole}) {
			require.NoError(t, err)
			found = append(found, f.String())
		}
		require.Equal(t, []string{"block 25, extrinsic 6: native.payer: unknown payer: " +
			"event transactionPayment.TransactionFeePaid: data[0]: want an address, have an object"}, found)
		for account, want := range map[chain.Address]uint64{alith: c.alith, baltathar: c.baltathar} {
			s := made(t, book, ledgertest.RecordedBalances(t, "moonbeam-2100"), account, whole, false)
			require.True(t, s.Holds(), "the balances lack nothing")
			require.Equal(t, want, s.WithoutPayer)
			const note = "1 transaction with unknown payer: fees of the account may be missing"
			if want > 0 {
				require.Contains(t, s.Notes(console.Token{}), note)
			} else {
				require.NotContains(t, s.Notes(console.Token{}), note)
			}
		}
		before := made(t, book, nil, alith, chain.Heights{First: 24, Last: 24}, false)
		require.Zero(t, before.WithoutPayer)
	}
}
