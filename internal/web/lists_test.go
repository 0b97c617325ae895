package web_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/pdftest"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// madeUp returns a generated ledger with a source of its balances, and an account that paid.
func madeUp(t testing.TB, head uint64) (*app.Ledger, *source.Reader, chain.Address) {
	t.Helper()
	return madeUpAs(t, chaingen.Options{Seed: 7, Rooted: true, Head: head})
}

// madeUpAs returns one with the given options.
func madeUpAs(t testing.TB, o chaingen.Options) (*app.Ledger, *source.Reader, chain.Address) {
	t.Helper()
	made := chaingen.New(o)
	reader := &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}
	place := filepath.Join(t.TempDir(), "fees.db")
	wanted, err := app.PeriodInput{Blocks: fmt.Sprintf("0..%d", o.Head)}.ParseWanted()
	require.NoError(t, err)
	_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	for _, account := range made.Accounts()[1:] {
		a, err := d.Account(t.Context(), app.AccountRequest{Account: account})
		require.NoError(t, err)
		if a.Fees.EVM+a.Fees.Native > 0 {
			return d, reader, account
		}
	}
	t.Fatal("none of the accounts whose balances are known paid")
	return nil, nil, chain.Address{}
}

// broken is a source that fails.
type broken struct {
	source.Source
	failed *atomic.Int64
}

func (b broken) Unwrap() source.Source { return b.Source }

func (b broken) Balance(context.Context, chain.Address, chain.Optional[uint64]) (none chain.AtBlock[chain.Account], err error) {
	b.failed.Add(1)
	return none, fmt.Errorf("127.0.0.1:1: %w", app.ErrUnanswered)
}

func rowsOf(page string) []string {
	page = bare(page)
	table := page[strings.Index(page, "<tbody>"):strings.Index(page, "</tbody>")]
	return strings.Split(table, "<tr>")[1:]
}

// The pages of a list in any order together contain each row of the file once, and each page shows the
// totals of all rows.
func TestLists(t *testing.T) {
	d, reader, _ := madeUp(t, 260)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Source = reader })
	rows, err := csv.NewReader(strings.NewReader(get(t, s, "/fees.csv?by=block", nil).text)).ReadAll()
	require.NoError(t, err)
	fee := slices.Index(rows[0], "fee")
	rows = rows[1:]
	require.Greater(t, len(rows), 200)
	for _, order := range []string{"", "fee", "-fee", "block", "-block"} {
		want := slices.Clone(rows)
		if name, down := strings.CutPrefix(order, "-"); order != "" {
			column := map[string]int{"fee": fee, "block": 0}[name]
			slices.SortStableFunc(want, func(a, b []string) int {
				x, _ := new(big.Int).SetString(a[column], 10)
				y, _ := new(big.Int).SetString(b[column], 10)
				if down {
					x, y = y, x
				}
				return x.Cmp(y)
			})
		}
		sums := ""
		for after := 0; after < len(rows); after += 100 {
			page := get(t, s, fmt.Sprintf("/fees?by=block&sort=%s&after=%d", order, after), nil).text
			shown := rowsOf(page)
			require.Len(t, shown, min(100, len(rows)-after))
			for i, row := range shown {
				require.Contains(t, row, `>`+want[after+i][0]+`<`, "%s, row %d", order, after+i)
				require.Contains(t, row, `<data value="`+want[after+i][fee]+`">`)
			}
			require.Contains(t, page, fmt.Sprintf("%d–%d of %d, ", after+1, min(after+100, len(rows)), len(rows)))
			page = bare(page)
			foot := page[strings.Index(page, "<tfoot>"):strings.Index(page, "</tfoot>")]
			if sums == "" {
				sums = foot
			}
			require.Equal(t, sums, foot)
			require.Equal(t, after > 0, strings.Contains(page, ">Previous</a>"))
			require.Equal(t, after+100 < len(rows), strings.Contains(page, ">Next</a>"))
			if order == "-fee" {
				require.Contains(t, page, ` aria-sort="descending"><a href="fees?by=block&amp;sort=fee">fee, GLMR</a>`)
			}
		}
	}
	past := get(t, s, "/fees?by=block&after=5000", nil)
	require.Equal(t, http.StatusOK, past.status)
	require.Empty(t, rowsOf(past.text))
	require.NotContains(t, get(t, s, "/fees?by=block", nil).text, ">EVM failed</a>")
	require.Contains(t, get(t, s, "/fees?by=block&columns=all", nil).text, ">EVM failed</a>")
	require.NotContains(t, get(t, s, "/contract/"+alith, nil).text, ">EVM failed</a>")
	for _, path := range []string{"/fees?sort=nothing", "/fees?after=-1", "/fees?sort=-fee&after=9223372036854775807", "/fees?after=01", "/fees?columns=2", "/fees.csv?sort=fee", "/fees?layer=x", "/fees?contract=0x1", "/fees?price=EUR", "/fees?compare=march", "/transactions?after=x", "/transactions?limit=0", "/transactions?limit=1001"} {
		require.Equal(t, http.StatusBadRequest, get(t, s, path, nil).status, path)
	}
}

