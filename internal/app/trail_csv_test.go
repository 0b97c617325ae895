package app_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
)

// noPaper refuses everything that is written to it.
type noPaper struct{}

func (noPaper) Write([]byte) (int, error) { return 0, errors.New("out of paper") }

// The csv of a trail has the acts on packages and the edits of the address book, quoted where they need it.
func TestWriteTrail(t *testing.T) {
	digest := ledger.Digest{31: 7}
	acts := []ledger.Act{
		{Number: 1, User: "anna", Kind: ledger.Prepared, Period: "2026-01", Zone: "UTC", Comment: "a, b", Digest: digest},
		{Number: 2, User: "bob", Kind: ledger.Labelled, Account: alith, EntryBefore: `label "A"`, EntryAfter: "", Digest: digest},
	}
	var text strings.Builder
	require.NoError(t, app.WriteTrail(&text, acts))
	zeros := strings.Repeat("0", 64)
	end := zeros[:62] + "07"
	lines := strings.Split(text.String(), "\n")
	require.Equal(t, "number,time,user,act,period,timezone,manifest_sha256,comment,account,entry_before,entry_after,trail_digest", lines[0])
	require.True(t, strings.HasSuffix(lines[1], ",anna,prepared,2026-01,UTC,"+zeros+`,"a, b",,,,`+end), lines[1])
	require.True(t, strings.HasSuffix(lines[2], ",bob,labelled,,,"+zeros+",,"+alith+`,"label ""A""",,`+end), lines[2])
	require.ErrorContains(t, app.WriteTrail(noPaper{}, acts), "out of paper")
}
