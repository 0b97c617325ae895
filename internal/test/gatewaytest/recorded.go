package gatewaytest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// RecordedError is the real gateway's response to a request that it refused, or to a dubious one that it
// accepted. It responds to every request with it.
type RecordedError struct {
	Request string            `json:"request"` // such as "GET /blocks/52"
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func (e RecordedError) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", e.Headers["content-type"])
	w.WriteHeader(e.Status)
	w.Write([]byte(e.Body))
}

// RecordedErrors returns those in a directory of recordings, by name.
func RecordedErrors(directory string) map[string]RecordedError {
	paths, err := filepath.Glob(filepath.Join(directory, "errors/*.json"))
	if err != nil {
		panic(err)
	}
	found := map[string]RecordedError{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		var e RecordedError
		if err := json.Unmarshal(text, &e); err != nil {
			panic(err)
		}
		found[strings.TrimSuffix(filepath.Base(path), ".json")] = e
	}
	return found
}
