package vectors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/vectors"
)

var names = vectors.Names{Inputs: "price weight", Wanted: "fee error"}

func TestParse(t *testing.T) {
	cases, err := vectors.Parse("f.txt", "# comment\n\na  price=1 weight=2 -> fee=3\nb price=[\"x=y\"] -> error=overflow\n", names)
	require.NoError(t, err)
	require.Len(t, cases, 2)
	require.Equal(t, "a", cases[0].ID)
	require.Equal(t, "f.txt:3", cases[0].Place)
	require.Equal(t, "f.txt:4", cases[1].Place)
}

func TestParseRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no cases":           {"# nothing\n", `f.txt: no cases`},
		"no arrow":           {"a price=1\n", `f.txt:1: want one arrow: id  inputs -> wanted`},
		"two arrows":         {"a price=1 -> fee=1 -> fee=2\n", `f.txt:1: want one arrow: id  inputs -> wanted`},
		"arrow without room": {"a price=1->fee=1\n", `f.txt:1: want one arrow: id  inputs -> wanted`},
		"no id":              {"\nprice=1 weight=2 -> fee=1\n", `f.txt:2: want an id and at least one input`},
		"id only":            {"a -> fee=1\n", `f.txt:1: want an id and at least one input`},
		"no value":           {"a price= -> fee=1\n", `f.txt:1: inputs: "price=": want name=value`},
		"no equals sign":     {"a price -> fee=1\n", `f.txt:1: inputs: "price": want name=value`},
		"unknown input":      {"a prize=1 -> fee=1\n", `f.txt:1: inputs: unknown name "prize", want one of: price weight`},
		"unknown wanted":     {"a price=1 -> fees=1\n", `f.txt:1: wanted: unknown name "fees", want one of: fee error`},
		"input twice":        {"a price=1 price=1 -> fee=1\n", `f.txt:1: inputs: "price" twice`},
		"nothing wanted":     {"a price=1 -> \n", `f.txt:1: wanted: nothing`},
		"id twice":           {"a price=1 -> fee=1\n\na price=2 -> fee=2\n", `f.txt:3: id "a" is that of line 1`},
		"white space only":   {"a price=1 -> fee=1\n \n", `f.txt:2: want one arrow: id  inputs -> wanted`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := vectors.Parse("f.txt", c.text, names)
			require.EqualError(t, err, c.want)
		})
	}
}
