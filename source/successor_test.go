package source_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Each recorded block costs the same to the wei, and is the same by all comparisons, when
// Sidecar's successor answers for it.
func TestSuccessorPricesTheSame(t *testing.T) {
	directories := []string{directory, "../testdata/recordings/moonbeam-1701"}
	for _, name := range []string{"moonbeam-1701", "moonbeam-2100", "moonbeam-2600", "datahaven-100", "vflow-2000"} {
		directories = append(directories, pairs.Path(t, name, "gateway"))
	}
	for _, place := range directories {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(gatewaytest.Successor(gatewaytest.Handler(place)))
			t.Cleanup(server.Close)
			priced := 0
			want, have := itemsOf(t, place, place), itemsOf(t, server.URL, place)
			require.Equal(t, len(want), len(have))
			for i := range want {
				require.Empty(t, sidecar.Compare(want[i].Block, have[i].Block))
				require.Equal(t, want[i].Multiplier, have[i].Multiplier)
				require.Equal(t, want[i].Rules, have[i].Rules)
				a := fee.Price(want[i].Block, &want[i].Rules, want[i].Multiplier)
				b := fee.Price(have[i].Block, &have[i].Rules, have[i].Multiplier)
				require.Equal(t, a, b, "block %d", want[i].Block.Number)
				priced += len(a.Transactions)
			}
			require.Positive(t, priced)
		})
	}
}

// itemsOf reads the blocks of a directory from a place.
func itemsOf(t *testing.T, place, of string) (items []source.Item) {
	src, err := source.Open(place, source.Options{Options: gatewayclient.Options{RetryWait: time.Millisecond}})
	require.NoError(t, err)
	kept, err := source.Open(of, source.Options{})
	require.NoError(t, err)
	heights, err := source.Kept(kept)
	require.NoError(t, err)
	all, _ := heights.Get()
	reader := source.Reader{Source: src, Tables: network.BuiltIn()}
	for height := max(all.First, 1); height <= all.Last; height++ {
		item, err := reader.Read(context.Background(), source.Height(height))
		require.NoError(t, err, "block %d", height)
		items = append(items, item)
	}
	return items
}

// A block without extrinsics is asked for again, and refused when it stays so.
func TestSuccessorWithoutExtrinsics(t *testing.T) {
	for name, c := range map[string]struct {
		empty int
		works bool
	}{"passes": {2, true}, "stays": {100, false}} {
		t.Run(name, func(t *testing.T) {
			well := gatewaytest.Successor(gatewaytest.Handler(directory))
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				well.ServeHTTP(answer, r)
				text := answer.Body.String()
				if r.URL.Path == "/v1/blocks/25" {
					if asked++; asked <= c.empty {
						text = text[:strings.Index(text, `"extrinsics":[`)] + `"extrinsics":[]` + text[strings.Index(text, `,"extrinsicsRoot"`):]
					}
				}
				w.WriteHeader(answer.Code)
				w.Write([]byte(text))
			}))
			t.Cleanup(server.Close)
			src, err := source.Open(server.URL, source.Options{Options: gatewayclient.Options{RetryWait: time.Millisecond}})
			require.NoError(t, err)
			b, err := src.Block(context.Background(), 25)
			if c.works {
				require.NoError(t, err)
				require.Len(t, b.Extrinsics, 9)
				return
			}
			require.ErrorContains(t, err, "block 25: the block has no extrinsics, not even an inherent")
			require.Less(t, asked, 10)
		})
	}
}
