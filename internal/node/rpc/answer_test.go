package rpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// FuzzMessage reads what a node may send. What is accepted is JSON, is one thing
// alone, and says what encoding/json finds in it; what is refused leaves nothing.
// The seeds are in testdata.
func FuzzMessage(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		messages, batch, err := decodeMessages(text)
		if err != nil {
			var malformed *DecodeError
			require.ErrorAs(t, err, &malformed)
			require.Empty(t, messages)
			return
		}
		list := "[" + text + "]"
		if batch {
			list = text
		}
		var members []map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(list), &members), "accepted %q", text)
		require.Len(t, messages, len(members))
		require.NotEmpty(t, messages)
		for i, m := range messages {
			requireMessage(t, m, members[i])
		}
	})
}

func requireMessage(t *testing.T, m message, members map[string]json.RawMessage) {
	if m.notice != nil {
		requireNotice(t, m, members)
		return
	}
	require.NotEqual(t, m.failure != nil, m.result.Kind() != jsonscan.Absent, "a result and a failure, or neither")
	if m.failure == nil || string(members["result"]) != "null" {
		require.Equal(t, string(members["result"]), m.result.Raw())
	}
	if m.id == "" {
		require.NotNil(t, m.failure, "a result without a question")
		require.Equal(t, "null", string(members["id"]))
		return
	}
	require.Equal(t, string(members["id"]), m.id)
}

func requireNotice(t *testing.T, m message, members map[string]json.RawMessage) {
	require.Equal(t, message{notice: m.notice}, m)
	require.Contains(t, members, "method")
	var params map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(members["params"], &params))
	require.Equal(t, string(params["subscription"]), m.notice.subscription)
	if m.notice.end == nil || string(params["result"]) != "null" {
		require.Equal(t, string(params["result"]), m.notice.result.Raw())
	}
	require.NotEqual(t, m.notice.end != nil, m.notice.result.Kind() != jsonscan.Absent)
}

// TestUnseenNotices: of undelivered notices, the highest head stays, or the error.
func TestUnseenNotices(t *testing.T) {
	head := func(number string) *notice {
		root := `"0x` + strings.Repeat("ab", 32) + `"`
		v, err := jsonscan.Parse(`{"number":"` + number + `","parentHash":` + root + `,"stateRoot":` + root + `,"extrinsicsRoot":` + root + `,"digest":{"logs":[]}}`)
		require.NoError(t, err)
		return &notice{result: v}
	}
	end := &notice{end: &RPCError{Message: "too slow"}}
	for name, c := range map[string]struct {
		notices []*notice
		number  uint64
		err     error
	}{
		"one":                        {[]*notice{head("0x5")}, 5, nil},
		"rising":                     {[]*notice{head("0x5"), head("0x6"), head("0x9")}, 9, nil},
		"falling":                    {[]*notice{head("0x5"), head("0x9"), head("0x6")}, 9, nil},
		"ended":                      {[]*notice{head("0x5"), end}, 0, errEnded},
		"ended, then something else": {[]*notice{end, head("0x5")}, 0, errEnded},
	} {
		t.Run(name, func(t *testing.T) {
			s := &subscription{topic: finalizedHeads, newest: make(chan announcement, 1)}
			for _, n := range c.notices {
				s.take(n)
			}
			a := <-s.newest
			require.ErrorIs(t, a.err, c.err)
			require.Equal(t, c.number, a.header.Number)
		})
	}
}

// Of result and error, null is the same as missing, except for a result without an error: null is then the result.
func TestResultOrError(t *testing.T) {
	const refusal = `{"code":1,"message":"no"}`
	for members, want := range map[string]any{
		`"result":7`:                           "7",
		`"result":7,"error":null`:              "7",
		`"error":null,"result":7`:              "7",
		`"result":null`:                        "null",
		`"result":null,"error":null`:           "null",
		`"error":` + refusal:                   "no",
		`"result":null,"error":` + refusal:     "no",
		`"result":7,"error":` + refusal:        errBoth,
		`"result":false,"error":` + refusal:    errBoth,
		`"error":null`:                         errNeither,
		`"other":1`:                            errNeither,
		`"error":"no"`:                         errNotRefusal,
		`"error":false,"result":7`:             errBoth,
		`"error":false`:                        errNotRefusal,
		`"error":"no","result":null`:           errNotRefusal,
		`"result":7,"error":null,"error":null`: nil, // a duplicate key
	} {
		one, _, err := decodeMessages(`{"jsonrpc":"2.0","id":1,` + members + `}`)
		notice, _, ofNotice := decodeMessages(`{"jsonrpc":"2.0","method":"m","params":{"subscription":"a",` + members + `}}`)
		switch want := want.(type) {
		case nil:
			require.Error(t, err)
		case error:
			require.ErrorIs(t, err, want, members)
			if want == errNeither {
				want = errNotRefusal // a notice without a result is the end of a subscription
			}
			require.ErrorIs(t, ofNotice, want, members)
		case string:
			require.NoError(t, err, members)
			require.NoError(t, ofNotice, members)
			if want == "no" {
				require.Equal(t, want, one[0].failure.Message, members)
				require.Equal(t, want, notice[0].notice.end.Message, members)
				require.Equal(t, jsonscan.Absent, one[0].result.Kind(), members)
				continue
			}
			require.Nil(t, one[0].failure, members)
			require.Equal(t, want, one[0].result.Raw(), members)
			require.Nil(t, notice[0].notice.end, members)
			require.Equal(t, want, notice[0].notice.result.Raw(), members)
		}
	}
}