// The parts of a list of transactions from the API make up the whole, as counted by a report.
func TestTransactions(t *testing.T) {
	d, reader, _ := madeUp(t, 60)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Source = reader })
	for _, condition := range []string{"", "&layer=native", "&status=reverted"} {
		totals := parsed(t, get(t, s, "/api/v1/report?period=5..55"+condition, nil).text)["totals"].(map[string]any)
		count, fees, next := 0, new(big.Int), ""
		for range 1000 {
			part := parsed(t, get(t, s, "/api/v1/transactions?period=5..55&limit=7"+condition+"&after="+next, nil).text)
			for _, x := range part["transactions"].([]any) {
				fee, ok := new(big.Int).SetString(x.(map[string]any)["fee"].(string), 10)
				require.True(t, ok)
				fees.Add(fees, fee)
				count++
			}
			if part["next"] == nil {
				break
			}
			next = part["next"].(string)
		}
		require.Equal(t, totals["fee"], fees.String(), condition)
		require.EqualValues(t, totals["evm"].(float64)+totals["native"].(float64), count, condition)
	}
	page := get(t, s, "/transactions?period=5..55&limit=7", nil).text
	require.Len(t, rowsOf(page), 7)
	follow := regexp.MustCompile(`<a href="(transactions\?after=[^"]*)">Next</a>`).FindStringSubmatch(page)
	require.NotNil(t, follow)
	second := get(t, s, "/"+strings.ReplaceAll(follow[1], "&amp;", "&"), nil).text
	require.Len(t, rowsOf(second), 7)
	require.NotEqual(t, rowsOf(page)[0], rowsOf(second)[0])
	require.Contains(t, second, ">First page</a>")
}

