package app_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/signature"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// pageReport is what the page finds in a package.
type pageReport struct {
	Verdict       string
	OK, Bad, Grey int
	Parts         []struct {
		Name, State string
		Lines       []struct{ State, Text, Code string }
	}
	Files []struct{ Name, State, Content string }
}

// onlyHash is what the page says of a file whose content it does not check.
const onlyHash = "only its SHA-256"

// differences are the lines of what differs.
func (r *pageReport) differences() string {
	var out strings.Builder
	for _, p := range r.Parts {
		for _, l := range p.Lines {
			if l.State == "bad" {
				fmt.Fprintf(&out, "%s: %s %s\n", p.Name, l.Text, l.Code)
			}
		}
	}
	return out.String()
}

func (r *pageReport) content(name string) string {
	for _, f := range r.Files {
		if f.Name == name {
			return f.Content
		}
	}
	return ""
}

// pageCase is a package for the page, with what the reader kept elsewhere.
type pageCase struct {
	Dir  string `json:"dir"`
	Kept string `json:"kept"`
}

// byPage checks packages by the page's script under node.
func byPage(t *testing.T, cases []pageCase) []pageReport {
	t.Helper()
	page := write(t, closing.PageFile, string(closing.Page))
	var in bytes.Buffer
	for _, c := range cases {
		require.NoError(t, json.NewEncoder(&in).Encode(c))
	}
	run := exec.CommandContext(t.Context(), program.Path(t, program.Node, "node"), "--no-warnings", "testdata/check.mjs", page)
	run.Stdin, run.Stderr = &in, os.Stderr
	out, err := run.Output()
	require.NoError(t, err)
	var reports []pageReport
	for lines := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		var r pageReport
		require.NoError(t, json.Unmarshal(line, &r))
		reports = append(reports, r)
	}
	require.Len(t, reports, len(cases))
	return reports
}

// basePackage is a package that is altered, with its ledger.
type basePackage struct {
	name, place, kept string
	request           app.PackageRequest
}

// basePackages are packages with all parts: a month, one that was closed by two users, one with the variance, a year in its
// second version, one with prices, a chart and tags, one with differences that are open and accepted, and ones without
// balances and without records.
func basePackages(t *testing.T) (list []basePackage) {
	t.Helper()
	place, three := copied(t), threeMonths(t)
	d, later := opened(t, place), opened(t, three)
	add := func(name, place string, d *app.Ledger, q app.PackageRequest, change func(*app.PackageRequest)) *basePackage {
		change(&q)
		q.Dir = filepath.Join(t.TempDir(), name)
		packed(t, d, q)
		list = append(list, basePackage{name: name, place: place, request: q})
		return &list[len(list)-1]
	}
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	key, err := ssh.NewPublicKey(public)
	require.NoError(t, err)
	add("month", place, d, question(t), func(*app.PackageRequest) {})
	add("signed", place, d, question(t), func(q *app.PackageRequest) {
		q.Key, err = signature.OpenKey(t.Context(), write(t, "id", string(pem.EncodeToMemory(block))), signature.Secrets{})
		require.NoError(t, err)
	}).kept = string(ssh.MarshalAuthorizedKey(key))
	add("february", three, later, february(t), func(*app.PackageRequest) {})
	add("year", three, later, yearRequest(t), func(*app.PackageRequest) {})
	second := list[len(list)-1].request
	second.Accounts = append(slices.Clone(second.Accounts), sender)
	packed(t, later, second)
	add("chart", place, d, question(t), func(q *app.PackageRequest) {
		q.With, q.Names, q.Books, q.Journal = app.WithFees, "", app.BooksInput{}, "beancount"
		q.Chart = write(t, "chart.csv", "layer,account\nevm,Expenses:Gas\nnative,Expenses:Native\n")
		q.Tags = write(t, "tags.csv", "25-4,A\n")
		q.Prices = app.PricesInput{Files: []string{write(t, "prices.csv", "# source: a test\ndate,price\n2025-12-31,0.2\n2026-01-01,0.25\n")}, Fiat: "EUR"}
	})
	add("posted", place, d, postedQuestion(t, app.JournalForms...), func(*app.PackageRequest) {})
	add("record", place, d, question(t), func(q *app.PackageRequest) {
		q.With, q.Names, q.Journal = app.WithFees, "", "ledger"
		q.Books.Path = record(t, func(s sent) bool { return of(alith)(s) })
	})
	add("no-balances", place, d, question(t), func(q *app.PackageRequest) { q.With, q.Proved = app.WithFees, false })
	add("no-records", place, d, question(t), func(q *app.PackageRequest) { q.NoRecords = true })
	closed := copied(t)
	c := opened(t, closed)
	q, made, dir := prepared(t, c)
	_, err = c.ClosePrepared(t.Context(), q.Dir, dir, q.PackageOptions, func(context.Context) ([]ledger.Act, error) {
		return recorded(t, closed, made.Sum, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"}), nil
	})
	require.NoError(t, err)
	q.Dir = dir
	return append(list, basePackage{name: "acts", place: closed, request: q})
}

// sender is a third account of the demo.
const sender = "0xC0F0f4ab324C46e55D02D0033343B4Be8A55532d"

// alteration is a change of a package. The page finds it, or says that it does not check the content of the file.
type alteration struct {
	base, what string
	file       string // that is altered
	found      bool   // by the page
	partly     bool   // the page checks other contents of the file
	apply      func(t *testing.T, dir string)
	kept       string // elsewhere, if not as with the base
}

// edited is an alteration of a file whose new SHA-256 is in the manifest.
func edited(base, file, what string, found bool, change func(string) string) alteration {
	return alteration{base, what, file, found, false, func(t *testing.T, dir string) {
		reseal(t, dir, func(name string, text []byte) []byte {
			if name != file {
				return text
			}
			changed := change(string(text))
			if changed == string(text) {
				t.Errorf("%s, %s: %s: nothing to change", base, file, what)
			}
			return []byte(changed)
		}, nil)
	}, ""}
}

// restated is an alteration of the manifest.
func restated(base, what string, change func(*closing.Manifest)) alteration {
	return alteration{base, what, closing.ManifestFile, true, false, func(t *testing.T, dir string) { reseal(t, dir, nothing, change) }, ""}
}

// recolumned is an alteration of columns of the rollforward, and of the manifest with it.
func recolumned(base, what string, change func(columns []any) []any, manifest func(*closing.Manifest)) alteration {
	return alteration{base, what, rollforwardJSON, true, false, func(t *testing.T, dir string) {
		reseal(t, dir, func(name string, text []byte) []byte {
			if name != rollforwardJSON {
				return text
			}
			var doc map[string]any
			require.NoError(t, json.Unmarshal(text, &doc))
			doc["rollforwards"] = change(doc["rollforwards"].([]any))
			text, err := json.Marshal(doc)
			require.NoError(t, err)
			return text
		}, manifest)
	}, ""}
}

const rollforwardJSON = "rollforward.json"

// set changes values of a column, or of a line of it and of the classes of that line.
func set(column any, line string, values map[string]any) {
	c := column.(map[string]any)
	if line == "" {
		maps.Copy(c, values)
		return
	}
	for _, l := range c["lines"].([]any) {
		if l := l.(map[string]any); l["line"] == line {
			classes := l["classes"].([]any)
			maps.Copy(l, values)
			for _, class := range classes {
				maps.Copy(class.(map[string]any), values)
			}
		}
	}
}

// unknown are the values of what is not known.
var unknown = map[string]any{"free": nil, "total": nil, "value": nil}

// lastOf changes the column of all accounts.
func lastOf(change func(column any)) func([]any) []any {
	return func(columns []any) []any {
		change(columns[len(columns)-1])
		return columns
	}
}

// onCover changes a figure of the cover.
func onCover(name string, amount chain.Optional[chain.SignedWei], value string) func(*closing.Manifest) {
	return func(m *closing.Manifest) {
		f := &m.Figures[slices.IndexFunc(m.Figures, func(f closing.Figure) bool { return f.Name == name })]
		f.Amount, f.Value = amount, chain.Optional[string]{}
		if value != "" {
			f.Value = chain.Some(value)
		}
	}
}

// notOnCover removes a figure of the cover.
func notOnCover(name string) func(*closing.Manifest) {
	return func(m *closing.Manifest) {
		m.Figures = slices.DeleteFunc(m.Figures, func(f closing.Figure) bool { return f.Name == name })
	}
}

// and makes several changes of a manifest.
func and(changes ...func(*closing.Manifest)) func(*closing.Manifest) {
	return func(m *closing.Manifest) {
		for _, change := range changes {
			change(m)
		}
	}
}

// reposted is an alteration of files of posted journals, by their names.
func reposted(what string, files map[string]func(string) string) alteration {
	return alteration{"posted", what, slices.Sorted(maps.Keys(files))[0], true, false, func(t *testing.T, dir string) {
		reseal(t, dir, func(name string, text []byte) []byte {
			change, is := files[name]
			if !is {
				return text
			}
			changed := change(string(text))
			require.NotEqual(t, string(text), changed, "%s: %s", what, name)
			return []byte(changed)
		}, nil)
	}, ""}
}

// more is an alteration by a file more, which the manifest lists.
func more(base, name, text string) alteration {
	return alteration{base, "a file more in the manifest", name, true, false, func(t *testing.T, dir string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		reseal(t, dir, nothing, func(m *closing.Manifest) {
			m.Files = append(m.Files, closing.File{Name: name, Size: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))})
			slices.SortFunc(m.Files, func(a, b closing.File) int { return cmp.Compare(a.Name, b.Name) })
		})
	}, ""}
}

