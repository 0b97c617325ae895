package sidecar_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// A gateway's error in place of a response is quoted.
func TestRefusal(t *testing.T) {
	for text, want := range map[string]string{
		`{"code":500,"message":"createType(Call):: x","stack":"y","level":"error"}`: `the gateway refused with status 500: "createType(Call):: x"`,
		`{"error":"Block not found: 9"}`:                                            `the gateway refused: "Block not found: 9"`,
		` {"code":"404","message":"a\u001b[31mb"}`:                                  `the gateway refused with status 404: "a\x1b[31mb"`,
	} {
		_, ofBlock := sidecar.DecodeBlock(text)
		_, ofMultiplier := sidecar.DecodeMultiplier(text)
		require.EqualError(t, ofBlock, "malformed block: "+want)
		require.EqualError(t, ofMultiplier, "malformed multiplier: "+want)
		require.NotErrorIs(t, ofBlock, chain.ErrUnsupported, "a gateway that says so with status 200 is asked again")
	}
	for _, text := range []string{`{"number":"x","message":"m"}`, `{"at":{},"error":"m"}`, `{"message":1}`, `{"message":"ok"}`, `{"code":7,"message":"ok"}`, `{"code":200,"message":"ok"}`, `{"error":{}}`, `[]`, ``, `{"message":"m"`} {
		require.Nil(t, sidecar.Refusal(text), text)
	}
	require.True(t, sidecar.CannotDecode("createType(SignedBlock):: Struct: failed"))
	require.True(t, sidecar.CannotDecode("findMetaCall: Unable to find Call with index [0, 30]"))
	// https://github.com/paritytech/substrate-api-sidecar/issues/1712
	require.True(t, sidecar.CannotDecode("Extrinsic: GeneralExtrinsic does not have signature implemented"))
	require.False(t, sidecar.CannotDecode("WebSocket is not connected"))
}
