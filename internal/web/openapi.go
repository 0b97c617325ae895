package web

import (
	"cmp"
	"net/http"
	"regexp"

	"github.com/feeledger/fees/internal/sys/jsontext"
)

// parameterTexts describes the parameters of the API.
var parameterTexts = map[string]string{
	"name":     "A transaction ID, such as 25-7, or a hash.",
	"address":  "An address (0x and 40 hex digits), or a label of the address book.",
	"package":  "The name of the package's directory, such as 2026-01.",
	"height":   "The block's height.",
	"period":   "A month (2026-01), a year (2026), days (2026-01-01..2026-01-14) or heights (223201..424800). Default: all sealed blocks.",
	"zone":     "The time zone of days and months, such as Europe/Berlin. Default: UTC.",
	"partial":  "1 accepts a period that the ledger covers only in part.",
	"accounts": "Addresses, labels and group:NAME of the address book, separated by commas. Default: all accounts.",
	"by":       "The grouping, as for fees report --by. Default: day.",
	"compare":  "The period to compare with: before (the previous period), a month or a year.",
	"against":  "The other period: a month, a year, days or heights. Default: the period before.",
	"price":    "The currency of the server's prices; adds amounts in it.",
	"layer":    "Only transactions of this layer: evm or native.",
	"status":   "Only transactions with this outcome: succeeded, reverted, out_of_gas or failed.",
	"type":     "Only EVM transactions of this type: legacy, eip2930, eip1559 or eip7702.",
	"call":     "Only transactions with this call, such as Balances.transfer_keep_alive (case-insensitive).",
	"contract": "Only EVM transactions that called this contract.",
	"checks":   "failed: only transactions with failed checks.",
	"fee_from": "The lowest fee, in the token, such as 0.25.",
	"fee_to":   "The highest fee, in the token; included.",
	"part":     "open or changes: the deposits that are open at the end of the period, or those taken and given back in it. Default: open.",
	"balances": "none skips the balances, so nothing is proved.",
	"after":    "The transaction ID to continue after: next of the previous response.",
	"limit":    "The maximum number of transactions, up to 1000. Default: 100.",
}

var inPath = regexp.MustCompile(`\{([a-z]+)\}`)

// openAPI describes the API in OpenAPI 3.1, from its routes.
func openAPI(base string, list []route) map[string]any {
	problems := map[string]any{"description": "A problem (RFC 9457).", "content": content("application/problem+json", map[string]any{"$ref": "#/components/schemas/Problem"})}
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
					"headers": map[string]any{"ETag": map[string]any{"description": "Derived from the sealed state. While it is unchanged, so is the answer.", "schema": text}},
				},
				"304":     map[string]any{"description": "The answer has not changed."},
				"default": problems,
			},
		}}
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "fees", "version": "1", "description": "The contents of a fee ledger, in the JSON format of the command line. Amounts are decimal strings in the token's smallest unit (wei, planck); null means not known."},
		"servers": []any{map[string]any{"url": cmp.Or(base, "/")}},
		"paths":   paths,
		"components": map[string]any{"securitySchemes": map[string]any{"basic": map[string]any{"type": "http", "scheme": "basic", "description": "Required if the server has users (fees serve --users)."}}, "schemas": map[string]any{"Problem": map[string]any{
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
