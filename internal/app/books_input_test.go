package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
)

// A way of reading a company's record is set field by field, as forms and flags have it.
func TestHowARecordIsRead(t *testing.T) {
	var in app.BooksInput
	for _, x := range []struct {
		field app.Field
		text  string
	}{
		{app.FieldUnit, "wei"}, {app.FieldNegative, "1"}, {app.FieldRowsOnly, "0"}, {app.FieldHeaderRow, "3"}, {app.FieldSkipRows, "4, 7"},
		{app.FieldMap, "fee=Kosten"}, {app.FieldMap, "payer=Von"}, {app.FieldMap, "fee=Fee"}, {app.FieldCutDecimals, "8"},
	} {
		require.NoError(t, in.Set(x.field, x.text), "%v", x.field)
	}
	require.Equal(t, "wei", in.Unit)
	require.True(t, in.Negative)
	require.False(t, in.RowsOnly)
	require.Equal(t, []int{3, 8}, []int{in.HeaderRow, in.CutDecimals})
	require.Equal(t, []int{4, 7}, in.SkipRows)
	require.Equal(t, []string{"payer=Von", "fee=Fee"}, in.Columns, "a column is named once")
	for field, text := range map[app.Field]string{app.FieldHeaderRow: "0", app.FieldSkipRows: "4,x", app.FieldNegative: "perhaps"} {
		var wrong *app.InputError
		require.ErrorAs(t, in.Set(field, text), &wrong, "%v", field)
	}
}
