package sidecar_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/pairs"
)

func TestDecodeHeader(t *testing.T) {
	for height := 1; height <= 27; height++ {
		name := fmt.Sprint(height) + ".json"
		text, err := os.ReadFile(filepath.Join(recordings, "moonbeam-2100", "headers", name))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		h, err := sidecar.DecodeHeader(string(text))
		require.NoError(t, err)
		text, err = os.ReadFile(filepath.Join(recordings, "moonbeam-2100", "blocks", name))
		require.NoError(t, err)
		b, err := sidecar.DecodeBlock(string(text))
		require.NoError(t, err)
		require.Equal(t, b.Number, h.Number)
		require.Equal(t, b.ParentHash, h.ParentHash)
	}
	for text, want := range map[string]string{
		`{}`:              "malformed header: number: missing",
		`{"number":"25"}`: "malformed header: parentHash: missing",
		`[]`:              "malformed header: want an object, have an array",
	} {
		_, err := sidecar.DecodeHeader(text)
		require.EqualError(t, err, want)
	}
}

func TestDecodeBalance(t *testing.T) {
	// recorded in front of runtime 2100
	const text = `{"at":{"hash":"0x0bd60f707662cd9194b8f962ef421245dfdc957848ff88e8fb4e7f5531223a62","height":"5"},"nonce":"0","tokenSymbol":"GLMR","free":"1009000000001111111101","reserved":"0","miscFrozen":"0","feeFrozen":"0","frozen":"frozen does not exist for this runtime","locks":[]}`
	b, err := sidecar.DecodeBalance(text)
	require.NoError(t, err)
	require.Equal(t, uint64(5), b.At)
	require.Equal(t, "1009000000001111111101", b.Value.Free.String())
	for text, want := range map[string]string{
		`{"at":{"height":1}}`:                           "malformed balance: nonce: missing",
		`{"at":{"height":1,"hash":"0x12"},"nonce":"0"}`: "malformed balance: at.hash: ",
		`{"at":{"height":1},"nonce":"0"}`:               "malformed balance: free: missing",
		`{"at":{"height":1},"nonce":"0","free":"1"}`:    "malformed balance: reserved: missing",
	} {
		_, err := sidecar.DecodeBalance(text)
		require.ErrorContains(t, err, want)
	}
}

func TestDecodeStorage(t *testing.T) {
	s, err := sidecar.DecodeStorage(`{"at":{"height":"1"},"value":null}`, sidecar.StorageItem{})
	require.NoError(t, err)
	require.Equal(t, "null", string(s.Value))
	_, err = sidecar.DecodeStorage(`{"at":{"height":"1"}}`, sidecar.StorageItem{})
	require.EqualError(t, err, "malformed storage: value: missing")
}

// A value must be FeesTreasuryProportion's, and an unset one is unknown.
func TestDecodeProportion(t *testing.T) {
	p, err := sidecar.DecodeProportion(`{"at":{"height":"7"},"value":null}`, "0x0004") // of an old gateway
	require.NoError(t, err)
	require.False(t, p.Value.Known())
	p, err = sidecar.DecodeProportion(`{"at":{"height":"7"},"keys":["0x0004"],"value":{"runtimeConfig":{"feesTreasuryProportion":"333333333"}}}`, "0x0004")
	require.NoError(t, err)
	value, _ := p.Value.Get()
	require.Equal(t, "333333333", value.String())
	for value, want := range map[string]string{
		`{"runtimeConfig":{"feesTreasuryProportion":"1000000001"}}`: "value: ",
		`{"runtimeConfig":{"feesTreasuryProportion":"20%"}}`:        "value: ",
		`{"runtimeConfig":{"relayChainSlotDuration":"200000000"}}`:  "value: want runtimeConfig with feesTreasuryProportion",
		`{"pallet":{"feesTreasuryProportion":"200000000"}}`:         "value: want runtimeConfig with feesTreasuryProportion",
		`["200000000"]`: "value: want runtimeConfig with feesTreasuryProportion",
		`"200000000"`:   "value: want runtimeConfig with feesTreasuryProportion",
	} {
		_, err := sidecar.DecodeProportion(`{"at":{"height":"7"},"keys":["0x0004"],"value":`+value+`}`, "0x0004")
		var malformed *sidecar.DecodeError
		require.ErrorAs(t, err, &malformed, value)
		require.ErrorContains(t, err, "malformed FeesTreasuryProportion: "+want)
	}
	for text, want := range map[string]string{
		`{"at":{"height":"7"},"keys":["0x0003"],"value":null}`: `keys: want ["0x0004"], have ["0x0003"]`,
		`{"at":{"height":"7"},"keys":["0x0004"]}`:              "value: missing",
	} {
		_, err := sidecar.DecodeProportion(text, "0x0004")
		require.ErrorContains(t, err, want)
		require.NotErrorIs(t, err, chain.ErrUnsupported)
	}
}