// A statement and a rollforward are proved by a source of balances. Without one, the page says so and shows the
// rest; a file states what is proved, or fails.
func TestStatements(t *testing.T) {
	d, reader, account := madeUp(t, 60)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Source, o.Ledgers[0].Gateway = reader, "http://127.0.0.1:1" })
	base := "/account/" + account.String()
	made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(3, 50), Accounts: []chain.Address{account}}, Balances: reader.Source})
	require.NoError(t, err)
	require.True(t, made.List[0].Holds())
	var want bytes.Buffer
	require.NoError(t, made.Style.WriteJSON(t.Context(), &want, made.List[0]))
	require.Equal(t, want.String(), get(t, s, "/api/v1/accounts/"+account.String()+"/statement?period=3..50", nil).text)
	require.Equal(t, want.String(), get(t, s, base+"/statement.json?period=3..50", nil).text)

	page := get(t, s, base+"/statement?period=3..50", nil).text
	closing, _ := made.List[0].Closing.Get()
	require.Contains(t, page, `<data value="`+closing.Free.String()+`">`)
	require.Contains(t, html.UnescapeString(page), made.List[0].Proof(made.Style.Token)[1:])
	require.Contains(t, page, "fees statement "+account.String()+" 3..50 --gateway http://127.0.0.1:1")
	rows, err := csv.NewReader(strings.NewReader(get(t, s, base+"/statement.csv?period=3..50", nil).text)).ReadAll()
	require.NoError(t, err)
	balance := slices.Index(rows[0], "free_balance")
	last := rows[len(rows)-1]
	require.Equal(t, closing.Free.String(), last[balance])
	sum, movements, found := strings.Cut(bare(page), "<h2>Movements and fees</h2>")
	require.True(t, found)
	for _, item := range []string{"opening", "fees, EVM", "closing", "difference"} {
		require.Contains(t, sum, "<td>"+item+"</td>", "the sum comes first")
	}
	require.Contains(t, get(t, s, base+"/statement?period=3..50&balances=none", nil).text, "Balances not available: they were not queried.")
	events := get(t, s, base+"/statement?period=3..50&columns=all", nil).text
	require.Len(t, rowsOf(events[strings.LastIndex(events, "<table"):]), min(100, len(rows)-1))
	_, annex, _ := strings.Cut(page, `class="annex"`)
	for _, row := range rows[1:] {
		for _, name := range []string{"hash", "counterparty"} {
			if full := row[slices.Index(rows[0], name)]; full != "" {
				require.Equal(t, 1, strings.Count(annex, "<code>"+full+"</code>"), "paper has hashes and addresses in full, once")
			}
		}
	}
	kind, ofFee, charged := slices.Index(rows[0], "kind"), slices.Index(rows[0], "of_fee"), slices.Index(rows[0], "fee")
	fees, parts := 0, 0
	for _, row := range rows[1:] {
		if row[ofFee] == "true" {
			require.NotEqual(t, "fee", row[kind], "a file lists events")
			parts++
		}
		if row[charged] != "" {
			fees++
			require.Contains(t, page, `<data value="-`+row[charged]+`">`)
		}
	}
	require.Greater(t, parts, fees)
	require.Equal(t, fees, strings.Count(movements, "<td>fee</td>"), "on the page, a fee is one row")
	require.NotContains(t, page, ">fee, GLMR</a>", "the change of the balance is the fee")
	for _, part := range []string{"fees", "transfers", "summary"} {
		require.Equal(t, http.StatusOK, get(t, s, base+"/statement?period=3..50&part="+part, nil).status, part)
	}

	rolled, err := d.Rollforward(t.Context(), app.RollforwardRequest{Request: app.Request{Period: app.Heights(3, 50), Accounts: []chain.Address{account}}, By: app.ByMonth, Balances: reader.Source})
	require.NoError(t, err)
	want.Reset()
	require.NoError(t, rolled.Style.WriteJSON(&want, rolled.Rollforward))
	require.Equal(t, want.String(), get(t, s, "/api/v1/accounts/"+account.String()+"/rollforward?period=3..50", nil).text)
	require.Contains(t, html.UnescapeString(get(t, s, base+"/rollforward?period=3..50", nil).text), rolled.Style.Notes[0][1:])
	grouped := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Source, o.Ledgers[0].Labels = reader, book(t, "address,label,group\n"+account.String()+",Payments,ours\n")
	})
	rolledPage := get(t, grouped, base+"/rollforward?period=3..50", nil).text
	require.NotContains(t, rolledPage, ">first block</a>", "the page is about one period and one account")
	require.Len(t, rowsOf(rolledPage), 2+len(rolled.Columns[0].Sums), "the lines of its group repeat its own")
	require.Contains(t, get(t, grouped, base+"/rollforward?period=3..50&columns=all", nil).text, ">first block</a>")
	for _, path := range []string{base + "/statement.xlsx?period=3..50", base + "/rollforward.xlsx?period=3..50"} {
		require.Equal(t, "PK", get(t, s, path, nil).text[:2])
	}
	require.Contains(t, get(t, s, base+"/rollforward.csv?period=3..50", nil).text, "opening")

	var failed atomic.Int64
	away := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Source = &source.Reader{Source: broken{reader.Source, &failed}, Tables: network.BuiltIn()}
	})
	for _, what := range []string{"statement", "rollforward"} {
		a := get(t, away, base+"/"+what+"?period=3..50", nil)
		require.Equal(t, http.StatusOK, a.status)
		require.Contains(t, a.text, "Balances not available: 127.0.0.1:1: ")
		require.Empty(t, a.header.Get("ETag"), "another time they may be there")
		require.Contains(t, a.text, what+".json?balances=none&amp;period=3..50")
		require.Contains(t, a.text, "--no-balances")
		a = get(t, away, "/api/v1/accounts/"+account.String()+"/"+what+"?period=3..50", nil)
		require.Equal(t, http.StatusBadGateway, a.status)
		require.Contains(t, a.text, "Balances are not available")
		a = get(t, away, "/api/v1/accounts/"+account.String()+"/"+what+"?period=3..50&balances=none", nil)
		require.Equal(t, http.StatusOK, a.status, a.text)
		a = get(t, away, base+"/"+what+".csv?period=3..50", nil)
		require.Equal(t, http.StatusBadGateway, a.status)
		a = get(t, away, base+"/"+what+".pdf?period=3..50", nil)
		require.Equal(t, http.StatusOK, a.status, "paper says so in a frame")
		require.Empty(t, a.header.Get("ETag"))
		leaves, _ := pdftest.Parse(t, []byte(a.text)).Leaves()
		framed := slices.IndexFunc(leaves, func(l pdftest.Leaf) bool { return strings.HasPrefix(l.Text, "Balances not available: 127.0.0.1:1: ") })
		figure := slices.IndexFunc(leaves, func(l pdftest.Leaf) bool { return l.Kind == "TD" })
		require.Positive(t, framed)
		require.Less(t, framed, figure, "before the first figure")
	}
	require.NotZero(t, failed.Load())
	for _, path := range []string{base + "/statement?part=x", base + "/statement?accounts=nobody", base + "/statement.csv?accounts=" + alith, base + "/statement?balances=some", "/account/x/statement", base + "/rollforward?sort=fee"} {
		require.Equal(t, http.StatusBadRequest, get(t, s, path, nil).status, path)
	}
}

