package gateway_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/test/pairs"
)

// The texts and statuses with which Sidecar refuses, and the kind of each error.
func TestRefusals(t *testing.T) {
	n := makeChain(t, 51)
	g := n.gateway(t)
	const noBlock = "Unable to retrieve header and parent from supplied hash"
	const larger = "Specified block number is larger than the current largest block. The largest known block number is 51."
	for question, c := range map[string]struct {
		status  int
		message string
		meaning error
	}{
		"/blocks/52":       {500, noBlock, chain.ErrNoBlock},
		"/blocks/99999999": {500, noBlock, chain.ErrNoBlock},
		"/blocks/0x1212121212121212121212121212121212121212121212121212121212121212": {500, noBlock, chain.ErrNoBlock},
		"/runtime/spec?at=99999999": {500, noBlock, chain.ErrNoBlock},
		"/pallets/transaction-payment/storage/nextFeeMultiplier?at=99999999":      {500, noBlock, chain.ErrNoBlock},
		"/accounts/0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac/balance-info?at=99": {500, noBlock, chain.ErrNoBlock},
		"/blocks/123456789012345678901234567890":                                  {400, larger, chain.ErrNoBlock},
		"/blocks/4294967296":                                                      {400, larger, chain.ErrNoBlock},
		"/pallets/transaction-payment/storage/nextFeeMultiplier?at=abc":           {400, "Cannot get block hash for abc. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", chain.ErrUnsupported},
		"/blocks/1.5":           {400, "Cannot get block hash for 1.5. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", chain.ErrUnsupported},
		"/blocks/-1":            {400, "Cannot get block hash for -1. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", chain.ErrUnsupported},
		"/blocks/0xzz":          {400, "Cannot get block hash for 0xzz. Hex string block IDs must be a valid hex string and must be 32-bytes (66-characters) in length.", chain.ErrUnsupported},
		"/blocks/0x1234/header": {400, "Cannot get block hash for 0x1234. Hex string block IDs must be 32-bytes (66-characters) in length.", chain.ErrUnsupported},
		"/accounts/5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY/balance-info": {400, "Invalid address format: want 0x and 40 hex digits", chain.ErrUnsupported},
		"/accounts/0x1234/balance-info":                                           {400, "Invalid address format", chain.ErrUnsupported},
		"/accounts/0xF24FF3a9CF04c71Dbc94D0b566f7A27B94566cac/balance-info":       {400, "Invalid address format", chain.ErrUnsupported},
		"/pallets/base-fee/storage/baseFeePerGas":                                 {400, `"baseFee" was not recognized as a queryable pallet.`, chain.ErrUnsupported},
		"/pallets/nonesuch/storage/x":                                             {400, `"nonesuch" was not recognized as a queryable pallet.`, chain.ErrUnsupported},
		"/pallets/transaction-payment/storage/nonesuch":                           {500, `Could not find storage item ("nonesuch") in metadata. storage item names are expected to be in camel case, e.g. 'storageItemId'`, chain.ErrUnsupported},
		// Sidecar was asked these before the recorded nodes, and said the same before each.
		"/blocks/3?eventDocs=yes":                 {400, "Query parameter: eventDocs has an invalid boolean value of yes", chain.ErrUnsupported},
		"/blocks/3?eventDocs=&extrinsicDocs=1":    {400, "Query parameter: extrinsicDocs has an invalid boolean value of 1", chain.ErrUnsupported},
		"/blocks/3/header?finalized=1":            {400, "Query parameter: finalized has an invalid boolean value of 1", chain.ErrUnsupported},
		"/blocks/3?eventDocs=true&eventDocs=true": {400, "Query parameter: eventDocs has an invalid boolean value of true,true", chain.ErrUnsupported},
		"/runtime/metadata?at=99":                 {500, noBlock, chain.ErrNoBlock},
		"/runtime/metadata?at=abc":                {400, "Cannot get block hash for abc. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", chain.ErrUnsupported},
		"/runtime/metadata/v14":                   {404, "Cannot GET /runtime/metadata/v14", chain.ErrNotOffered},
		"/runtime/metadata/versions":              {404, "Cannot GET /runtime/metadata/versions", chain.ErrNotOffered},
		"/nonesuch":                               {404, "Cannot GET /nonesuch", chain.ErrNotOffered},
		"/blocks/1/nonesuch":                      {404, "Cannot GET /blocks/1/nonesuch", chain.ErrNotOffered},
		"no path":                                 {404, "Cannot GET no path", chain.ErrNotOffered},
	} {
		_, err := g.Get(t.Context(), question)
		requireRefused(t, question, err, c.status, c.message)
		require.ErrorIs(t, err, c.meaning, question)
	}
	var text strings.Builder
	_, err := g.Stream(t.Context(), "/blocks/52", &text)
	require.ErrorIs(t, err, chain.ErrNoBlock)
	written, err := g.Stream(t.Context(), "/blocks/5", &text)
	require.NoError(t, err)
	require.Equal(t, n.wanted(t, 5), text.String())
	require.EqualValues(t, text.Len(), written)
}

func requireRefused(t *testing.T, question string, err error, status int, message string) {
	t.Helper()
	var refused *render.RefusedError
	require.True(t, errors.As(err, &refused), "%s: %v", question, err)
	require.Equal(t, message, refused.Message, question)
	require.Equal(t, status, refused.Status, question)
}

// notMade are the questions of the recording that have no answer here, or not in Sidecar's
// words: the paths that nothing of this program asks for.
var notMade = []string{"/node/network", "/nothing"}

// Other answers and errors of the real gateway, as they were recorded: the same bytes, or the
// same refusal.
func TestOtherAnswers(t *testing.T) {
	dir := pairs.Path(t, "moonbeam-2600", "gateway", "more")
	file, err := os.Open(filepath.Join(dir, "index.tsv"))
	require.NoError(t, err)
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	rows, err := reader.ReadAll()
	require.NoError(t, err)
	g, _ := served(t, "moonbeam-2600", "http")
	compared := 0
	for _, row := range rows {
		number, question, status := row[0], row[1], row[2]
		if question == "/" || containsAny(question, notMade) {
			continue
		}
		want, err := os.ReadFile(filepath.Join(dir, number+".body"))
		require.NoError(t, err)
		have, err := g.Get(t.Context(), question)
		compared++
		if status == "200" {
			require.NoError(t, err, question)
			require.Equal(t, string(want), have, question)
			continue
		}
		var said struct {
			Code    int
			Message string
		}
		require.NoError(t, json.Unmarshal(want, &said))
		requireRefused(t, question, err, said.Code, said.Message)
	}
	require.Equal(t, 33, compared)
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
