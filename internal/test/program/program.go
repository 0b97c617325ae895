// Package program finds the external programs that tests run. FEES_WITH selects them by words, so that tests
// take the same time on every machine: "installed" for all that are installed, and the name of a kind, such
// as "postgres", for those that are required.
package program

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Wanted is the environment variable that selects programs.
const Wanted = "FEES_WITH"

// Kind is a kind of external program.
type Kind string

// The kinds.
const (
	Accounting   Kind = "accounting" // hledger, ledger, beancount
	Browser      Kind = "browser"
	ClickHouse   Kind = "clickhouse" // fetched by npm, half a gigabyte
	DuckDB       Kind = "duckdb"     // fetched by npm
	Namespaces   Kind = "namespaces" // ip, and the right to make networks
	Node         Kind = "node"
	Office       Kind = "office"
	OpenSSL      Kind = "openssl"
	PDF          Kind = "pdf" // pdftotext, qpdf, and PDFBox Preflight
	PgBouncer    Kind = "pgbouncer"
	Postgres     Kind = "postgres"
	Promtool     Kind = "promtool"
	Python       Kind = "python"
	SSH          Kind = "ssh"
	Spreadsheets Kind = "spreadsheets" // ssconvert, pandas with openpyxl, and exceljs, fetched by npm
	Strace       Kind = "strace"
	Systemd      Kind = "systemd"
)

// Required reports whether programs of a kind must be installed.
func (k Kind) Required() bool { return asked(string(k)) }

// Asked reports whether programs of a kind should run if they are installed.
func (k Kind) Asked() bool { return k.Required() || asked("installed") }

func asked(word string) bool { return slices.Contains(strings.Fields(os.Getenv(Wanted)), word) }

// Ask skips a test whose programs are not selected.
func Ask(t testing.TB, k Kind) {
	t.Helper()
	if !k.Asked() {
		t.Skipf("NOT ASKED FOR: %s", k)
	}
}

// Missing fails a test that cannot run a required program, and skips it if the program is not required.
func Missing(t testing.TB, k Kind, why string) {
	t.Helper()
	if k.Required() {
		t.Fatalf("%s has %s: %s", Wanted, k, why)
	}
	t.Skipf("NOT THERE: %s: %s", k, why)
}

// Path returns the path of a program. It skips the test if the program is not selected, or is missing and not
// required.
func Path(t testing.TB, k Kind, name string) string {
	t.Helper()
	Ask(t, k)
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, k, err.Error())
	}
	return path
}