// raised adds 1 to the digit at a place.
func raised(text string, at int) string {
	digit := byte('0' + (text[at]-'0'+1)%10)
	if at == 0 || text[at-1] < '0' || text[at-1] > '9' { // a number does not begin with 0
		digit = max(digit, '1')
	}
	return text[:at] + string(digit) + text[at+1:]
}

// figures are the amounts and counts that the page recomputes, by file. Those of other columns are not checked: values in
// a currency, block heights of the record.
var figures = map[string]*regexp.Regexp{
	"report.json":            regexp.MustCompile(`"(?:evm|native|fee|evm_fee|native_fee|priority_fee|tip|charged|burned|treasury|author|gas|gas_price_average)": "?(\d+)`),
	"accounts.json":          regexp.MustCompile(`"(?:evm|native|fee|evm_fee|native_fee|priority_fee|tip|charged|burned|treasury|author|gas|gas_price_average)": "?(\d+)`),
	"statements.json":        regexp.MustCompile(`"(?:free|reserved|amount|free_balance|reserved_balance|fee|charged|block|event_index|transactions)": ?"?-?(\d+)`),
	"rollforward.json":       regexp.MustCompile(`"(?:free|reserved|total|closing_total|count|value|opening_value|valuation_difference|closing_value)": "?-?(\d+)`),
	"reconciliation.json":    regexp.MustCompile(`"(?:books|chain|difference|count)": "?-?(\d+)`),
	"variance.json":          regexp.MustCompile(`"(?:amount|fee|fee_before|difference|known_difference)": ?"-?(\d+)`),
	"report.csv":             regexp.MustCompile(`,(\d+)`),
	"accounts.csv":           regexp.MustCompile(`,(\d+)`),
	"variance.csv":           regexp.MustCompile(`,(\d+)`),
	"posted/tie-out.csv":     regexp.MustCompile(`(?m)^[a-z-]+,[a-z, -]*,(?:EXTF|[^,]*),(?:,*)(\d+)`),
	"posted/quickbooks.csv":  regexp.MustCompile(`(?m)^FEE-[^,]*,[^,]*,[^,]*,(\d+)\.`),
	"posted/netsuite.csv":    regexp.MustCompile(`(?m)^FEE-(?:[^,]*,){6}(\d+)\.`),
	"posted/xero.csv":        regexp.MustCompile(`,Tax Exempt,-?(\d+)\.`),
	"posted/EXTF_datev.csv":  regexp.MustCompile(`(?m)^(\d+),\d\d;"S"`),
	"posted/journal-csv.csv": regexp.MustCompile(`(?m)^FEE-(?:[^,]*,){4}(\d+)\.`),
	"journal.hledger":        regexp.MustCompile(`  -?(\d+)\.\d+ GLMR`),
	"journal.ledger":         regexp.MustCompile(`  -?(\d+)\.\d+ GLMR`),
	"journal.beancount":      regexp.MustCompile(`  -?(\d+)\.\d+ GLMR`),
}

// figureEdits changes figures of each file, spread over it.
func figureEdits(t *testing.T, b *basePackage, each int) (list []alteration) {
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		text, err := os.ReadFile(filepath.Join(b.request.Dir, name))
		if err != nil {
			continue
		}
		found := figures[name].FindAllStringSubmatchIndex(string(text), -1)
		require.NotEmpty(t, found, "%s, %s", b.name, name)
		for i := range min(each, len(found)) {
			m := found[i*len(found)/each%len(found)]
			at := m[2]
			if i%2 == 1 {
				at = m[3] - 1
			}
			list = append(list, edited(b.name, name, fmt.Sprintf("figure at %d: %s", at, text[m[0]:m[1]]), true, func(text string) string { return raised(text, at) }))
		}
	}
	return list
}

// byteEdits changes a byte of each file, without and with its new SHA-256 in the manifest. Where the page reads the file,
// figureEdits changes figures instead.
func byteEdits(b *basePackage) (list []alteration) {
	p, err := closing.Open(b.request.Dir)
	if err != nil {
		panic(err)
	}
	flip := func(text string) string {
		at := len(text) / 2
		return text[:at] + string([]byte{text[at] ^ 1}) + text[at+1:]
	}
	for _, f := range p.Manifest.Files {
		list = append(list, alteration{b.name, "a byte, not in the manifest", f.Name, true, false, func(t *testing.T, dir string) {
			path := filepath.Join(dir, filepath.FromSlash(f.Name))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, []byte(flip(string(text))), 0o600))
		}, ""})
		switch filepath.Ext(f.Name) {
		case ".xlsx", ".pdf", ".html", ".txt", ".zip":
			list = append(list, edited(b.name, f.Name, "a byte", false, flip))
		}
	}
	return list
}

