package reconcile_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/tier"
)

// plus adds two amounts in decimal digits.
func plus(a, b string) string {
	x, _ := new(big.Int).SetString(a, 10)
	y, _ := new(big.Int).SetString(b, 10)
	return x.Add(x, y).String()
}

// inWei returns an amount of the token in wei.
func inWei(token string) string {
	whole, fraction, _ := strings.Cut(token, ".")
	return plus(strings.TrimLeft(whole+fraction+strings.Repeat("0", 18-len(fraction)), "0")+"", "0")
}

// planted is a generated record, with what a correct comparison must find. It is computed with math/big from the texts of
// the cells only.
type planted struct {
	product  *product
	grid     grid
	faults   int
	rows     int    // that are fees in the token
	books    string // their sum, in wei
	names    map[string]bool
	faultsOf []string
}

// plain are records without a profile, as companies keep them.
var plain = []product{
	{profile: "", headers: []string{"Date,Tx Hash,From,Fee (GLMR),Remark", "Tx Hash,Remark,Fee (GLMR),Payer"},
		cells: map[string]string{"Tx Hash": "{hash}", "From": "{from}", "Payer": "{from}", "Fee (GLMR)": "{fee}", "Remark": "ok"}},
	{profile: "", assets: true, headers: []string{"hash,fee amount,fee currency,account,memo"},
		cells: map[string]string{"hash": "{hash}", "fee amount": "{fee}", "fee currency": "{asset}", "account": "{from}", "memo": "x"}},
	{profile: "", headers: []string{"evm hash,extrinsic hash,fee_wei,memo"}, cells: map[string]string{"extrinsic hash": "", "evm hash": "{hash}", "fee_wei": "{wei}"}, evm: true},
}

// fee adds a row with a fee of the token.
func (p *planted) fee(s *sent, token, from string) {
	copied := *s
	copied.Charged = inWei(token)
	p.grid = append(p.grid, p.product.row(p.grid[0], p.product.cells, &copied, token, "GLMR", from))
	p.rows, p.books = p.rows+1, plus(p.books, inWei(token))
}

func (p *planted) fault(what string) { p.faults, p.faultsOf = p.faults+1, append(p.faultsOf, what) }

// isView reports whether the product is an explorer.
func (p *product) isView() bool { return p.incoming }

// generate returns a random record of a product.
func generate(r *rand.Rand, p *product, all []*sent, theirs *sent) *planted {
	g := &planted{product: p, books: "0", names: map[string]bool{}}
	g.grid = grid{strings.Split(p.headers[r.IntN(len(p.headers))], ",")}
	list := slices.DeleteFunc(slices.Clone(all), func(s *sent) bool { return p.evm && s.EthHash == "" })
	r.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	mixed := r.IntN(4) > 0 // some records have no fault
	for i, s := range list[:r.IntN(8)] {
		exact := cut(s.token(), p.decimals)
		if strings.Trim(exact, "0.") == "" {
			continue
		}
		g.names[s.hash()] = true
		kind := 0
		if mixed {
			kind = r.IntN(14)
		}
		switch kind {
		case 1: // twice
			g.fee(s, exact, s.From)
			g.fee(s, exact, s.From)
			g.fault("duplicate")
		case 2: // shared
			charged, _ := new(big.Int).SetString(inWei(exact), 10)
			unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(18-max(p.decimals, 1))), nil)
			if p.decimals == 0 {
				unit = big.NewInt(1)
			}
			part := new(big.Int).Div(new(big.Int).Div(charged, unit), big.NewInt(3))
			part.Mul(part, unit)
			rest := new(big.Int).Sub(charged, part)
			if part.Sign() == 0 {
				g.fee(s, exact, s.From)
				continue
			}
			g.fee(s, cut((&sent{Charged: part.String()}).token(), p.decimals), s.From)
			g.fee(s, cut((&sent{Charged: rest.String()}).token(), p.decimals), s.From)
		case 3: // another one's, which no account of ours paid
			g.fee(s, exact, s.From)
			if p.isView() && i == 0 { // an explorer's line of another sender's transaction
				g.fee(theirs, cut(theirs.token(), p.decimals), theirs.From)
				continue
			}
			g.fee(&sent{EthHash: fmt.Sprintf("0x%064x", i+1)}, "0.00000001", stranger)
			g.fault("unknown hash")
		case 4: // wrong
			g.fee(s, "9"+exact, s.From)
			g.fault("amount")
		case 5: // without a transaction
			g.fee(s, exact, s.From)
			g.fee(&sent{}, "1.5", s.From)
			g.fault("no hash")
		case 6: // an unknown hash
			g.fee(s, exact, s.From)
			g.fee(&sent{EthHash: fmt.Sprintf("0x%064x", i+77)}, exact, s.From)
			g.fault("unknown hash")
		case 7: // no fee, or one in another asset
			g.fee(s, exact, s.From)
			if p.assets {
				unknown := &sent{EthHash: fmt.Sprintf("0x%064x", i+900)}
				g.grid = append(g.grid, p.row(g.grid[0], p.cells, unknown, "0.0001", "BTC", s.From), p.row(g.grid[0], p.cells, unknown, "", "", s.From))
			}
		case 8: // a row of another kind
			g.fee(s, exact, s.From)
			for _, cells := range p.more {
				g.grid = append(g.grid, p.row(g.grid[0], cells, s, "1", "GLMR", s.From))
			}
		case 9: // three times
			for range 3 {
				g.fee(s, exact, s.From)
			}
			g.fault("triplicate")
		default:
			g.fee(s, exact, s.From)
		}
	}
	if p.profile == "" && g.rows > 0 && r.IntN(3) == 0 { // a total, right or wrong
		total := (&sent{Charged: g.books}).token()
		if r.IntN(2) == 0 {
			total = "7" + total
			g.fault("total")
		}
		line := make([]string, len(g.grid[0]))
		for k, text := range p.row(g.grid[0], map[string]string{"Fee (GLMR)": "{fee}", "fee amount": "{fee}", "fee_wei": "{wei}"}, &sent{Charged: inWei(total)}, total, "", "") {
			line[k] = text
		}
		line[slices.Index(line, "")] = "Total"
		g.grid = append(g.grid, line)
	}
	return g
}

