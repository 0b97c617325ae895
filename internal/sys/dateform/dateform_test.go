package dateform_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/dateform"
)

// Each form reads 2 January 2026, as it is written beside it.
func TestLayout(t *testing.T) {
	for form, text := range map[string]string{
		"yyyy-mm-dd": "2026-01-02", "dd.mm.yyyy HH:MM": "02.01.2026 00:00", "d/m/yy": "2/1/26", "mmm d, yyyy": "Jan 2 2026", "yyyymmddHHMMSS": "20260102000000", "mm/dd/yyyy hh:MM:SS UTC": "01/02/2026 00:00:00",
	} {
		layout, err := dateform.Layout(form)
		require.NoError(t, err, form)
		at, err := time.Parse(layout, text)
		require.NoError(t, err, form)
		require.Equal(t, "2026-01-02", at.Format(time.DateOnly), form)
	}
	for form, want := range map[string]string{
		"dd.mm.dd":   `"dd.mm.dd" contains the day twice`,
		"dd.mm":      `"dd.mm" lacks the year, month or day. Include yyyy, mm and dd.`,
		"dd|mm|yyyy": `"dd|mm|yyyy" is invalid. Combine yyyy, mm, dd, HH, MM and SS, such as dd.mm.yyyy HH:MM, or use unix, unix-ms or excel.`,
	} {
		_, err := dateform.Layout(form)
		require.EqualError(t, err, want)
	}
}
