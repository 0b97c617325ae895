package cli

import (
	"cmp"

	"github.com/spf13/pflag"
)

// valueNames name the values of flags in help. A flag without an entry uses the name of its type.
var valueNames = map[string]string{
	"access-list": "LIST", "accounts": "LIST", "against": "SOURCE", "api-key-file": "FILE", "api-key-header": "NAME", "as": "FORMAT", "at": "BLOCK",
	"before": "MONTH", "block": "BLOCK", "by": "GROUP", "ca-file": "FILE", "check": "DIR", "classes": "FILE", "compare": "[PERIOD]",
	"data": "HEX", "date-format": "FORMAT", "decimal": "CHAR", "encoding": "NAME", "era": "N", "extrinsic": "HEX",
	"fiat": "CURRENCY", "fix": "FILE", "format": "FORMAT", "from": "FROM", "gas-price": "AMOUNT", "gateway": "SOURCE", "genesis": "HASH",
	"header-row": "ROW", "host": "NAMES", "key": "KEY", "keystore": "FILE", "labels": "FILE", "ledger": "LEDGER", "list": "LINE", "listen": "ADDRESS",
	"log": "FORMAT", "man-pages": "DIR", "map": "FIELD=COLUMN", "max-fee-per-gas": "AMOUNT", "max-priority-fee-per-gas": "AMOUNT", "metadata": "FILE",
	"metrics": "ADDRESS", "mnemonic": "FILE", "month": "MONTH", "multiplier-at": "BLOCK", "names": "FILE", "network": "NAME", "network-file": "FILE",
	"node": "URL", "only": "NAME=VALUE", "output": "PATH", "packages": "DIR", "part": "PART", "partitioned": "DIR", "password": "FILE", "percentile": "PERCENT",
	"price-map": "FIELD=COLUMN", "font": "FILE", "prices": "FILE", "reconcile": "FILE", "root": "HASH", "rules": "RULES", "separator": "NAME", "sheet": "NAME", "sign": "KEY", "signer": "ACCOUNT",
	"signers": "FILE", "skip-rows": "ROWS", "symbol": "SYMBOL", "thousands": "CHAR", "timestamp": "URL", "timezone": "ZONE", "tip": "AMOUNT",
	"tls-cert": "FILE", "tls-key": "FILE", "to": "TO", "tolerance": "AMOUNT", "trust": "HEIGHT:HASH", "trusted-header": "NAME",
	"trusted-proxy": "LIST", "tsa-ca": "FILE", "type": "TYPE", "unit": "UNIT", "users": "FILE", "value": "AMOUNT", "wait": "BLOCK", "with": "ENTRIES",
	"year": "YEAR",
}

// typeNames name the values of other flags by type.
var typeNames = map[string]string{
	"duration": "DURATION", "float64": "N", "int": "N", "uint8": "N", "uint32": "N", "uint64": "N",
}

// shownValue is a flag's value that help shows under another name.
type shownValue struct {
	pflag.Value
	name string
}

// Type returns the name of the value.
func (v shownValue) Type() string { return v.name }

// withValueName returns a copy of a flag for help, with the name of its value in capitals.
func withValueName(f *pflag.Flag) *pflag.Flag {
	if f.Value.Type() == "bool" {
		return f
	}
	name := cmp.Or(valueNames[f.Name], typeNames[f.Value.Type()], "VALUE")
	shown := *f
	shown.Value, shown.NoOptDefVal = shownValue{f.Value, name}, ""
	if shown.DefValue == "[]" || shown.DefValue == "0s" {
		shown.DefValue = "" // help does not show it
	}
	return &shown
}
