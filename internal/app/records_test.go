package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
)

// Records are those of the period's blocks, in the order of their heights, each with its digest.
func TestRecordsOfAPeriod(t *testing.T) {
	d := opened(t, copied(t))
	var out bytes.Buffer
	require.NoError(t, d.WriteRecords(t.Context(), &out, app.Heights(0, 27)))
	height := uint64(0)
	for in := json.NewDecoder(&out); in.More(); height++ {
		var line struct {
			Block  uint64  `json:"block"`
			Time   *string `json:"time"`
			Digest string  `json:"digest"`
			Record string  `json:"record"`
		}
		require.NoError(t, in.Decode(&line))
		require.Equal(t, height, line.Block)
		require.Equal(t, height == 0, line.Time == nil)
		record, err := hex.DecodeString(line.Record)
		require.NoError(t, err)
		digest := sha256.Sum256(record)
		require.Equal(t, hex.EncodeToString(digest[:]), line.Digest)
	}
	require.EqualValues(t, 28, height)

	january, err := app.PeriodInput{Month: "2026-01", Partial: true}.Parse()
	require.NoError(t, err)
	require.NoError(t, d.WriteRecords(t.Context(), &out, january))
	require.Equal(t, 26, bytes.Count(out.Bytes(), []byte("\n")), "block 1 is of another month")

	var missing *app.NotHeldError
	require.ErrorAs(t, d.WriteRecords(t.Context(), &out, app.Heights(20, 40)), &missing)
	full := errors.New("the disk is full")
	require.ErrorIs(t, d.WriteRecords(t.Context(), brokenWriter{full}, app.Heights(1, 27)), full)
}

// brokenWriter fails.
type brokenWriter struct{ error }

func (f brokenWriter) Write([]byte) (int, error) { return 0, f.error }