// counted counts the blocks that are read.
type counted struct {
	source.Source
	blocks *atomic.Int64
	fail   bool
}

func (c counted) Unwrap() source.Source { return c.Source }

func (c counted) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	c.blocks.Add(1)
	if c.fail {
		return nil, fmt.Errorf("127.0.0.1:1: %w", app.ErrUnanswered)
	}
	return c.Source.Block(ctx, height)
}

// A fee is explained from its block with the steps of fees explain. The page is cached: the block is not read
// again.
func TestExplanation(t *testing.T) {
	var blocks atomic.Int64
	reader := demoBlocks(t)
	src := reader.Source
	reader.Source = counted{src, &blocks, false}
	d := filled(t, "0..27")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Source = reader })
	which, err := app.ParseTransactionRef("25-7", "")
	require.NoError(t, err)
	bill, err := app.Explain(t.Context(), demoBlocks(t), which)
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, jsontext.Write(&want, bill))
	require.Equal(t, want.String(), get(t, s, "/api/v1/transactions/25-7/explanation", nil).text)
	blocks.Store(0)
	page := get(t, s, "/tx/25-7", nil).text
	read := shown(page)
	require.Contains(t, read, bill.VerdictText())
	for _, in := range bill.Inputs {
		n, known := in.Value.Get()
		require.True(t, known)
		require.Contains(t, read, `<data value="`+n.String()+`">`, in.Name)
		require.Contains(t, read, in.From)
	}
	require.NotEmpty(t, bill.Steps)
	for _, step := range bill.Steps {
		require.Contains(t, read, step.Calculation())
		require.Contains(t, read, `<data value="`+step.Result.String()+`">`)
	}
	once := blocks.Load()
	require.NotZero(t, once)
	require.Equal(t, page, get(t, s, "/tx/25-7", nil).text)
	require.Equal(t, once, blocks.Load())

	reader.Source = counted{src, &blocks, true}
	away := served(t, d, func(o *web.Options) { o.Ledgers[0].Source = reader })
	a := get(t, away, "/tx/25-7", nil)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.text, "The calculation of the fee cannot be shown: 127.0.0.1:1")
	require.Contains(t, a.text, `<data value="5215236000000000">`)
	require.Empty(t, a.header.Get("ETag"))
	require.Equal(t, http.StatusBadGateway, get(t, away, "/api/v1/transactions/25-7/explanation", nil).status)

	without := served(t, d, func(o *web.Options) { o.Ledgers[0].Source, o.Ledgers[0].Gateway = nil, "" })
	require.Contains(t, get(t, without, "/tx/25-7", nil).text, "fees serve --gateway")
	require.Equal(t, http.StatusNotFound, get(t, without, "/api/v1/transactions/25-7/explanation", nil).status)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/api/v1/transactions/x/explanation", nil).status)
}

