package chaingen

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Handler is a gateway whose newest block is the chain's head, with the paths, statuses and error texts of the
// real one, as in answers.Handler. It serves the known balances, those of the [Chain.Accounts].
func (c *Chain) Handler() http.Handler {
	mux := http.NewServeMux()
	at := func(answer func(uint64) []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { c.serve(w, r.URL.Query().Get("at"), answer) }
	}
	of := func(answer func(uint64) []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			id := r.PathValue("id")
			if id == "head" {
				id = ""
			}
			c.serve(w, id, answer)
		}
	}
	mux.HandleFunc("GET /blocks/{id}", of(c.Block))
	mux.HandleFunc("GET /blocks/{id}/header", of(c.Header))
	mux.HandleFunc("GET /pallets/transaction-payment/storage/nextFeeMultiplier", at(c.Multiplier))
	mux.HandleFunc("GET /pallets/system/storage/blockWeight", at(c.BlockWeight))
	if c.network.ParameterKey != "" {
		mux.HandleFunc("GET /pallets/parameters/storage/parameters", func(w http.ResponseWriter, r *http.Request) {
			c.serveParameter(w, r.URL.Query())
		})
	}
	mux.HandleFunc("GET /accounts/{address}/balance-info", c.serveBalance)
	mux.HandleFunc("GET /runtime/spec", at(c.Runtime))
	mux.HandleFunc("GET /node/version", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, jsonType, c.NodeVersion())
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, jsonType, []byte(`{"version":"18.0.0"}`)) // of the gateway that the responses imitate
	})
	mux.HandleFunc("/", notFound)
	return mux
}

// serveParameter responds for a parameter's key, which is SCALE in hex.
func (c *Chain) serveParameter(w http.ResponseWriter, question url.Values) {
	key := question.Get("keys[]")
	digits, isHex := strings.CutPrefix(key, "0x")
	if !isHex || strings.Trim(digits, hexDigits) != "" {
		sendRefusal(w, refuse(http.StatusInternalServerError, "Cannot map Enum JSON"))
		return
	}
	c.serve(w, question.Get("at"), func(height uint64) []byte { return c.parameter(height, key) })
}

// serveBalance responds for the followed accounts. For others the page does not exist.
func (c *Chain) serveBalance(w http.ResponseWriter, r *http.Request) {
	address, err := chain.ParseAddress(r.PathValue("address"))
	if _, known := c.followed[address]; err != nil || !known {
		notFound(w, r)
		return
	}
	c.serve(w, r.URL.Query().Get("at"), func(height uint64) []byte {
		text, _ := c.Balance(height, address)
		return text
	})
}

// serve responds for the block with a height or a hash, the head if it is "".
func (c *Chain) serve(w http.ResponseWriter, id string, answer func(uint64) []byte) {
	height, refused := c.find(id)
	if refused == nil {
		send(w, http.StatusOK, jsonType, answer(height))
		return
	}
	sendRefusal(w, refused)
}

func sendRefusal(w http.ResponseWriter, refused *refusal) {
	text, err := json.Marshal(refused)
	if err != nil {
		panic(err) // strings and numbers have a JSON form
	}
	send(w, refused.Code, jsonType, text)
}

// refusal is an error in the gateway's form, without a stack.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Level   string `json:"level"`
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{code, fmt.Sprintf(format, args...), "error"}
}

func (c *Chain) find(id string) (uint64, *refusal) {
	head := c.Head()
	noSuchBlock := refuse(http.StatusInternalServerError, "Unable to retrieve header and parent from supplied hash")
	if id == "" {
		return head, nil
	}
	if digits, isHex := strings.CutPrefix(id, "0x"); isHex {
		const reason = "Cannot get block hash for %s. Hex string block IDs must be %s32-bytes (66-characters) in length."
		if strings.Trim(digits, hexDigits) != "" {
			return 0, refuse(http.StatusBadRequest, reason, id, "a valid hex string and must be ")
		}
		hash, err := chain.ParseHash(id)
		if err != nil {
			return 0, refuse(http.StatusBadRequest, reason, id, "")
		}
		if height, found := c.HeightOf(hash); found {
			return height, nil
		}
		return 0, noSuchBlock
	}
	if strings.Trim(id, "0123456789") != "" {
		return 0, refuse(http.StatusBadRequest, "Cannot get block hash for %s. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", id)
	}
	height, err := strconv.ParseUint(id, 10, 64)
	switch {
	case err != nil || height > math.MaxUint32:
		return 0, refuse(http.StatusBadRequest, "Specified block number is larger than the current largest block. The largest known block number is %d.", head)
	case height > head:
		return 0, noSuchBlock
	}
	return height, nil
}

const hexDigits = "0123456789abcdefABCDEF"

const jsonType = "application/json; charset=utf-8"

func notFound(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	send(w, http.StatusNotFound, "text/html; charset=utf-8", fmt.Appendf(nil,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot %s %s</pre>\n</body>\n</html>\n",
		html.EscapeString(r.Method), html.EscapeString(r.URL.EscapedPath())))
}

func send(w http.ResponseWriter, status int, contentType string, text []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text) // the client may have disconnected
}