// relined changes the lines of the records.
func relined(change func([]string) []string) func(string) string {
	return func(text string) string {
		in, err := gzip.NewReader(strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		plain, err := io.ReadAll(in)
		if err != nil {
			panic(err)
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		io.WriteString(w, strings.Join(change(strings.SplitAfter(string(plain), "\n")), ""))
		w.Close()
		return out.String()
	}
}

// redigested changes a record, and its digest.
func redigested(line string, change func([]byte)) string {
	var l struct {
		Block          int
		Time           *string
		Digest, Record string
	}
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		panic(err)
	}
	record, _ := hex.DecodeString(l.Record)
	change(record)
	sum := sha256.Sum256(record)
	line = strings.Replace(line, l.Record, hex.EncodeToString(record), 1)
	return strings.Replace(line, l.Digest, hex.EncodeToString(sum[:]), 1)
}

func exchanged(old, now string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, now, 1) }
}

// withoutRow removes the nth element of a list in JSON that is indented, or a line of CSV.
func withoutRow(pattern string) func(string) string {
	return func(text string) string {
		at := regexp.MustCompile(pattern).FindStringIndex(text)
		if at == nil {
			return text
		}
		return text[:at[0]] + text[at[1]:]
	}
}

// planned are alterations of structure: rows, accounts, seals, acts, verdicts, steps, signatures, records, options, and odd
// forms.
func planned() []alteration {
	swap := func(a, b string) func(string) string {
		return func(text string) string { return strings.NewReplacer(a, b, b, a).Replace(text) }
	}
	acts, records := "inputs/acts.csv", app.RecordsFile
	nothingMoved, minusOne := chain.Some(chain.SignedWei{}), chain.NewWei(1).Signed().Negated()
	var alone []any // the lines of an account
	list := []alteration{
		// rows
		edited("month", "report.csv", "a row dropped", true, withoutRow(`2026-01-01,.*\n`)),
		edited("month", "accounts.csv", "a row dropped", true, withoutRow(`0xf24F.*\n`)),
		edited("month", "statements.json", "a movement dropped", true, withoutRow(`\n    \{"place":"4-4".*`)),
		edited("month", "statements.json", "a movement twice", true, func(text string) string {
			row := regexp.MustCompile(`\n    \{"place":"4-4".*`).FindString(text)
			return strings.Replace(text, row, row+row, 1)
		}),
		edited("month", "reconciliation.json", "a row dropped", true, func(text string) string {
			at := strings.LastIndex(text, ",\n    {\n      \"outcome\"")
			return text[:at] + "\n  ]\n}\n"
		}),
		edited("month", "journal.hledger", "an entry dropped", true, withoutRow(`(?s)\n2026-01-01 \* \(0x[0-9a-f]+\) block 4-4.*?\n\n`)),
		edited("chart", "journal.beancount", "an entry dropped", true, withoutRow(`(?s)\n2026-01-01 \* "block 4-4.*?\n\n`)),
		edited("record", "journal.ledger", "an entry dropped", true, withoutRow(`(?s)\n2026-01-01 \* \(0x[0-9a-f]+\) block 4-4.*?\n\n`)),
		edited("february", "variance.csv", "a row dropped", true, withoutRow(`new_calls,.*\n`)),
		edited("month", "findings.csv", "a row dropped", true, withoutRow(`check,2,.*\n`)),
		edited("month", "inputs/accounts.csv", "a row dropped", true, withoutRow(`0xf24F.*\n`)),
		// accounts
		edited("month", "statements.json", "accounts swapped", true, swap(alith, baltathar)),
		edited("month", "accounts.json", "accounts swapped", true, swap(alith, baltathar)),
		edited("month", "rollforward.json", "accounts swapped", true, swap(alith, baltathar)),
		edited("month", "inputs/accounts.csv", "accounts swapped", true, swap(alith, baltathar)),
		restated("month", "accounts swapped", func(m *closing.Manifest) { m.Accounts[0], m.Accounts[1] = m.Accounts[1], m.Accounts[0] }),
		restated("month", "a label", func(m *closing.Manifest) { m.Accounts[0].Label = "other" }),
		// the manifest
		restated("month", "the seal", func(m *closing.Manifest) { m.Blocks.Seal = strings.Repeat("a", 64) }),
		restated("month", "the first hash", func(m *closing.Manifest) { m.Blocks.FirstHash = m.Blocks.LastHash }),
		restated("month", "the last hash", func(m *closing.Manifest) { m.Blocks.LastHash = m.Blocks.FirstHash }),
		restated("month", "the last block", func(m *closing.Manifest) { m.Blocks.Last++; m.Blocks.Count++; m.Evidence.Blocks++ }),
		restated("month", "the rules", func(m *closing.Manifest) { m.Blocks.Rules = []string{"moonbeam/1"} }),
		restated("month", "the fee", func(m *closing.Manifest) { m.Totals.Fee = chain.NewWei(1) }),
		restated("month", "the charged sum", func(m *closing.Manifest) { m.Totals.Charged = chain.Some(chain.NewWei(1)) }),
		restated("month", "no charged sum", func(m *closing.Manifest) { m.Totals.Charged = chain.Optional[chain.Wei]{} }),
		restated("month", "the count", func(m *closing.Manifest) { m.Totals.EVM++ }),
		restated("month", "the gas", func(m *closing.Manifest) { m.Totals.Gas = chain.Some[uint64](1) }),
		restated("month", "the opening balance", func(m *closing.Manifest) { m.Balances.Opening = chain.NewWei(1) }),
		restated("month", "no balances", func(m *closing.Manifest) { m.Balances = nil }),
		restated("month", "the drifts", func(m *closing.Manifest) { m.Findings.Drifts++ }),
		restated("month", "the differences", func(m *closing.Manifest) { m.Findings.Differences++ }),
		restated("record", "no differences", func(m *closing.Manifest) { m.Findings.Differences = 0 }),
		restated("month", "the statements", func(m *closing.Manifest) { m.Findings.Statements++ }),
		restated("month", "the rollforward", func(m *closing.Manifest) { m.Findings.Rollforward = 1 }),
		restated("month", "the period", func(m *closing.Manifest) { m.Period.Month = "2026-02" }),
		restated("month", "the end of the period", func(m *closing.Manifest) { m.Period.Before = "2026-03-01T00:00:00Z" }),
		restated("month", "the network", func(m *closing.Manifest) { m.Network = "moonriver" }),
		restated("month", "with", func(m *closing.Manifest) { m.Options.With = app.WithFees }),
		restated("month", "the journal", func(m *closing.Manifest) { m.Options.Journal = "ledger" }),
		restated("month", "no records", func(m *closing.Manifest) { m.Options.Records = false }),
		restated("month", "no rollforward", func(m *closing.Manifest) { m.Options.Rollforward = false }),
		restated("month", "no reconciliation", func(m *closing.Manifest) { m.Options.Reconciliation = nil }),
		restated("february", "no variance", func(m *closing.Manifest) { m.Options.Variance = nil }),
		restated("february", "the variance's period", func(m *closing.Manifest) { m.Options.Variance.Against = "2025-12" }),
		restated("acts", "no acts", func(m *closing.Manifest) { m.Options.Acts = false }),
		restated("acts", "the trail", func(m *closing.Manifest) { m.Trail.Digest = ledger.Digest{1} }),
		restated("acts", "a longer trail", func(m *closing.Manifest) { m.Trail.Lines++ }),
		restated("no-balances", "balances", func(m *closing.Manifest) { m.Options.Balances = true }),
		restated("year", "the version before", func(m *closing.Manifest) { m.Previous = strings.Repeat("a", 64) }),
		restated("no-records", "the fee", func(m *closing.Manifest) { m.Totals.Fee = chain.NewWei(1) }),
		// the figures of the cover
		restated("posted", "an amount of the cover", func(m *closing.Manifest) { m.Figures[2].Amount = m.Figures[0].Amount }),
		restated("posted", "a value of the cover", func(m *closing.Manifest) { m.Figures[0].Value = chain.Some("1.00") }),
		restated("posted", "no value of the cover", func(m *closing.Manifest) { m.Figures[len(m.Figures)-1].Value = chain.Optional[string]{} }),
		restated("posted", "the valuation difference", func(m *closing.Manifest) { m.Figures[len(m.Figures)-2].Value = chain.Some("0.00") }),
		restated("posted", "a line less on the cover", func(m *closing.Manifest) { m.Figures = slices.Delete(m.Figures, 2, 3) }),
		restated("posted", "a line more on the cover", func(m *closing.Manifest) { m.Figures = append(m.Figures, closing.Figure{Name: "bonus"}) }),
		restated("month", "no cover", func(m *closing.Manifest) { m.Figures = nil }),
		// unknown amounts and values
		recolumned("posted", "a line that is unknown hides the fees", func(columns []any) []any {
			for _, c := range columns {
				set(c, "", map[string]any{"valuation_difference": nil})
				set(c, "sent", unknown)
				set(c, "fees", map[string]any{"free": "-1", "total": "-1", "value": "0.00", "count": 1, "classes": []any{
					map[string]any{"class": "fee", "direction": "out", "count": 1, "free": "-1", "reserved": "0", "total": "-1", "value": "0.00"},
				}})
			}
			return columns
		}, and(notOnCover("sent"), onCover("fees", chain.Some(minusOne), "0.00"), onCover("valuation_difference", nothingMoved, ""))),
		recolumned("posted", "an unknown amount of all accounts", lastOf(func(c any) {
			set(c, "", map[string]any{"valuation_difference": nil})
			set(c, "sent", unknown)
		}), and(onCover("sent", chain.Optional[chain.SignedWei]{}, ""), onCover("valuation_difference", nothingMoved, ""))),
		recolumned("no-balances", "a line that is unknown, not on the cover", func(columns []any) []any {
			for _, c := range columns {
				set(c, "sent", unknown)
			}
			return columns
		}, notOnCover("sent")),
		restated("no-balances", "a line less on the cover", notOnCover("sent")),
		recolumned("posted", "an unknown value counts as 0", lastOf(func(c any) {
			set(c, "", map[string]any{"valuation_difference": "266.60"})
			set(c, "sent", map[string]any{"value": nil})
		}), and(func(m *closing.Manifest) { onCover("sent", m.Figures[2].Amount, "")(m) }, onCover("valuation_difference", nothingMoved, "266.60"))),
		recolumned("posted", "an unknown valuation difference", lastOf(func(c any) { set(c, "", map[string]any{"valuation_difference": nil}) }), onCover("valuation_difference", nothingMoved, "")),
		recolumned("posted", "a value without movements", lastOf(func(c any) {
			set(c, "", map[string]any{"valuation_difference": "-722.46"})
			set(c, "rewards", map[string]any{"value": "1000.00"})
		}), and(onCover("valuation_difference", nothingMoved, "-722.46"), func(m *closing.Manifest) {
			m.Figures = slices.Insert(m.Figures, 2, closing.Figure{Name: "rewards", Amount: nothingMoved, Value: chain.Some("1000.00")})
		})),
		recolumned("no-balances", "a value without prices", lastOf(func(c any) { set(c, "sent", map[string]any{"value": "-1.00"}) }), func(m *closing.Manifest) { onCover("sent", m.Figures[1].Amount, "-1.00")(m) }),
		edited("posted", "statements.json", "an unknown worth of the movements counts as 0", true, func(text string) string {
			return strings.NewReplacer(`"movements_worth": "-4.71"`, `"movements_worth": null`, `"valuation_difference": "138.70"`, `"valuation_difference": "133.99"`).Replace(text)
		}),
		edited("posted", "statements.json", "an unknown valuation difference", true, exchanged(`"valuation_difference": "138.70"`, `"valuation_difference": null`)),
		// the columns of the rollforward
		recolumned("no-balances", "no column of all accounts", func(columns []any) []any {
			alone = columns[1].(map[string]any)["lines"].([]any)
			return columns[:2]
		}, func(m *closing.Manifest) {
			m.Figures = nil
			for _, l := range alone {
				var f closing.Figure
				l := l.(map[string]any)
				if f.Name = l["line"].(string); l["total"] != "0" || slices.Contains([]string{"received", "sent", "fees"}, f.Name) {
					amount, err := chain.ParseSignedWei(l["total"].(string))
					if err != nil {
						panic(err)
					}
					f.Amount = chain.Some(amount)
					m.Figures = append(m.Figures, f)
				}
			}
		}),
		recolumned("no-balances", "a column twice", func(columns []any) []any { return append(columns[:1:1], columns...) }, nil),
		recolumned("no-balances", "another last block", lastOf(func(c any) { set(c, "", map[string]any{"last_block": 26}) }), nil),
		restated("posted", "no cover", func(m *closing.Manifest) { m.Figures = nil }),
		// posted journals
		more("posted", "posted/EXTF_datev_2.csv", "\"EXTF\"\n9999,00;\"S\"\n"),
		more("month", "posted/xero.csv", "*Amount\n9999.00\n"),
		reposted("the tie-out names another file", map[string]func(string) string{
			app.TieFile:             exchanged("datev,file,posted/EXTF_datev.csv", "datev,file,posted/xero.csv"),
			"posted/EXTF_datev.csv": exchanged("\n0,32;", "\n9999,00;"),
		}),
		reposted("the tie-out names a file twice", map[string]func(string) string{
			app.TieFile: exchanged("xero,file,posted/xero.csv,0.35,0.35,,,,,EUR,\n", "xero,file,posted/xero.csv,0.35,0.35,,,,,EUR,\nxero,file,posted/xero.csv,0.00,0.00,,,,,EUR,\n"),
		}),
		reposted("a row with a quoted amount", map[string]func(string) string{"posted/EXTF_datev.csv": exchanged("\r\n0,32;", "\r\n\"5000,00\";\"S\";\r\n0,32;")}),
		reposted("credits", map[string]func(string) string{"posted/EXTF_datev.csv": exchangedAll(`;"S";`, `;"H";`)}),
		reposted("a row in a text", map[string]func(string) string{"posted/EXTF_datev.csv": exchanged(`;"";`, ";\"\r\n0,00;\"S\";\";")}),
		reposted("other values than the report's", map[string]func(string) string{
			"posted/xero.csv": func(text string) string {
				return strings.NewReplacer(",0.32,", ",1.32,", ",-0.35,", ",-1.35,").Replace(text)
			},
			app.TieFile: func(text string) string {
				return regexp.MustCompile(`(?m)^xero.*$`).ReplaceAllStringFunc(text, func(row string) string {
					return strings.NewReplacer("0.35", "1.35", "0.32", "1.32", ",0.3470", ",1.3470").Replace(row)
				})
			},
		}),
		reposted("an exact value that does not round to the report's", map[string]func(string) string{app.TieFile: func(text string) string {
			return strings.NewReplacer("0.3470877778635805676061", "0.3570877778635805676061", "0.0029122221364194323939", "-0.0070877778635805676061").Replace(text)
		}}),
		reposted("no value of the report", map[string]func(string) string{app.TieFile: func(text string) string {
			return regexp.MustCompile(`(?m)^(xero,report,.*,)0\.\d+(,EUR,)agrees$`).ReplaceAllString(text, "${1}${2}not known")
		}}),
		restated("posted", "a posted journal that differs", func(m *closing.Manifest) { m.Findings.Posted = 1 }),
		restated("posted", "an accounting system less", func(m *closing.Manifest) { m.Options.Posted = m.Options.Posted[1:] }),
		restated("posted", "no accounting system", func(m *closing.Manifest) { m.Options.Posted = nil }),
		edited("posted", app.TieFile, "a row dropped", true, withoutRow(`xero,account,1500.*\n`)),
		edited("posted", app.TieFile, "a result", true, exchanged("agrees", "DIFFERS")),
		edited("posted", app.TieFile, "fees of both sides", true, exchangedAll("162061809713582933", "162061809713582934")),
		edited("posted", app.TieFile, "a count", true, exchanged(",journal,,,,26,", ",journal,,,,25,")),
		edited("posted", app.TieFile, "the rounding", true, exchanged(",rounding difference,,,,,,,", ",rounding difference,,,,,,,1")),
		edited("posted", "posted/xero.csv", "a row dropped", true, withoutRow(`FEE.*,-\d.*\n`)),
		edited("posted", "posted/EXTF_datev.csv", "a row dropped", true, withoutRow(`(?m)^\d+,\d\d;"S".*\n`)),
		edited("posted", "posted/xero.csv", "an account", false, exchanged("6810", "6811")),
		edited("posted", app.TieFile, "the name of an account", false, exchanged("6810", "6819")),
		// the verdict of the reconciliation
		edited("record", "reconciliation.json", "reconciled", true, exchanged(`"reconciled": false`, `"reconciled": true`)),
		edited("record", "reconciliation.json", "the headline", true, func(text string) string {
			return regexp.MustCompile(`"headline": "[^"]*"`).ReplaceAllString(text, `"headline": "all 26 match"`)
		}),
		edited("record", "reconciliation.json", "an outcome", true, exchanged("      \"outcome\": \"only_on_chain\"", "      \"outcome\": \"matched\"")),
		edited("record", "reconciliation.json", "an accepted difference", true, func(text string) string {
			at := strings.LastIndex(text, `"outcome": "only_on_chain",`)
			return text[:at] + `"accepted": {"by": "x"}, ` + text[at:]
		}),
		edited("record", "reconciliation.json", "an entry of a sum", false, exchanged(`"outcome": "only_on_chain",`, `"more": 1, "outcome": "only_on_chain",`)),
		edited("month", "reconciliation.json", "not reconciled", true, exchanged(`"reconciled": true`, `"reconciled": null`)),
		edited("month", "reconciliation.json", "an ID", true, exchanged(`"id": "4-4"`, `"id": "4-5"`)),
		edited("month", "reconciliation.json", "an amount in tokens", true, exchanged(`"books_token": "0.0`, `"books_token": "1.0`)),
		edited("month", "reconciliation.json", "a hash", true, exchanged(`"extrinsic_hash": "0x`, `"extrinsic_hash": "0xf`)),
		// steps
		edited("february", "variance.json", "a step's name", true, exchanged(`"step":"new_calls"`, `"step":"gas"`)),
		edited("february", "variance.json", "a step dropped", true, withoutRow(`\n    \{"step":"new_calls","amount":"109.*`)),
		edited("february", "variance.json", "its accounts", true, exchanged(alith, sender)),
		// verdicts of balances
		edited("month", "statements.json", "proved", true, exchanged(`"proved": true`, `"proved": false`)),
		edited("month", "statements.json", "a difference", true, exchanged(`"differences": []`, `"differences": [{}]`)),
		edited("month", "statements.json", "of_fee", true, exchanged(`"of_fee":true`, `"of_fee":false`)),
		edited("month", "statements.json", "not of a fee", true, exchanged(`"of_fee":false`, `"of_fee":true`)),
		edited("month", "statements.json", "a kind", true, exchanged(`"kind":"transfer-out"`, `"kind":"transfer-in"`)),
		edited("month", "statements.json", "a time", true, exchanged(`"time":"2026-01-01T00:00:36Z"`, `"time":"2026-01-01T00:00:37Z"`)),
		edited("month", "statements.json", "a place", true, exchanged(`"place":"4-4"`, `"place":"4-5"`)),
		edited("month", "statements.json", "a call", true, exchanged(`"call":"ethereum.transact"`, `"call":"balances.transfer"`)),
		edited("month", "statements.json", "a verdict", true, exchanged(`"verdict":"match"`, `"verdict":"drift"`)),
		edited("month", "rollforward.json", "proved", true, exchanged(`"proved": true`, `"proved": false`)),
		edited("month", "rollforward.json", "no balance", true, exchanged(`"closing_total": "`, `"closing_total": "1`)),
		edited("no-balances", "statements.json", "proved", true, exchanged(`"proved": false`, `"proved": true`)),
		// consistent figures: the same amount everywhere in a file
		edited("month", "report.json", "the fee everywhere", true, exchangedAll("162061809713582933", "162061809713582934")),
		edited("month", "accounts.json", "a fee everywhere", true, exchangedAll("87699651332635561", "87699651332635562")),
		edited("month", "rollforward.json", "a line and its class", true, exchangedAll("-87699651332635561", "-87699651332635560")),
		edited("month", "journal.hledger", "an entry without a block", true, added("\n2026-01-01 * Bonus\n    Assets:Bonus  1000.0 GLMR\n    Income:Bonus  -1000.0 GLMR\n")),
		edited("month", "journal.hledger", "a date of another form", true, added("\n2026/01/01 Bonus\n    Assets:Bonus  1000.0 GLMR\n    Income:Bonus  -1000.0 GLMR\n")),
		edited("month", "journal.hledger", "a comment around all", true, func(text string) string { return "comment\n" + text + "\nend comment\n" }),
		edited("month", "journal.hledger", "an included file", true, added("include other.journal\n")),
		edited("month", "journal.hledger", "a rule", true, added("\n= Expenses\n    Assets:Bonus  1.0 GLMR\n")),
		edited("record", "journal.ledger", "lower-case postings", true, exchanged("\n    Assets:", "\n    assets:x  500 GLMR\n    equity:x  -500 GLMR\n    Assets:")),
		edited("month", "statements.json", "the list under another name", true, exchanged(`"movements": [`, `"movements": [], "rows": [`)),
		edited("month", "report.json", "the groups elsewhere", true, exchanged(`"groups": [`, `"groups": [], "other": [`)),
		edited("month", "journal.hledger", "a fee and its account", true, exchangedAll("0.002100000000000000 GLMR", "0.002100000000000001 GLMR")),
		{"month", "totals of the manifest and the reports", "report.json", true, false, func(t *testing.T, dir string) {
			everywhere := exchangedAll("162061809713582933", "162061809713582934")
			reseal(t, dir, func(name string, text []byte) []byte {
				if strings.HasPrefix(name, "report.") || strings.HasPrefix(name, "accounts.") || name == "about.txt" {
					return []byte(everywhere(string(text)))
				}
				return text
			}, func(m *closing.Manifest) {
				one, _ := m.Totals.Fee.Add(chain.NewWei(1))
				m.Totals.Fee, m.Totals.Charged = one, chain.Some(one)
			})
		}, ""},
		// acts
		edited("acts", acts, "a user", true, exchanged(",bob,approved", ",eve,approved")),
		edited("acts", acts, "a time", true, exchanged("2026-02-02T02:40:00Z", "2026-02-02T02:39:00Z")),
		edited("acts", acts, "a comment", true, exchanged("and no", "and yes")),
		edited("acts", acts, "an act dropped", true, withoutRow(`2,2026.*\n`)),
		edited("acts", acts, "the last act dropped", true, withoutRow(`3,2026.*\n`)),
		edited("acts", acts, "acts swapped", true, func(text string) string {
			l := strings.SplitAfter(text, "\n")
			l[1], l[2] = l[2], l[1]
			return strings.Join(l, "")
		}),
		edited("acts", acts, "a column", true, exchanged("user,act", "act,user")),
		edited("acts", acts, "a manifest", true, func(text string) string {
			return regexp.MustCompile(`,UTC,[0-9a-f]{64}`).ReplaceAllString(text, ",UTC,"+strings.Repeat("b", 64))
		}),
		// records
		edited("month", records, "truncated", true, func(text string) string { return text[:len(text)/2] }),
		edited("month", records, "more after the end", true, func(text string) string { return text + "x" }),
		edited("month", records, "not gzip", true, func(string) string { return "records" }),
		edited("month", records, "empty", true, relined(func([]string) []string { return nil })),
		edited("month", records, "a line dropped", true, relined(func(l []string) []string { return slices.Delete(l, 5, 6) })),
		edited("month", records, "the first line dropped", true, relined(func(l []string) []string { return l[1:] })),
		edited("month", records, "the last line dropped", true, relined(func(l []string) []string { return l[:len(l)-2] })),
		edited("month", records, "a line twice", true, relined(func(l []string) []string { return slices.Insert(l, 5, l[5]) })),
		edited("month", records, "lines swapped", true, relined(func(l []string) []string { l[5], l[6] = l[6], l[5]; return l })),
		edited("month", records, "without the last line feed", true, relined(func(l []string) []string {
			l[len(l)-2] = strings.TrimSuffix(l[len(l)-2], "\n")
			return l
		})),
		edited("month", records, "a key more", true, relined(func(l []string) []string { l[3] = strings.Replace(l[3], `{`, `{"x":1,`, 1); return l })),
		edited("month", records, "an empty line", true, relined(func(l []string) []string { return slices.Insert(l, 3, "\n") })),
		edited("month", records, "a time", true, relined(func(l []string) []string {
			l[3] = strings.Replace(l[3], `:12Z`, `:13Z`, 1)
			l[4] = strings.Replace(l[4], `T00`, `T01`, 1)
			return l
		})),
		edited("month", records, "a byte of a record, with its digest", true, relined(func(l []string) []string { l[4] = redigested(l[4], func(r []byte) { r[len(r)-1] ^= 1 }); return l })),
		edited("month", records, "a hash, with its digest", true, relined(func(l []string) []string { l[4] = redigested(l[4], func(r []byte) { r[20] ^= 1 }); return l })),
		edited("month", records, "a height, with its digest", true, relined(func(l []string) []string { l[4] = redigested(l[4], func(r []byte) { r[8] ^= 64 }); return l })),
		edited("month", records, "a version, with its digest", true, relined(func(l []string) []string { l[4] = redigested(l[4], func(r []byte) { r[0] = 3 }); return l })),
		edited("month", records, "a long list, with its digest", true, relined(func(l []string) []string { l[4] = redigested(l[4], func(r []byte) { r[73] = 0xff }); return l })),
		edited("no-records", "report.json", "the totals' fee", true, func(text string) string { return raised(text, strings.LastIndex(text, `"fee": "`)+10) }),
		// odd forms
		edited("month", "report.json", "a key twice", true, exchanged(`"evm": `, `"evm": 0, "evm": `)),
		edited("month", "report.json", "a number with an exponent", true, exchanged(`"evm": 20`, `"evm": 2e1`)),
		edited("month", "report.json", "a count as text of another form", true, exchanged(`"evm": 20`, `"evm": "020"`)),
		edited("month", "report.json", "a number with a fraction", true, exchanged(`"evm": 20`, `"evm": 20.0`)),
		edited("month", "report.json", "an entry more", true, exchanged(`"evm": 20`, `"other": 1, "evm": 20`)),
		edited("month", "report.json", "text after the end", true, func(text string) string { return text + "{}" }),
		edited("month", "report.json", "cut off", true, func(text string) string { return text[:len(text)-3] }),
		edited("month", "report.json", "deep", true, func(text string) string { return strings.Repeat("[", 100_000) + text }),
		edited("month", "statements.json", "an amount with a sign", true, exchanged(`"amount":"2100`, `"amount":"+2100`)),
		edited("month", "statements.json", "an amount as number", true, exchanged(`"free":"-2100000000000000"`, `"free":-2100000000000000`)),
		edited("month", "statements.json", "__proto__", true, exchanged(`"proved": true`, `"__proto__": {"proved": true}`)),
		edited("month", "statements.json", "a byte order mark", true, func(text string) string { return "\ufeff" + text }),
		edited("month", "report.csv", "an open quote", true, func(text string) string { return text + `"` }),
		edited("month", "networks.json", "another network", true, exchanged(`"moonbeam"`, `"moonriver"`)),
		{"month", "an unknown file", "more.txt", true, false, func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "more.txt"), nil, 0o600))
		}, ""},
		{"month", "an unknown file in inputs", "inputs/more.txt", true, false, func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "inputs", "more.txt"), nil, 0o600))
		}, ""},
		{"month", "a version that is none", "versions/1/manifest.json", true, false, func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "versions", "1"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "versions", "1", "manifest.json"), nil, 0o600))
		}, ""},
		{"year", "the version before", "versions", true, false, func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, "versions"))) }, ""},
		{"year", "a file of the version before", "versions/1/report.csv", false, true, func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "versions", "1", "report.csv"), []byte("x"), 0o600))
		}, ""},
		{"year", "a file more in the version before", "versions/1/more", false, true, func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "versions", "1", "more"), []byte("x"), 0o600))
		}, ""},
		edited("year", "changes.json", "a change", false, exchanged(`"version": 2`, `"version": 3`)),
		// the signature
		{"signed", "another signature", closing.SignatureFile, true, false, func(t *testing.T, dir string) { resigned(t, dir, func([]byte) []byte { return nil }) }, ""},
		{"signed", "a signature of other bytes", closing.SignatureFile, true, false, func(t *testing.T, dir string) {
			resigned(t, dir, func(m []byte) []byte { return append(m, ' ') })
		}, ""},
		{"signed", "an altered signature", closing.SignatureFile, true, false, func(t *testing.T, dir string) {
			path := filepath.Join(dir, closing.SignatureFile)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			at := len(text) - 60
			text[at] ^= 1
			require.NoError(t, os.WriteFile(path, text, 0o600))
		}, ""},
		{"signed", "no signature", closing.SignatureFile, true, false, func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, closing.SignatureFile)))
		}, ""},
		// what only the ledger shows
		edited("month", "inputs/books.csv", "the record", false, exchanged("Kosten", "Kosten ")),
		edited("month", "inputs/names.csv", "a name", false, exchanged("Assets:Alith", "Assets:Other")),
		edited("chart", "inputs/prices.csv", "a price", false, exchanged("0.25", "0.26")),
		edited("chart", "inputs/chart.csv", "an account code", false, exchanged("Expenses:Gas", "Expenses:Other")),
		edited("chart", "inputs/tags.csv", "a tag", false, exchanged("A", "B")),
		edited("chart", "report.json", "a value in EUR, not in report.csv", true, exchanged(`"fee_eur": "0`, `"fee_eur": "9`)),
		edited("chart", "report.json", "a total in EUR", false, func(text string) string {
			at := strings.LastIndex(text, `"fee_eur": "`) + len(`"fee_eur": "`)
			return raised(text, at)
		}),
		restated("month", "the program", func(m *closing.Manifest) { m.Tool = "another" }),
		restated("month", "the genesis", func(m *closing.Manifest) { m.Genesis = m.Blocks.LastHash }),
	}
	for i := range list {
		switch list[i].what {
		case "the program", "the genesis":
			list[i].found, list[i].partly = false, true
		case "a total in EUR", "an entry of a sum", "an account", "the name of an account":
			list[i].partly = true
		}
	}
	return list
}