// Fees compared with another period, in a currency, and filtered, equal the results of package app for the same
// question.
func TestComparedAndPriced(t *testing.T) {
	d := filled(t, "0..27")
	path := filepath.Join(t.TempDir(), "prices.csv")
	writeFile(t, path, "day,price,currency,source\n2026-01-01,0.2315,EUR,a bank\n2026-11-20,0.5,EUR,a bank\n")
	list, err := app.ReadPrices(app.PricesInput{Files: []string{path}, Fiat: "EUR"})
	require.NoError(t, err)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Prices, o.Ledgers[0].PricesFile = list, "prices.csv" })
	q, choice := app.Request{Period: app.Heights(14, 27), Prices: list}, report.Choice{By: report.Layer}
	in := app.PeriodInput{Blocks: "14..27"}
	with, err := in.Before()
	require.NoError(t, err)
	compared, err := d.Compare(t.Context(), q, choice, with)
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, compared.Document().JSON(&want))
	query := "?period=14..27&by=layer&compare=before&price=EUR"
	require.Equal(t, want.String(), get(t, s, "/api/v1/report"+query, nil).text)
	page := get(t, s, "/fees"+query, nil).text
	require.Contains(t, page, "fees report 14..27 --by layer --compare --prices prices.csv --fiat EUR")
	difference := compared.Totals.Now.Fee.String()
	require.Contains(t, page, `<data value="`+difference+`">`)
	require.Contains(t, page, ">fee %<")
	worth, known := compared.Now.Totals.FeeWorth.Get()
	require.True(t, known)
	require.Contains(t, page, fmt.Sprint(worth))
	for _, form := range []string{"xlsx", "parquet"} {
		a := get(t, s, "/fees."+form+query, nil)
		require.Equal(t, http.StatusOK, a.status)
		require.Equal(t, map[string]string{"xlsx": "PK", "parquet": "PA"}[form], a.text[:2])
	}
	require.Contains(t, get(t, s, "/fees?compare=before", nil).text, "state the period to compare with the previous one")
	require.Equal(t, http.StatusConflict, get(t, s, "/fees?period=14..27&compare=2025-02", nil).status)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/fees?price=USD", nil).status)

	contract := ""
	for x, err := range d.Book.Transactions(t.Context(), everything) {
		require.NoError(t, err)
		if to, ok := x.Recipient.Get(); ok && x.Type == "eip1559" {
			contract = to.String()
		}
	}
	only := "?period=3..27&contract=" + contract
	require.Contains(t, get(t, s, "/transactions?period=3..27", nil).text, ` class="verdict ok"`)
	require.Contains(t, shown(get(t, s, "/block/25", nil).text), "1 Jan 2026 00:04:48 UTC")
	page = get(t, s, "/contract/"+contract+"?period=3..27", nil).text
	totals := parsed(t, get(t, s, "/api/v1/report"+only, nil).text)["totals"].(map[string]any)
	require.Contains(t, page, `<data value="`+totals["fee"].(string)+`">`)
	require.Contains(t, page, "--only contract="+contract)
	require.Contains(t, page, `<a href="fees?by=account&amp;contract=`+contract+`&amp;period=3..27">Fees by payer</a>`)
	require.Contains(t, get(t, s, "/fees"+only, nil).text, `<a class="chip" href="fees?period=3..27">Contract: `+contract)
	require.NotContains(t, get(t, s, "/fees?period=3..27", nil).text, `class="chip"`)
	var none map[string]any
	require.NoError(t, json.Unmarshal([]byte(get(t, s, "/api/v1/report?layer=native&type=eip1559", nil).text), &none))
	for _, group := range none["groups"].([]any) {
		require.Contains(t, []any{"0", nil}, group.(map[string]any)["fee"])
	}
	require.Contains(t, get(t, s, "/fees?call="+url.QueryEscape("<b>"), nil).text, "&lt;b&gt;")
}

// A page has the chosen colours, and a choice redirects only to this server.
func TestThemes(t *testing.T) {
	s := served(t, filled(t, "0..3"), nil)
	plain := get(t, s, "/overview", nil)
	require.Contains(t, plain.text, `aria-pressed="true">system</button>`)
	set := get(t, s, "/theme?set=dark&to="+url.QueryEscape("/fees?by=hour"), nil)
	require.Equal(t, http.StatusSeeOther, set.status)
	require.Equal(t, "/fees?by=hour", set.header.Get("Location"))
	require.Equal(t, "theme=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax", set.header.Get("Set-Cookie"))
	dark := get(t, s, "/overview", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "theme", Value: "dark"}) })
	require.Contains(t, dark.text, `<html lang="en" data-theme="dark">`)
	require.NotEqual(t, plain.header.Get("ETag"), dark.header.Get("ETag"))
	odd := get(t, s, "/overview", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "theme", Value: "<x>"}) })
	require.Equal(t, plain.text, odd.text)
	for _, to := range []string{"https://example.org/", "//example.org/", `/\example.org`, "", "javascript:alert(1)", "/a\nb"} {
		require.Equal(t, "/", get(t, s, "/theme?set=light&to="+url.QueryEscape(to), nil).header.Get("Location"), to)
	}
	require.Equal(t, http.StatusBadRequest, get(t, s, "/theme?set=red", nil).status)
}

