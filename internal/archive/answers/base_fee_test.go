package answers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/repository"
)

const baseFeeItem = "BaseFee.BaseFeePerGas"

func withItem(chain.AtBlock[chain.Runtime]) string { return baseFeeItem }

// newStoring returns a chain whose runtime stores its base fee from height 5 on.
func newStoring(last uint64) partial {
	s := partial{chainTo(last, map[uint64]int{0: 1, 5: 2})}
	for n := uint64(5); n <= last; n++ {
		s.synthetic[sidecar.BaseFeePath(baseFeeItem, n)] = fmt.Sprintf(
			`{"at":{"hash":"%s","height":"%d"},"pallet":"baseFee","palletIndex":"23","storageItem":"baseFeePerGas","keys":[],"value":"%d"}`, hashOf(n), n, 1000+n)
	}
	return s
}

// An archive keeps the base fee where the runtime stores it, and answers for it, also when it is served again. One for
// another item, or without any, says so.
func TestBaseFees(t *testing.T) {
	ctx := context.Background()
	gateway := newStoring(23)
	for name, options := range map[string]answers.RecordOptions{
		"plain":    {First: 4, Last: 22, BaseFeeItem: withItem},
		"segments": answers.WithSegments(answers.RecordOptions{First: 4, Last: 22, BaseFeeItem: withItem}, 10),
	} {
		t.Run(name, func(t *testing.T) {
			directory := recordedWith(t, gateway, options)
			a := opened(t, directory)
			client, _ := served(t, a)
			for at := options.First - 1; at <= options.Last; at++ {
				for _, from := range []interface {
					BaseFee(context.Context, string, uint64) (chain.AtBlock[chain.GasPrice], error)
				}{a, client} {
					b, err := from.BaseFee(ctx, baseFeeItem, at)
					if at < 5 {
						require.Error(t, err)
						continue
					}
					require.NoError(t, err)
					require.Equal(t, chain.AtBlock[chain.GasPrice]{At: at, AtHash: b.AtHash, Value: chain.NewGasPrice(1000 + at)}, b)
				}
			}
			_, err := a.BaseFee(ctx, "Other.Item", 9)
			require.ErrorIs(t, err, chain.ErrNotKept)
			require.ErrorContains(t, err, `recorded with the item "BaseFee.BaseFeePerGas", not Other.Item`)
			_, err = client.BaseFee(ctx, "Other.Item", 9)
			require.Error(t, err)

			_, err = answers.Verify(ctx, directory, nil)
			require.NoError(t, err)
			_, err = answers.Record(ctx, gateway, directory, options) // continues, and finds everything
			require.NoError(t, err)
		})
	}
	without := opened(t, recordedWith(t, gateway, answers.RecordOptions{First: 6, Last: 9}))
	_, err := without.BaseFee(ctx, baseFeeItem, 7)
	require.ErrorIs(t, err, chain.ErrNotKept)
}

// A recording without a manifest answers for its base fees.
func TestRecordedBaseFees(t *testing.T) {
	a := opened(t, repository.Shared(t, "pairs", "creditcoin3-87", "gateway"))
	b, err := a.BaseFee(context.Background(), baseFeeItem, 3)
	require.NoError(t, err)
	require.Equal(t, "670241192", b.Value.String())
	client, _ := served(t, a)
	again, err := client.BaseFee(context.Background(), baseFeeItem, 3)
	require.NoError(t, err)
	require.Equal(t, b, again)
	_, err = client.BaseFee(context.Background(), "BaseFee.Elasticity", 3)
	require.Error(t, err)
}