func exchangedAll(old, now string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, old, now) }
}

// added returns a function that adds lines at the end.
func added(lines string) func(string) string {
	return func(text string) string { return text + lines }
}

// madeAgain are packages that fees made from other blocks, so that every file fits the others. The page finds that with
// what was kept elsewhere only.
func madeAgain(t *testing.T, b *basePackage) (list []alteration) {
	t.Helper()
	p, err := closing.Open(b.request.Dir)
	require.NoError(t, err)
	for _, height := range []uint64{4, 11, 19, 25} {
		change := func(b *chain.Block) error {
			if b.Number != height {
				return nil
			}
			return movedTo(height, fmt.Sprint(1767225600000+12_000*height+1))(b)
		}
		other := b.request
		other.Dir = filepath.Join(t.TempDir(), "other")
		packed(t, opened(t, changedUpTo(t, "0..27", change)), other)
		apply := func(t *testing.T, dir string) {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.CopyFS(dir, os.DirFS(other.Dir)))
		}
		what := fmt.Sprintf("made again with another block %d", height)
		list = append(list, alteration{base: b.name, what: what, file: app.RecordsFile, partly: true, apply: apply},
			alteration{b.name, what + ", seal kept", app.RecordsFile, true, false, apply, p.Manifest.Blocks.Seal},
			alteration{b.name, what + ", SHA-256 kept", closing.ManifestFile, true, false, apply, p.Sum})
	}
	return list
}

