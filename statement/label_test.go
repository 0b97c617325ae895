package statement_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/statement"
)

const (
	first  = "0x0000000000000000000000000000000000000001"
	second = "0x0000000000000000000000000000000000000002"
)

func TestLabels(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want statement.Labels
		err  string
	}{
		"empty":         {"", statement.Labels{}, ""},
		"two":           {"address,label\n" + first + ",Ours\r\n\n# theirs\n" + second + ", \"Them, Inc.\"", statement.Labels{{19: 1}: "Ours", {19: 2}: "Them, Inc."}, ""},
		"quoted":        {"\ufeffAddress,Label\n" + first + ",\"Them, \"\"Inc.\"\"\"\n", statement.Labels{{19: 1}: `Them, "Inc."`}, ""},
		"twice":         {first + ",a\n" + first + ",a\n", statement.Labels{{19: 1}: "a"}, ""},
		"hostile":       {first + ",=cmd|' /C calc'!A0\u202e\n", statement.Labels{{19: 1}: "=cmd|' /C calc'!A0\u202e"}, ""},
		"all at once":   {"x,y\n" + first + ",a\n" + first + ",b\n" + second + "\n" + second + ",\n" + second + ",\"a\n", nil, "line 1: \"x\" is not an address: want 0x and 40 hex digits\nline 3: 0x0000000000000000000000000000000000000001 is \"a\" in line 2\nline 4: have 1 fields, want address,label\nline 5: the label is empty\nline 6: extraneous or missing \" in quoted-field"},
		"long":          {first + "," + strings.Repeat("x", 201), nil, "line 1: the label has 201 bytes, want at most 200"},
		"no text":       {first + ",\xff", nil, "line 1: the label is no UTF-8"},
		"a line of 1MB": {first + "," + strings.Repeat("x", 1<<20), nil, "bufio.Scanner: token too long"},
	} {
		t.Run(name, func(t *testing.T) {
			labels, err := statement.ReadLabels(strings.NewReader(test.text))
			if test.err != "" {
				require.EqualError(t, err, test.err)
				require.Nil(t, labels)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, labels)
		})
	}
	_, err := statement.ReadLabels(strings.NewReader(strings.Repeat("x,y\n", 1000)))
	require.Equal(t, 101, strings.Count(err.Error(), "\n")+1)
	away := errors.New("away")
	_, err = statement.ReadLabels(iotest.ErrReader(away))
	require.ErrorIs(t, err, away)
}

func FuzzReadLabels(f *testing.F) {
	f.Add("address,label\n" + first + ",Ours\n")
	f.Add(first + ",\"a\n" + second + ",b")
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := statement.ReadLabels(strings.NewReader(text))
		if err != nil {
			require.Nil(t, labels)
			return
		}
		for account, label := range labels {
			require.NotEmpty(t, label)
			require.Contains(t, strings.ToLower(text), strings.ToLower(account.String()))
		}
	})
}
