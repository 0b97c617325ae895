package gatewayclient_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
)

// realParameters responds for the treasury's share as the real gateway does: it accepts a key in hex, but
// cannot map one in JSON, which is an enum.
func realParameters(value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		key, at := query.Get("keys[]"), query.Get("at")
		if r.URL.Path != "/pallets/parameters/storage/parameters" || len(key) < 2 || key[:2] != "0x" {
			said(500, `Cannot map Enum JSON, unable to find 'RuntimeConfig' in mocked, fixed, parameters`)(w, r)
			return
		}
		fmt.Fprintf(w, `{"at":{"hash":%s,"height":%q},"pallet":"parameters","palletIndex":"35","storageItem":"parameters","keys":[%q],"value":%s}`, hash1, at, key, value)
	}
}

func TestFeesTreasuryProportion(t *testing.T) {
	ctx := context.Background()
	for value, want := range map[string]string{
		`{"runtimeConfig":{"feesTreasuryProportion":"333333333"}}`: "333333333",
		`{"RuntimeConfig":{"FeesTreasuryProportion":"0"}}`:         "0",
		`null`: "",
	} {
		p, err := clientOf(t, realParameters(value), gatewayclient.Options{}).FeesTreasuryProportion(ctx, "0x0004", 7)
		require.NoError(t, err)
		require.Equal(t, uint64(7), p.At)
		have, known := p.Value.Get()
		require.Equal(t, want != "", known, value)
		if known {
			require.Equal(t, want, have.String())
		}
	}
	_, err := clientOf(t, realParameters(`"200000000"`), gatewayclient.Options{}).FeesTreasuryProportion(ctx, "0x0004", 7)
	require.ErrorContains(t, err, "FeesTreasuryProportion at block 7: malformed FeesTreasuryProportion: value: want runtimeConfig")
	of8 := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"at":{"height":"8"},"keys":["0x0004"],"value":null}`)
	})
	_, err = clientOf(t, of8, gatewayclient.Options{}).FeesTreasuryProportion(ctx, "0x0004", 7)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
}

// Permanent errors are distinguished from transient ones, and not retried.
func TestCannotTell(t *testing.T) {
	for message, status := range map[string]int{
		`Cannot map Enum JSON, unable to find 'RuntimeConfig' in mocked, fixed, parameters`:                         500,
		`createType(ExtrinsicV4):: findMetaCall: Unable to find Call with index [73, 1]`:                            500,
		`Unable to decode storage parameters.parameters:: Struct: failed on value`:                                  500,
		`This endpoint is not supported by the chain`:                                                               500,
		`Could not find storage item ("nonesuch") in metadata. storage item names are expected to be in camel case`: 500,
		`"parameters" was not recognized as a queryable pallet.`:                                                    400,
	} {
		s := &sequence{steps: []http.HandlerFunc{said(status, message), said(status, message)}}
		_, err := clientOf(t, s, gatewayclient.Options{}).FeesTreasuryProportion(context.Background(), "0x0000", 7)
		require.ErrorIs(t, err, chain.ErrUnsupported, message)
		var refused *httpclient.StatusError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, status, refused.Code)
		require.Equal(t, 1, int(s.asked.Load()), "questions")
	}
	for message, status := range map[string]int{
		"WebSocket is not connected":                       500,
		"No response received from RPC endpoint in 60s":    500,
		"this version is not supported at the moment":      503,
		"Cannot get block hash for abc. Block IDs must be": 400,
	} {
		steps := make([]http.HandlerFunc, 9)
		for i := range steps {
			steps[i] = said(status, message)
		}
		_, err := clientOf(t, &sequence{steps: steps}, gatewayclient.Options{}).FeesTreasuryProportion(context.Background(), "0x0000", 7)
		require.Error(t, err)
		require.NotErrorIs(t, err, chain.ErrUnsupported, message)
	}
}

// A response without content is an error.
func TestNoContent(t *testing.T) {
	c := clientOf(t, status(204, ""), gatewayclient.Options{})
	_, err := c.Multiplier(context.Background(), 7)
	var malformed *sidecar.DecodeError
	require.ErrorAs(t, err, &malformed)
	require.ErrorContains(t, err, "status 204")
}
