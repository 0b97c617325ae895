package archive

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
)

type answers map[string]error

func (a answers) Get(_ context.Context, question string) (string, error) {
	return `"` + question + `"`, a[question]
}

// What an archive answers does not tell where it is.
func TestHandler(t *testing.T) {
	handler := Handler("/home/anna/kept", answers{
		"/damaged":     errors.New("/home/anna/kept: blocks/7.json: damaged"),
		"/refused":     render.Refused(http.StatusBadRequest, "block 9 is too high"),
		"/not-offered": chain.ErrNotOffered,
	})
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/blocks/7":    {http.StatusOK, `"/blocks/7"`},
		"/damaged":     {http.StatusInternalServerError, `{"code":500,"message":"blocks/7.json: damaged","level":"error"}`},
		"/refused":     {http.StatusBadRequest, `{"code":400,"message":"block 9 is too high","level":"error"}`},
		"/not-offered": {http.StatusNotFound, ""},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		require.Equal(t, want.status, w.Code, path)
		if want.body != "" {
			require.Equal(t, want.body, w.Body.String(), path)
		}
		require.NotContains(t, w.Body.String(), "anna")
	}
}
