package grandpa_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/test/repository"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return b
}

// shared reads a file of public data, which may not be committed.
func shared(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(repository.Shared(t, "finality", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// step is a header with its justification, as the files have them.
type step struct{ Header, Justification string }

// evidence is a file's chain of evidence.
type evidence struct {
	Root struct {
		SetID                            string
		AuthoritiesFromScheduledChangeOf string
	}
	Steps []step
	Relay struct {
		step
		Ancestors []string
	}
	WarpSyncProof string
}

// root returns the trusted set of a file.
func (e *evidence) root(t testing.TB) *grandpa.Set {
	t.Helper()
	set, err := grandpa.SetFromHeader(number(t, e.Root.SetID), readHeader(t, e.Root.AuthoritiesFromScheduledChangeOf))
	require.NoError(t, err)
	return set
}

func number(t testing.TB, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

func readHeader(t testing.TB, text string) *header.Header {
	t.Helper()
	h, err := header.Read(unhex(t, text))
	require.NoError(t, err)
	return &h
}

func readJustification(t testing.TB, text string) *grandpa.Justification {
	t.Helper()
	j, err := grandpa.ReadJustification(unhex(t, text))
	require.NoError(t, err)
	return j
}
