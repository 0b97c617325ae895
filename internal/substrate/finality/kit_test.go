package finality_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/test/finalitytest"
	"github.com/feeledger/fees/internal/test/repository"
)

// shared returns a file of public data, which may not be committed.
func shared(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(repository.Shared(t, "finality", name))
	require.NoError(t, err)
	return string(text)
}

func text(t testing.TB, e any) string {
	t.Helper()
	b, err := json.Marshal(e)
	require.NoError(t, err)
	return string(b)
}

// prove parses and proves evidence.
func prove(text string, o finality.Options) (finality.Result, error) {
	e, err := finality.Parse(text)
	if err != nil {
		return finality.Result{}, err
	}
	return e.Prove(context.Background(), o)
}

func requireFinal(t testing.TB, e *finalitytest.Evidence) finality.Result {
	t.Helper()
	r, err := prove(text(t, e), finality.Options{})
	require.NoError(t, err)
	require.True(t, r.Final)
	return r
}