// resigned signs the manifest, or a change of it, with another key.
func resigned(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	key, err := signature.OpenKey(t.Context(), write(t, "other", string(pem.EncodeToMemory(block))), signature.Secrets{})
	require.NoError(t, err)
	manifest, err := os.ReadFile(filepath.Join(dir, closing.ManifestFile))
	require.NoError(t, err)
	if changed := change(slices.Clone(manifest)); changed != nil {
		manifest = changed
	}
	text, err := key.Sign(manifest, closing.Namespace)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, closing.SignatureFile), text, 0o600))
}

// The page finds what differs in an altered package, or says that it does not check it; fees close --check, with the
// ledger, finds all of it. Both find nothing in the packages as they were made.
func TestPageIsAnOracle(t *testing.T) {
	long(t)
	bases := basePackages(t)
	byName, cases := map[string]*basePackage{}, []pageCase{}
	var list []alteration
	for i := range bases {
		b := &bases[i]
		byName[b.name] = b
		cases = append(cases, pageCase{b.request.Dir, b.kept})
		list = append(list, figureEdits(t, b, 2)...)
		if b.name == "month" || b.name == "chart" || b.name == "acts" || b.name == "posted" {
			list = append(list, byteEdits(b)...)
		}
	}
	list = append(append(list, planned()...), madeAgain(t, byName["month"])...)
	require.GreaterOrEqual(t, len(list), 200)
	for _, a := range list {
		dir := filepath.Join(t.TempDir(), "altered")
		require.NoError(t, os.CopyFS(dir, os.DirFS(byName[a.base].request.Dir)))
		a.apply(t, dir)
		cases = append(cases, pageCase{dir, cmp.Or(a.kept, byName[a.base].kept)})
	}
	reports := byPage(t, cases)
	for i, b := range bases {
		require.Zero(t, reports[i].Bad, "%s\n%s", b.name, reports[i].differences())
		require.Empty(t, verdictOf(t, b.request.Dir, &b), b.name)
	}
	counts, wrong := map[string]int{}, []string{}
	for i, a := range list {
		r := &reports[len(bases)+i]
		name := fmt.Sprintf("%s, %s: %s", a.base, a.file, a.what)
		found := verdictOf(t, cases[len(bases)+i].Dir, byName[a.base])
		switch {
		case found == "" && a.file != closing.SignatureFile: // without --signers, the check accepts any signer
			wrong = append(wrong, name+": fees close --check finds nothing")
		case strings.Contains(r.differences(), "Stopped: Cannot"):
			wrong = append(wrong, name+": the page fails\n"+r.differences())
		case a.found && r.Verdict != "bad":
			wrong = append(wrong, name+": a wrong green")
		case !a.found && r.Verdict != "grey":
			wrong = append(wrong, name+": a wrong red\n"+r.differences())
		case !a.found && r.content(a.file) != onlyHash && !a.partly:
			wrong = append(wrong, name+": the page does not say that it does not check it")
		case a.found:
			counts["found by both"]++
		default:
			counts["not checked by the page, and said so"]++
		}
	}
	require.Empty(t, strings.Join(wrong, "\n"))
	t.Logf("%d alterations: %v", len(list), counts)

	t.Run("browser", func(t *testing.T) {
		byBrowser(t, cases, reports, 5)
	})
}

