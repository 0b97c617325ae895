package gatewaytest

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Successor returns a gateway that responds as polkadot-rest-api 0.1.0, Sidecar's successor, would for the
// blocks of another gateway. The forms are based on its source code, not on a running instance. Its paths
// start with /v1, pallets have names in camel case, it rejects unknown query parameters, and uses "error" for
// "message".
func Successor(recorded http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, found := strings.CutPrefix(r.URL.Path, "/v1/")
		if !found {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		status, body := successorAnswer(recorded, "/"+path, r.URL)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(body)
	})
}

// parameters are the query parameters that the successor accepts, by path prefix.
var parameters = map[string]string{"/blocks/head": "finalized", "/pallets/": "at keys[]", "/runtime/spec": "at", "/accounts/": "at"}

var (
	storagePath   = regexp.MustCompile(`^/pallets/([^/]+)/storage/([^/]+)$`)
	wholeBlock    = regexp.MustCompile(`^/blocks/[^/]+$`)
	pallets       = map[string]string{"transactionPayment": "transaction-payment", "system": "system", "parameters": "parameters", "baseFee": "base-fee"}
	noSuchInChain = "Unable to retrieve header and parent from supplied hash"
)

func successorAnswer(recorded http.Handler, path string, u *url.URL) (int, []byte) {
	known := ""
	for prefix, names := range parameters {
		if strings.HasPrefix(path, prefix) {
			known = names
		}
	}
	for name := range u.Query() {
		if !strings.Contains(" "+known+" ", " "+name+" ") {
			return saidBySuccessor(http.StatusBadRequest, "Failed to deserialize query string: unknown field `"+name+"`")
		}
	}
	if strings.Contains(strings.ToLower(u.RawQuery), "%5b") {
		return saidBySuccessor(http.StatusBadRequest, "Failed to deserialize query string: encoded bracket")
	}
	if parts := storagePath.FindStringSubmatch(path); parts != nil {
		pallet, found := pallets[parts[1]]
		if !found {
			return saidBySuccessor(http.StatusNotFound, "Pallet not found: "+parts[1])
		}
		path = "/pallets/" + pallet + "/storage/" + parts[2]
	}
	answer := httptest.NewRecorder()
	recorded.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path+"?"+u.RawQuery, nil))
	body := answer.Body.Bytes()
	var said struct{ Message string }
	switch {
	case answer.Code == http.StatusOK && wholeBlock.MatchString(path):
		return http.StatusOK, SuccessorBlock(body)
	case answer.Code == http.StatusOK:
		return http.StatusOK, numbers.ReplaceAll(body, []byte("$1:$2"))
	case json.Unmarshal(body, &said) == nil && said.Message == noSuchInChain:
		return saidBySuccessor(http.StatusBadRequest, "Block not found: Block at height "+path[strings.LastIndex(path, "/")+1:]+" not found")
	case answer.Code == http.StatusNotFound:
		return http.StatusNotFound, nil
	}
	return saidBySuccessor(answer.Code, said.Message)
}

// numbers are the 32-bit fields that the successor writes as numbers.
var numbers = regexp.MustCompile(`("(?:specVersion|implVersion|transactionVersion|authoringVersion|stateVersion)"):"([0-9]+)"`)

func saidBySuccessor(status int, message string) (int, []byte) {
	body, _ := json.Marshal(map[string]string{"error": message})
	return status, body
}

// SuccessorBlock returns a block of Sidecar's in the form of its successor.
func SuccessorBlock(body []byte) []byte {
	var block map[string]any
	if err := json.Unmarshal(body, &block); err != nil {
		panic(err)
	}
	delete(block, "authorId")
	for _, hook := range []string{"onInitialize", "onFinalize"} {
		block[hook] = lowered(block[hook])
	}
	for _, item := range block["extrinsics"].([]any) {
		x := item.(map[string]any)
		x["args"] = lowered(x["args"])
		x["events"] = lowered(x["events"])
		if signature, signed := x["signature"].(map[string]any); signed {
			text := signature["signature"].(string)
			x["signature"] = map[string]any{
				"signature": "0x" + text[min(4, len(text)):],
				"signer":    map[string]any{"id": strings.ToLower(signature["signer"].(string))},
			}
		}
		method := x["method"].(map[string]any)
		if method["pallet"] == "ethereum" && method["method"] == "transact" {
			args := x["args"].(map[string]any)
			args["transaction"] = successorTransaction(args["transaction"].(map[string]any))
		}
	}
	out, err := json.Marshal(block)
	if err != nil {
		panic(err)
	}
	return out
}

// lowered returns a value with its addresses in lower case, and its byte lists of fewer than two bytes as
// arrays.
func lowered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = lowered(value)
		}
	case []any:
		for i, value := range v {
			v[i] = lowered(value)
		}
	case string:
		bytes, err := hex.DecodeString(strings.TrimPrefix(v, "0x"))
		switch {
		case !strings.HasPrefix(v, "0x") || err != nil:
			return v
		case len(bytes) == 0:
			return []any{}
		case len(bytes) == 1:
			return []any{strconv.Itoa(int(bytes[0]))}
		case len(bytes) == 20:
			return strings.ToLower(v)
		}
	}
	return v
}

func successorTransaction(transaction map[string]any) map[string]any {
	if _, untyped := transaction["gasPrice"]; untyped {
		return successorFields(transaction)
	}
	out := map[string]any{}
	for kind, fields := range transaction {
		out[strings.Replace(kind, "eip", "eIP", 1)] = successorFields(fields.(map[string]any))
	}
	return out
}

func successorFields(fields map[string]any) map[string]any {
	for _, name := range []string{"nonce", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "gasLimit", "value"} {
		if text, given := fields[name].(string); given {
			fields[name] = Limbs(text)
		}
	}
	list, _ := fields["authorizationList"].([]any)
	for _, item := range list {
		authorization := item.(map[string]any)
		authorization["nonce"] = Limbs(authorization["nonce"].(string))
	}
	return fields
}

// Limbs returns a U256 in the successor's form: its four limbs, least significant first, as decimal strings,
// or as bytes in hex if none exceeds 255.
func Limbs(decimal string) any {
	n, err := chain.ParseGasPrice(decimal)
	if err != nil {
		panic(err)
	}
	word := n.Big().FillBytes(make([]byte, 32))
	var limbs []any
	var small []byte
	for end := len(word); end > 0; end -= 8 {
		limb := binary.BigEndian.Uint64(word[end-8 : end])
		limbs = append(limbs, strconv.FormatUint(limb, 10))
		if limb <= 255 {
			small = append(small, byte(limb))
		}
	}
	if len(small) == len(limbs) {
		return fmt.Sprintf("0x%x", small)
	}
	return limbs
}
