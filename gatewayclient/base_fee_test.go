package gatewayclient_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
)

// A base fee must be of the height and of the item that were asked for.
func TestBaseFee(t *testing.T) {
	ctx := context.Background()
	answering := func(height, item, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RequestURI() != "/pallets/baseFee/storage/baseFeePerGas?at=7" {
				said(500, "another path")(w, r)
				return
			}
			fmt.Fprintf(w, `{"at":{"hash":%s,"height":%q},"pallet":"baseFee","palletIndex":"23","storageItem":%q,"keys":[],"value":%s}`, hash1, height, item, value)
		}
	}
	b, err := clientOf(t, answering("7", "baseFeePerGas", `"670241192"`), gatewayclient.Options{}).BaseFee(ctx, "BaseFee.BaseFeePerGas", 7)
	require.NoError(t, err)
	require.Equal(t, chain.NewGasPrice(670_241_192), b.Value)
	for what, c := range map[string]struct {
		handler http.HandlerFunc
		item    string
		want    string
	}{
		"another height": {answering("8", "baseFeePerGas", `"1"`), "BaseFee.BaseFeePerGas", "base fee at block 7: "},
		"another item":   {answering("7", "elasticity", `"1"`), "BaseFee.BaseFeePerGas", "storageItem: want baseFeePerGas, have \"elasticity\""},
		"no value":       {answering("7", "baseFeePerGas", `null`), "BaseFee.BaseFeePerGas", "value: "},
		"a path":         {answering("7", "baseFeePerGas", `"1"`), "BaseFee/x.BaseFeePerGas", "want a name such as BaseFee.BaseFeePerGas"},
		"no pallet":      {answering("7", "baseFeePerGas", `"1"`), "BaseFeePerGas", "want a name such as"},
	} {
		_, err := clientOf(t, c.handler, gatewayclient.Options{}).BaseFee(ctx, c.item, 7)
		require.ErrorContains(t, err, c.want, what)
	}
}