// A chart has a bar for each row, with the row's figures in its title, and lines for the
// previous period.
func TestCharts(t *testing.T) {
	d, reader, _ := madeUp(t, 60)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Source = reader })
	for _, query := range []string{"", "&compare=before"} {
		address := "?period=31..50&by=block" + query
		rows, err := csv.NewReader(strings.NewReader(get(t, s, "/fees.csv"+address, nil).text)).ReadAll()
		require.NoError(t, err)
		fee, before := slices.Index(rows[0], "fee_token"), slices.Index(rows[0], "fee_before_token")
		page := get(t, s, "/fees"+address, nil).text
		titles := regexp.MustCompile(`<title>([^<]*)</title><rect`).FindAllStringSubmatch(page, -1)
		require.Len(t, titles, len(rows)-1)
		for i, row := range rows[1:] {
			require.Contains(t, titles[i][1], row[fee]+" GLMR", "bar %d", i)
			if before >= 0 {
				require.Contains(t, titles[i][1], "previously "+row[before])
			}
		}
		require.Equal(t, before >= 0, strings.Contains(page, `<svg width="14"`))
		for _, found := range regexp.MustCompile(`<rect class="(?:evm|native)"[^>]*? y="(-?\d+)"[^>]*? height="(-?\d+)"`).FindAllStringSubmatch(page, -1) {
			require.NotContains(t, found[1]+found[2], "-", found[0])
		}
	}
	require.NotContains(t, get(t, s, "/fees?by=account", nil).text, "<figure>")
	require.Contains(t, get(t, s, "/fees?by=account", nil).text, `<svg class="share"`)
	require.NotContains(t, get(t, s, "/fees?period=31..31&by=block", nil).text, "<figure>")
}

// A gateway of another chain explains nothing: its figures are not those of the ledger. One that does not
// respond delays nothing that comes from the ledger.
func TestForeignGateway(t *testing.T) {
	d, _, _ := madeUp(t, 30)
	s := served(t, d, nil) // with the demo's blocks
	list := parsed(t, get(t, s, "/api/v1/transactions?period=20..27&limit=1", nil).text)["transactions"].([]any)[0].(map[string]any)
	place := list["id"].(string)
	a := get(t, s, "/tx/"+place, nil)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.text, "The calculation of the fee cannot be shown: ")
	require.NotContains(t, a.text, ">Calculation<")
	require.Empty(t, a.header.Get("ETag"))
	require.NotEqual(t, http.StatusOK, get(t, s, "/api/v1/transactions/"+place+"/explanation", nil).status)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/api/v1/transactions/head-1/explanation", nil).status)

	reader := demoBlocks(t)
	reader.Source = silent{reader.Source}
	quiet := served(t, filled(t, "0..27"), func(o *web.Options) { o.Time, o.Ledgers[0].Source = 2*time.Second, reader })
	a = get(t, quiet, "/tx/25-7", nil)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.text, "the gateway did not answer within 1s")
	require.Contains(t, a.text, `<data value="5215236000000000">`)
}

// silent is a source that never responds.
type silent struct{ source.Source }

func (s silent) Unwrap() source.Source { return s.Source }

func (silent) Block(ctx context.Context, _ uint64) (*chain.Block, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A row links to its details; an incomplete day of a range of heights has no link.
func TestNarrower(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	require.Contains(t, get(t, s, "/fees", nil).text, `<a href="fees?by=account&amp;partial=1&amp;period=2026-01-01..2026-01-01">Thu 1 Jan 2026</a>`)
	require.NotContains(t, get(t, s, "/fees?period=3..27", nil).text, "2026-01-01..2026-01-01")
	require.Contains(t, get(t, s, "/fees?by=month", nil).text, "period=2026-01\">January 2026<")
	require.NotContains(t, get(t, s, "/fees?by=month&partial=1&period=2026-01-01..2026-02-14", nil).text, "period=2026-01\">January 2026<")
	require.Equal(t, "/tx/2026-13", get(t, s, "/lookup?q=2026-13", nil).header.Get("Location"))
}
