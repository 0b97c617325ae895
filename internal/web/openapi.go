package web

import (
	"cmp"
	"net/http"
	"regexp"

	"github.com/feeledger/fees/internal/sys/jsontext"
)

// parameterTexts say what the parameters of the API are.
var parameterTexts = map[string]string{
	"name":     "Its place, such as 25-7, or its hash.",
	"address":  "An address of 0x and 40 hex digits, or a label of the address book.",
	"package":  "The name of the package's directory, such as 2026-01.",
	"height":   "The block's height.",
	"period":   "A month (2026-01), a year (2026), days (2026-01-01..2026-01-14) or heights (223201..424800). Without it: all that is sealed.",
	"zone":     "Whose days they are, such as Europe/Berlin. Without it: UTC.",
	"partial":  "1 takes what the ledger has of the period.",
	"accounts": "Addresses, labels and group:NAME of the address book, with commas. Without it: everybody.",
	"by":       "The grouping, as fees report --by. Without it: day.",
	"compare":  "Beside the period before (before), or beside a month or a year that is named.",
	"price":    "The currency of the server's prices: amounts are in it, too.",
	"layer":    "Only transactions of this layer: evm or native.",
	"status":   "Only those of which this came: succeeded, reverted, out_of_gas or failed.",
	"type":     "Only EVM transactions of this type: legacy, eip2930, eip1559 or eip7702.",
	"call":     "Only those of this call, such as Balances.transfer_keep_alive, in any case.",
	"contract": "Only EVM transactions that called this contract.",
	"balances": "none asks for no balances, and proves nothing.",
	"after":    "Goes on after this place: the next of the answer before.",
	"limit":    "So many at most, up to 1000. Without it: 100.",
}

var inPath = regexp.MustCompile(`\{([a-z]+)\}`)

// openAPI describes the API by the routes that there are, by OpenAPI 3.1.
func openAPI(base string, list []route) map[string]any {
	problems := map[string]any{"description": "What went wrong (RFC 9457).", "content": content("application/problem+json", map[string]any{"$ref": "#/components/schemas/Problem"})}
	paths := map[string]any{}
	for _, a := range list {
		parameters := []any{}
		for _, found := range inPath.FindAllStringSubmatch(a.path, -1) {
			parameters = append(parameters, parameter(found[1], "path"))
		}
		for _, name := range a.parameters {
			parameters = append(parameters, parameter(name, "query"))
		}
		paths[a.path] = map[string]any{"get": map[string]any{
			"summary": a.about, "parameters": parameters,
			"responses": map[string]any{
				"200": map[string]any{
					"description": "The answer.", "content": content(a.media(), map[string]any{}),
					"headers": map[string]any{"ETag": map[string]any{"description": "Of what is sealed: the answer is the same while this is.", "schema": text}},
				},
				"304":     map[string]any{"description": "The answer is as it was."},
				"default": problems,
			},
		}}
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "fees", "version": "1", "description": "What a ledger of fees says, as the command line says it. Amounts are decimal strings in wei; null is not known."},
		"servers": []any{map[string]any{"url": cmp.Or(base, "/")}},
		"paths":   paths,
		"components": map[string]any{"securitySchemes": map[string]any{"basic": map[string]any{"type": "http", "scheme": "basic", "description": "Where the server has users (fees serve --users)."}}, "schemas": map[string]any{"Problem": map[string]any{
			"type": "object", "required": []string{"status", "title", "detail"},
			"properties": map[string]any{"status": map[string]any{"type": "integer"}, "title": text, "detail": text},
		}}},
	}
}

var text = map[string]any{"type": "string"}

func content(media string, schema map[string]any) map[string]any {
	return map[string]any{media: map[string]any{"schema": schema}}
}

func parameter(name, in string) map[string]any {
	p := map[string]any{"name": name, "in": in, "schema": text, "description": parameterTexts[name]}
	if in == "path" {
		p["required"] = true
	}
	return p
}

// describe sends the description of the API.
func (s *server) describe(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", contentTypes["json"])
	w.Header().Set("Cache-Control", "private, max-age=3600")
	return jsontext.Write(w, openAPI(s.base, answers()))
}
