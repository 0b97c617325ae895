package web

import (
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/app"
)

// partOf returns the address of a page about the part that the ledger contains of its period, if the period is incomplete;
// "" otherwise. The page then says so at each total. A file is refused instead: a program must ask for a part.
func (s *server) partOf(r *http.Request, cause error) string {
	var lacking *app.NotHeldError
	values := r.URL.Query()
	if r.Method != http.MethodGet || !errors.As(cause, &lacking) || len(lacking.Lacks) == 0 || values.Has("partial") || isFile(r.URL.Path) {
		return ""
	}
	values.Set("partial", "1")
	return ownPath(r.URL.EscapedPath() + "?" + values.Encode())
}

var fileForms = slices.Concat(feesForms, transactionForms, resultForms, []string{paperForm})

// isFile reports whether a path is that of a file to download.
func isFile(of string) bool {
	return slices.Contains(fileForms, strings.TrimPrefix(path.Ext(of), "."))
}