// byBrowser checks each nth package in a browser, which finds the same as node.
func byBrowser(t *testing.T, cases []pageCase, reports []pageReport, each int) {
	browser, dir := browsertest.Start(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, closing.PageFile), closing.Page, 0o600))
	tab := browser.Tab(t, "file://"+dir, browsertest.Options{})
	tab.Open("/" + closing.PageFile)
	count := 0
	for i := 0; i < len(cases); i += each {
		browsertest.Ask[bool](tab, fmt.Sprintf(`(document.querySelector("#kept").value = %q, delete document.querySelector("#result").dataset.report)`, cases[i].Kept))
		tab.Select("#folder").Choose(cases[i].Dir)
		tab.Until(`!!document.querySelector("#result").dataset.report`)
		r := browsertest.Ask[pageReport](tab, `JSON.parse(document.querySelector("#result").dataset.report)`)
		require.Equal(t, []int{reports[i].OK, reports[i].Bad, reports[i].Grey}, []int{r.OK, r.Bad, r.Grey}, "%s\n%s", cases[i].Dir, r.differences())
		count++
	}
	t.Logf("%d packages in the browser", count)
}

// The page reads packages of other chains: with accounts of 32 bytes, other decimals, and deposits beside fees.
func TestPageOfAHub(t *testing.T) {
	long(t)
	src, err := answers.OpenDirectory(pairs.Path(t, "passet-1019002", "gateway"))
	require.NoError(t, err)
	d, err := app.Temporary(t.Context(), "of a hub", app.Heights(0, 39), app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}})
	require.NoError(t, err)
	defer d.Close()
	var at chain.Time
	for b, err := range d.Book.Blocks(t.Context(), ledger.Query{Span: chain.Heights{First: 39, Last: 39}}) {
		require.NoError(t, err)
		at, _ = b.Time.Get()
	}
	q := app.PackageRequest{
		Dir: filepath.Join(t.TempDir(), "hub"), PeriodInput: app.PeriodInput{Month: at.String()[:7], Partial: true}, Journal: "hledger", With: app.WithFees,
		PackageOptions: app.PackageOptions{Program: "a test"},
	}
	r, err := d.Report(t.Context(), app.Request{Period: parsed(t, q.PeriodInput)}, report.Choice{By: report.Account})
	require.NoError(t, err)
	for _, g := range r.Groups {
		if account, known := g.Account.Get(); known {
			q.Accounts = append(q.Accounts, r.Token.Account(account))
		}
	}
	require.Greater(t, len(q.Accounts), 5)
	rows := "extrinsic_hash,fee_wei\n" // of the fees in the token
	for x, err := range d.Book.Transactions(t.Context(), ledger.Query{Span: chain.Heights{Last: 39}}) {
		require.NoError(t, err)
		if charged, known := x.Charged.Get(); known && !x.InAsset() && !charged.IsZero() {
			rows += x.Hash.String() + "," + charged.String() + "\n"
		}
	}
	with := q
	with.Dir += "-reconciled"
	with.Books.Path = filepath.Join(t.TempDir(), "record.csv")
	require.NoError(t, os.WriteFile(with.Books.Path, []byte(rows), 0o600))
	cases := []pageCase{{q.Dir, packed(t, d, q).Manifest.Blocks.Seal}, {with.Dir, packed(t, d, with).Manifest.Blocks.Seal}}
	for _, found := range byPage(t, cases) {
		require.Zero(t, found.Bad, found.differences())
		require.Greater(t, found.OK, len(q.Accounts))
	}
}