// A path requests one parameter, by its key.
func TestProportionPath(t *testing.T) {
	require.Equal(t, "/pallets/parameters/storage/parameters?keys%5B%5D=0x0004&at=7", sidecar.ProportionPath("0x0004", 7))
}

// The chain's weight is complete for each class, and belongs to the requested block.
func TestDecodeBlockWeight(t *testing.T) {
	require.Equal(t, "/pallets/system/storage/blockWeight?at=7", sidecar.BlockWeightPath(7))
	const value = `{"normal":{"refTime":"11","proofSize":"1"},"operational":{"refTime":"12","proofSize":"2"},"mandatory":{"refTime":"13","proofSize":"3"}}`
	const hash = "0x1111111111111111111111111111111111111111111111111111111111111111"
	w, err := sidecar.DecodeBlockWeight(`{"at":{"height":"7","hash":"` + hash + `"},"pallet":"system","storageItem":"blockWeight","keys":[],"value":` + value + `}`)
	require.NoError(t, err)
	of := func(refTime, proofSize uint64) chain.Weight {
		return chain.Weight{RefTime: chain.NewRefTime(refTime), ProofSize: proofSize}
	}
	require.Equal(t, chain.ClassWeights{Normal: of(11, 1), Operational: of(12, 2), Mandatory: of(13, 3)}, w.Value)
	at, _ := w.AtHash.Get()
	require.Equal(t, "7 "+hash, fmt.Sprint(w.At, " ", at))
	for text, want := range map[string]string{
		`{"value":` + value + `}`:                   "at.height: missing",
		`{"at":{"height":"7"}}`:                     "value: normal: missing",
		`{"at":{"height":"7"},"value":null}`:        "value: normal: missing",
		`{"at":{"height":"7"},"value":{"normal":1}`: "",
		`[]`: "want an object",
	} {
		_, err := sidecar.DecodeBlockWeight(text)
		var malformed *sidecar.DecodeError
		require.ErrorAs(t, err, &malformed, text)
		require.ErrorContains(t, err, "malformed block weight: "+want)
	}
}

// A client can request less than the server would send, but not more.
func TestMaxBody(t *testing.T) {
	ctx := context.Background()
	require.Equal(t, 10, httpclient.MaxAnswer(ctx, 10))
	require.Equal(t, 5, httpclient.MaxAnswer(httpclient.WithMaxAnswer(ctx, 5), 10))
	require.Equal(t, 10, httpclient.MaxAnswer(httpclient.WithMaxAnswer(ctx, 50), 10))
}

// The real gateway's responses on the real runtime of a chain whose governance set the share.
func TestRecordedProportions(t *testing.T) {
	files, err := filepath.Glob(pairs.Path(t, "datahaven-100", "gateway/parameters/*.json"))
	require.NoError(t, err)
	seen := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := sidecar.DecodeProportion(string(text), "0x0004")
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(p.At)+".json", filepath.Base(file))
		if value, set := p.Value.Get(); set {
			seen[value.String()]++
		} else {
			seen["null"]++
		}
	}
	for _, value := range []string{"null", "0", "1000000000", "333333333"} { // the default of 20 %, 0, 100 and a third
		require.NotZero(t, seen[value], value)
	}
	require.Len(t, seen, 4)
}