// form writes the record as csv or as a workbook, at times below titles or with its header twice.
func (p *planted) form(t *testing.T, r *rand.Rand) string {
	g := slices.Clone(p.grid)
	if r.IntN(4) == 0 {
		g = slices.Insert(g, 1+r.IntN(len(g)), g[0])
	}
	if r.IntN(4) == 0 {
		g = append(grid{{"Fees of January"}, {"2026-01-31"}}, g...)
	}
	switch r.IntN(12) {
	case 0:
		return g.xlsx(t, func(f *excelize.File) {})
	case 1, 2, 3:
		return g.csv(';')
	case 4:
		return g.csv('\t')
	}
	return g.csv(',')
}

// The law of every comparison: each row of a record has one outcome, the books of the outcomes add up to the fee column,
// the chain's side is what the accounts paid for what the rows name, and the record agrees only if nothing is wrong with it.
func TestOutcomesAddUpToTheRecord(t *testing.T) {
	seed := tier.Count[uint64](t, "FEES_SEED", 1, 1)
	count := tier.Count(t, "FEES_RECORDS", 300, 600)
	t.Logf("FEES_SEED=%d FEES_RECORDS=%d", seed, count)
	all := slices.DeleteFunc(allSent(t, "moonbeam-2100"), func(s *sent) bool { return s.Charged == "0" })
	theirs := all[slices.IndexFunc(all, func(s *sent) bool { return s.EthHash != "" && strings.Trim(cut(s.token(), 8), "0.") != "" })]
	all = slices.DeleteFunc(all, func(s *sent) bool { return s.From == theirs.From })
	b := book(t, "moonbeam-2100")
	found := map[reconcile.Outcome]int{}
	for n := range count {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		kinds := append(slices.Clone(plain), products...)
		g := generate(r, &kinds[r.IntN(len(kinds))], all, theirs)
		name := fmt.Sprintf("seed %d, record %d, %s, %v", seed, n, g.product.profile, g.faultsOf)
		o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, all), RowsOnly: r.IntN(10) > 0}
		f, err := reconcile.ReadFile(t.Context(), strings.NewReader(g.form(t, r)), o)
		require.NoError(t, err, name)
		x, err := reconcile.Match(t.Context(), b, f.Rows.All(), f.Matching(o))
		require.NoError(t, err, name)
		books, rows := "0", 0
		for _, s := range x.Sums {
			books, found[s.Outcome] = plus(books, s.Books.String()), found[s.Outcome]+s.Count
			if s.Outcome != reconcile.OnlyOnChain && s.Outcome != reconcile.LeftOut && s.Outcome != reconcile.TotalDiffers {
				rows += s.Count
			}
		}
		require.Equal(t, g.books, books, name)
		require.Equal(t, g.books, x.Total.Books.String(), name)
		require.Equal(t, g.rows, rows, name)
		onChain := "0"
		for _, s := range all {
			if g.names[s.hash()] || !o.RowsOnly {
				onChain = plus(onChain, s.Charged)
			}
		}
		paid, _ := x.Total.Chain.Get()
		require.Equal(t, onChain, paid.String(), name)
		isComplete := o.RowsOnly || sum(t, x, reconcile.OnlyOnChain).Count == 0
		require.Equal(t, g.faults == 0 && isComplete, x.Agrees(), "%s: %v", name, counts(x))
		require.NoError(t, x.Close())
		require.NoError(t, f.Close())
	}
	for _, o := range []reconcile.Outcome{reconcile.Matched, reconcile.WithinRounding, reconcile.AmountDiffers, reconcile.Duplicate, reconcile.OnlyInBooks, reconcile.WithoutTransaction, reconcile.TotalDiffers, reconcile.OnlyOnChain, reconcile.SentByAnother, reconcile.LeftOut} {
		require.Positive(t, found[o], o)
	}
}