// The page reads journals of several files, and with fees that are not known or have no price. It says of their fees only what
// it recomputed.
func TestPageOfPartialJournals(t *testing.T) {
	d, q := opened(t, changed(t, withoutWithdraws(25))), postedQuestion(t, "datev", "journal-csv")
	q.Summarise, q.Proved = "transaction", false
	q.Chart = write(t, "chart.csv", strings.Replace(everySystem, "layer,", "# journal-csv rows per file: 2\nlayer,", 1))
	unpriced := q
	unpriced.Dir, unpriced.Accounts = unpriced.Dir+"-unpriced", unpriced.Accounts[:1]
	unpriced.Prices.Files = []string{write(t, "prices.csv", "# source: a test\ndate,price\n2025-12-31,2\n")} // not of the day of the fees
	var cases []pageCase
	for _, q := range []app.PackageRequest{q, unpriced} {
		p := packed(t, d, q)
		require.False(t, p.Manifest.Totals.Charged.Known())
		wrong := q.Dir + "-altered"
		require.NoError(t, os.CopyFS(wrong, os.DirFS(q.Dir)))
		reseal(t, wrong, func(name string, text []byte) []byte {
			if name != app.TieFile {
				return text
			}
			item := "journal"
			if q.Dir == unpriced.Dir {
				item = "without a price, not posted"
			}
			charged := tieRows(t, wrong)["datev "+item][0]
			other := raised(charged["charged"], 0)
			whole := strings.Repeat("0", max(0, 19-len(other))) + other
			point := len(whole) - 18
			return []byte(strings.NewReplacer(","+charged["charged"]+",", ","+other+",", charged["charged_token"], whole[:point]+"."+whole[point:]).Replace(string(text)))
		}, nil)
		cases = append(cases, pageCase{Dir: q.Dir}, pageCase{Dir: wrong})
	}
	for i, r := range byPage(t, cases) {
		if i%2 == 1 {
			require.Contains(t, r.differences(), "datev, fees: ")
			continue
		}
		require.Zero(t, r.Bad, r.differences())
		for _, p := range r.Parts {
			for _, l := range p.Lines {
				require.NotContains(t, l.Text, "as in the manifest")
			}
		}
	}
}

