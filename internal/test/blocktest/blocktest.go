// Package blocktest makes parts of blocks from Sidecar's JSON, with the decoder of gateways' blocks.
package blocktest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Block decodes a block of extrinsics, each in JSON.
func Block(t testing.TB, extrinsics ...string) *chain.Block {
	t.Helper()
	return decoded(t, `"extrinsics":[`+strings.Join(extrinsics, ",")+`]`)
}

const zeros = "0x0000000000000000000000000000000000000000000000000000000000000000"

// Text returns a block in JSON from its parts, such as `"extrinsics":[]`.
func Text(parts string) string {
	return `{"number":"7","hash":"` + zeros + `","parentHash":"` + zeros + `",` + parts + `}`
}

func decoded(t testing.TB, parts string) *chain.Block {
	t.Helper()
	b, err := sidecar.DecodeBlock(Text(parts))
	require.NoError(t, err, parts)
	return b
}

// Event decodes an event from its name, such as "balances.Deposit", and its data.
func Event(t testing.TB, name, data string) chain.Event {
	t.Helper()
	return decoded(t, `"onInitialize":{"events":[`+EventText(name, data)+`]},"extrinsics":[]`).OnInitialize[0]
}

// EventText returns an event in JSON.
func EventText(name, data string) string {
	pallet, method, _ := strings.Cut(name, ".")
	names, _ := json.Marshal(map[string]string{"pallet": pallet, "method": method}) // never fails for strings
	return fmt.Sprintf(`{"method":%s,"data":%s}`, names, data)
}

// Extrinsic decodes an extrinsic from its call, such as "balances.transfer", and the arguments. Parts are further
// members with their values, such as `"nonce":"1"`; without a signature it is unsigned.
func Extrinsic(t testing.TB, call, args string, parts ...string) chain.Extrinsic {
	t.Helper()
	return Block(t, ExtrinsicText(call, args, parts...)).Extrinsics[0]
}

// ExtrinsicText returns an extrinsic in JSON.
func ExtrinsicText(call, args string, parts ...string) string {
	pallet, method, _ := strings.Cut(call, ".")
	all := strings.Join(append(parts, `"args":`+args), ",")
	for _, part := range []struct{ name, missing string }{{"signature", "null"}, {"hash", `"` + zeros + `"`}, {"events", "[]"}} {
		if !strings.HasPrefix(all, `"`+part.name+`":`) && !strings.Contains(all, `,"`+part.name+`":`) {
			all += fmt.Sprintf(`,%q:%s`, part.name, part.missing)
		}
	}
	return fmt.Sprintf(`{"method":{"pallet":%q,"method":%q},%s}`, pallet, method, all)
}

// Signed returns the member of an extrinsic that a signer signed.
func Signed(signer string) string {
	return `"signature":{"signature":"0x00","signer":"` + signer + `"}`
}

// Payload decodes the arguments of an ethereum.transact extrinsic.
func Payload(t testing.TB, args string) *chain.Payload {
	t.Helper()
	p, err := sidecar.DecodePayload(args)
	require.NoError(t, err, args)
	return p
}

// Data are the data of events as a source reported them, by their lists.
type Data map[chain.EventList][]string

// Text returns nothing.
func (Data) Text() (string, error) { return "", nil }

// EventData returns the data of an event.
func (d Data) EventData(list chain.EventList, event int) (string, error) {
	if event >= len(d[list]) {
		return "", nil
	}
	return d[list][event], nil
}

// JSON returns the JSON value of a text.
func JSON(t testing.TB, text string) jsonscan.Value {
	t.Helper()
	v, err := jsonscan.Parse(text)
	require.NoError(t, err, "the case is no JSON")
	return v
}

// RequireMessage requires an error with one of two messages, or none if both are empty. The error of the first is
// [chain.ErrMissing], that of the second is not.
func RequireMessage(t testing.TB, err error, missing, fail string) {
	t.Helper()
	switch {
	case missing != "":
		require.EqualError(t, err, missing)
		require.ErrorIs(t, err, chain.ErrMissing)
	case fail != "":
		require.EqualError(t, err, fail)
		require.NotErrorIs(t, err, chain.ErrMissing)
	default:
		require.NoError(t, err)
	}
}

// RequireSame requires two blocks to be equal, also in the text that their sources reported, whether they were decoded
// from JSON or from SCALE. It forgets in which assets fees are paid, which only SCALE states.
func RequireSame(t testing.TB, want, have *chain.Block) {
	t.Helper()
	text, err := want.Reported.Text()
	require.NoError(t, err)
	same, err := have.Reported.Text()
	require.NoError(t, err)
	require.Equal(t, text, same)
	for i := range have.Extrinsics {
		if s := have.Extrinsics[i].Signed; s != nil {
			s.Asset = chain.Optional[string]{}
		}
	}
	a, b := *want, *have
	a.Reported, a.Size, a.Encoded = nil, 0, nil // of the text, or of the node's data
	b.Reported, b.Size, b.Encoded = nil, 0, nil
	require.Equal(t, fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
}
