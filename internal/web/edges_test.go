package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// A period at an edge of time is answered, or rejected with the reason; no link leads beyond the edges.
func TestEdgesOfTime(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	paths := []string{"/fees", "/fees.csv", "/transactions", "/findings", "/account/" + alith + "/statement", "/account/" + alith + "/rollforward", "/accounts/rollforward", "/deposits", "/deposits.csv", "/overview", "/reconcile", "/api/v1/report", "/api/v1/transactions", "/api/v1/findings"}
	beyond := []string{"9999", "9999-12", "2026-01-01..9999-12-31", "9999-12-31..9999-12-31", "0000", "0000-01", "0001", "1969", "1969-12", "0001-01-01..9999-12-31"}
	within := []string{"1970", "1970-01", "9998", "9999-11", "1970-01-01..9999-12-30", "0..4294967295", "4294967295..4294967295"}
	for _, path := range paths {
		for _, zone := range []string{"", "America/New_York", "Pacific/Kiritimati"} {
			for i, period := range append(beyond, within...) {
				a := get(t, s, path+"?"+url.Values{"period": {period}, "zone": {zone}}.Encode(), nil)
				where := path + " " + period + " " + zone
				require.Less(t, a.status, 500, where)
				require.NotContains(t, a.text, "milliseconds", where)
				if refuses := path != "/overview" && path != "/reconcile"; refuses && zone == "" && i < len(beyond) {
					require.Equal(t, http.StatusBadRequest, a.status, where)
					require.Regexp(t, `begins before (1 Jan )?1970|ends after (31 Dec )?9999`, a.text, where)
				}
			}
		}
	}
	for period, want := range map[string][]string{
		"1970": {"1971"}, "1970-01": {"1970-02"}, "9998": {"9997"}, "9999-11": {"9999-10"}, "2026": {"2025", "2027"}, "2026-01": {"2025-12", "2026-02"}, "0..3": nil,
	} {
		require.Equal(t, want, web.Around(period), period)
	}
}