// verdictOf returns what fees close --check finds in a package; "" for nothing.
func verdictOf(t *testing.T, dir string, b *basePackage) string {
	t.Helper()
	c, err := check(t, dir, b.place, b.request.PackageOptions)
	if err != nil {
		return err.Error()
	}
	found := slices.Concat(c.Damage, c.Differences)
	for _, s := range c.Signatures {
		if s.Wrong != "" {
			found = append(found, s.Wrong)
		}
	}
	return strings.Join(found, "; ")
}

// The page works without a mouse and in every size, and says what to do without scripts.
func TestPageInABrowser(t *testing.T) {
	long(t)
	d, q := opened(t, copied(t)), question(t)
	q.Dir = filepath.Join(t.TempDir(), "january")
	made := packed(t, d, q)
	browser, url := browsertest.Start(t), "file://"+q.Dir
	for _, o := range []browsertest.Options{{}, {Dark: true}, {Size: browsertest.Size{Width: 720, Height: 900}}, {Size: browsertest.Size{Width: 390, Height: 844}, Dark: true}, {Size: browsertest.Size{Width: 390, Height: 844}}} {
		tab := browser.Tab(t, url, o)
		tab.Open("/" + closing.PageFile)
		require.Empty(t, tab.Barriers())
		tab.Key("\t")
		require.Equal(t, "folder", browsertest.Ask[string](tab, "document.activeElement.id"))
		tab.Select("#folder").Choose(q.Dir)
		tab.Until(`!!document.querySelector("#result").dataset.report`)
		require.Equal(t, "result", browsertest.Ask[string](tab, "document.activeElement.id"), "readers of screens hear the verdict")
		require.Contains(t, tab.Text(), "Nothing differs, as far as this page can check.")
		require.NotContains(t, tab.Text(), "undefined")
		require.Empty(t, tab.Barriers())
		require.Empty(t, tab.Pale())
		require.Empty(t, tab.Overhang())
		require.NotEmpty(t, tab.Print())
		if to := os.Getenv("PICTURES"); to != "" {
			tab.Picture(filepath.Join(to, fmt.Sprintf("%d-%v.png", o.Width, o.Dark)))
			require.NoError(t, os.WriteFile(filepath.Join(to, "print.pdf"), tab.Print(), 0o600))
		}
		tab.Select("#kept").Type(made.Manifest.Blocks.Seal + "x")
		tab.Key("\t")
		tab.Until(`document.querySelector("#result").textContent.includes("The package differs.")`)
	}
	tab := browser.Tab(t, url, browsertest.Options{Scriptless: true})
	tab.Open("/" + closing.PageFile)
	require.Contains(t, tab.Text(), "This page needs scripts. Allow them for this file, or run fees close --check with the folder.")
}
