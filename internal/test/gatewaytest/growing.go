package gatewaytest

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync/atomic"
)

// Growing is a gateway whose chain grows under a test's control: it responds from recordings as if Head were
// the newest block.
type Growing struct {
	Head     atomic.Uint64
	recorded http.Handler
}

// NewGrowing responds from the recordings in a directory, up to a height.
func NewGrowing(directory string, head uint64) *Growing {
	g := &Growing{recorded: Handler(directory)}
	g.Head.Store(head)
	return g
}

// The forms of a height in a path or a query.
var heightOf = regexp.MustCompile(`^/blocks/([0-9]+)|[?&]at=([0-9]+)`)

func (g *Growing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := g.Head.Load()
	if r.URL.Path == "/blocks/head" || r.URL.Path == "/blocks/head/header" {
		r.URL.Path = fmt.Sprintf("/blocks/%d%s", head, r.URL.Path[len("/blocks/head"):])
	}
	if found := heightOf.FindStringSubmatch(r.URL.RequestURI()); found != nil {
		height, err := strconv.ParseUint(found[1]+found[2], 10, 64)
		if err != nil || height > head {
			w.Header().Set("Content-Type", jsonType)
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"code":500,"message":"Unable to retrieve header and parent from supplied hash","level":"error"}`)
			return
		}
	}
	g.recorded.ServeHTTP(w, r)
}
