// Package program finds the programs besides Go that tests run. A test runs one only where it is asked for, so that the tests
// cost the same whatever a machine has. FEES_WITH asks, by words: "installed" for all that are there, and the name of a kind,
// such as "postgres", for those that must be there.
package program

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Wanted is the environment variable that asks.
const Wanted = "FEES_WITH"

// Kind is the word that asks for programs.
type Kind string

// The kinds.
const (
	Accounting Kind = "accounting" // hledger, ledger, beancount
	Browser    Kind = "browser"
	ClickHouse Kind = "clickhouse" // fetched by npm, half a gigabyte
	DuckDB     Kind = "duckdb"     // fetched by npm
	Namespaces Kind = "namespaces" // ip, and the right to make networks
	Office     Kind = "office"
	OpenSSL    Kind = "openssl"
	Postgres   Kind = "postgres"
	Promtool   Kind = "promtool"
	Python     Kind = "python"
	SSH        Kind = "ssh"
	Strace     Kind = "strace"
	Systemd    Kind = "systemd"
)

// Required says that programs of a kind must be there.
func (k Kind) Required() bool { return asked(string(k)) }

// Asked says that programs of a kind are to be run, if they are there.
func (k Kind) Asked() bool { return k.Required() || asked("installed") }

func asked(word string) bool { return slices.Contains(strings.Fields(os.Getenv(Wanted)), word) }

// Ask skips a test that runs programs of a kind which nobody asked for.
func Ask(t testing.TB, k Kind) {
	t.Helper()
	if !k.Asked() {
		t.Skipf("NOT ASKED FOR: %s", k)
	}
}

// Missing fails a test that cannot run a program which must be there, and else skips it.
func Missing(t testing.TB, k Kind, why string) {
	t.Helper()
	if k.Required() {
		t.Fatalf("%s has %s: %s", Wanted, k, why)
	}
	t.Skipf("NOT THERE: %s: %s", k, why)
}

// Path is where a program is. The test is skipped where nobody asked for it, or where it is not there and need not be.
func Path(t testing.TB, k Kind, name string) string {
	t.Helper()
	Ask(t, k)
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, k, err.Error())
	}
	return path
}
