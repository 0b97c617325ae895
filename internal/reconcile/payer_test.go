package reconcile_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// A file with every transaction of a recording is compared for each sender and for several periods. In every format, the
// chain's side adds up to the sender's loss of balance in the period; what others paid is only in the books.
func TestChainSideIsWhatTheAccountsPaid(t *testing.T) {
	for name, last := range lasts {
		list := allSent(t, name)
		text := weiGrid(list).csv(',')
		senders := map[string]bool{}
		for _, s := range list {
			senders[s.From] = true
		}
		for sender := range senders {
			if !tier.Takes(sender) {
				continue
			}
			account, err := chain.ParseAddress(sender)
			require.NoError(t, err)
			for _, span := range [][2]uint64{{0, last}, {5, 12}} {
				o := reconcile.Options{Accounts: []chain.Address{account}, Period: heights(span[0], span[1])}
				f, r := matchedIn(t, book(t, name), text, o)
				r.Files = []reconcile.NamedFile{{File: f}}
				paid, strangers, outside := new(big.Int), 0, 0
				for _, s := range list {
					within := s.Height >= span[0] && s.Height <= span[1]
					switch {
					case s.Charged == "0" && (s.From != sender || within):
					case s.From != sender:
						strangers++
					case within:
						paid.Add(paid, amount(t, s.Charged))
					default:
						outside++
					}
				}
				require.Equal(t, chain.Some(wei(t, paid.String())), r.Total.Chain)
				require.Equal(t, total(list), r.Total.Books.String())
				require.Equal(t, new(big.Int).Sub(amount(t, total(list)), paid).String(), or(r.Total.Difference))
				require.Equal(t, strangers, counts(r)[reconcile.PaidByAnother])
				require.Equal(t, outside, counts(r)[reconcile.OutsidePeriod])
				require.Equal(t, chain.Some(strangers+outside == 0), r.Reconciled())

				var out bytes.Buffer
				require.NoError(t, r.WriteJSON(&out, true))
				var read struct {
					Summary, Details []struct{ Outcome, Chain string }
					Total            struct{ Chain string }
				}
				require.NoError(t, json.Unmarshal(out.Bytes(), &read))
				require.Equal(t, paid.String(), read.Total.Chain)
				bySum, byItem := new(big.Int), new(big.Int)
				for _, s := range read.Summary {
					bySum.Add(bySum, amount(t, s.Chain))
				}
				for _, i := range read.Details {
					byItem.Add(byItem, amount(t, i.Chain))
				}
				require.Equal(t, paid, bySum)
				require.Equal(t, paid, byItem)
				for _, list := range [][][]any{rowsOf(t, r.Summary().Rows), rowsOf(t, r.Details(true).Rows)} {
					sum := new(big.Int)
					for _, row := range list {
						at := 3 // of the summary
						if len(row) > 10 {
							at = 5
						}
						if row[0] != "total" {
							known, _ := row[at].(chain.Optional[chain.Wei]).Get()
							sum.Add(sum, amount(t, known.String()))
						}
					}
					require.Equal(t, paid, sum)
				}
				out.Reset()
				require.NoError(t, r.WriteFixed(t.Context(), &out, strings.NewReader(text)))
				fixed, err := csv.NewReader(&out).ReadAll()
				require.NoError(t, err)
				sum := new(big.Int)
				for _, row := range fixed[1:] {
					sum.Add(sum, amount(t, row[5]))
				}
				require.Equal(t, paid, sum, "no row is missing, so the file's own rows add up to it")
			}
		}
	}
}

func amount(t testing.TB, text string) *big.Int {
	if text == "" {
		return new(big.Int)
	}
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}

func or(o chain.Optional[chain.SignedWei]) string {
	v, _ := o.Get()
	return v.String()
}

func rowsOf(t testing.TB, each func(func([]any, error) bool)) (list [][]any) {
	for row, err := range each {
		require.NoError(t, err)
		list = append(list, row)
	}
	return list
}

// A row that another account paid is reported with that account, whatever the row says and whatever is known of the fee. If
// the payer is unknown, the sum is unknown too.
func TestPaidByAnotherAccount(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:1]
	stranger := reconcile.Options{Accounts: []chain.Address{chain.Address20([20]byte{19: 1})}}
	for name, c := range map[string]struct {
		text   string
		change func(*ledger.Transaction)
	}{
		"no payer in the row":      {"hash,fee_wei\n" + list[0].hash() + "," + list[0].Charged + "\n", func(*ledger.Transaction) {}},
		"the payer in the row":     {weiGrid(list).csv(','), func(*ledger.Transaction) {}},
		"the row says it was ours": {strings.ReplaceAll(weiGrid(list).csv(','), list[0].From, "0x0000000000000000000000000000000000000001"), func(*ledger.Transaction) {}},
		"a fee that is not known": {weiGrid(list).csv(','), func(x *ledger.Transaction) {
			x.Fee, x.Charged = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}
		}},
	} {
		r := match(t, &changed{book(t, "moonbeam-2100"), c.change}, read(t, c.text, stranger), stranger)
		require.Equal(t, map[reconcile.Outcome]int{reconcile.PaidByAnother: 1}, counts(r), name)
		item := items(t, r)[0]
		require.Equal(t, []string{"paid by another account, " + list[0].From}, item.Notes, name)
		require.Equal(t, chain.Some(chain.Wei{}), item.Chain, name)
		require.Equal(t, chain.Some(chain.Wei{}), r.Total.Chain, name)
		require.Equal(t, list[0].Charged, difference(item), name)
		require.NotEqual(t, chain.Some(true), r.Reconciled(), name)
	}
	unknown := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) { x.Payer = chain.Optional[chain.Address]{} }}
	r := match(t, unknown, read(t, weiGrid(list).csv(','), stranger), stranger)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Undetermined: 1}, counts(r))
	require.Equal(t, []string{"the payer is unknown"}, items(t, r)[0].Notes)
	require.False(t, r.Total.Chain.Known())
	require.False(t, r.Total.Difference.Known())

	// An incoming row without a fee is correct: the books state no fee either.
	r = match(t, book(t, "moonbeam-2100"), read(t, "hash,fee_wei\n"+list[0].hash()+",0\n", stranger), stranger)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: 1}, counts(r))
	require.Equal(t, []string{"paid by another account, " + list[0].From}, items(t, r)[0].Notes)
}

// A result is never called reconciled if missing fees were not searched for.
func TestCompletenessNotChecked(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	text := weiGrid(list[:15]).csv(',')
	wrong := strings.Replace(text, ","+list[3].Charged+",", ",1,", 1)
	own := payers(t, list)
	for _, c := range []struct {
		text       string
		accounts   []chain.Address
		rowsOnly   bool
		headline   string
		reconciled string
	}{
		{text, nil, false, "15 rows match; completeness not checked", "null"},
		{text, nil, true, "15 rows match; completeness not checked", "null"},
		{text, own, true, "15 rows match; completeness not checked", "null"},
		{wrong, nil, true, "1 of 15 do not match; completeness not checked", "false"},
		{weiGrid(list[:1]).csv(','), nil, true, "1 row matches; completeness not checked", "null"},
		{weiGrid(list).csv(','), own, false, fmt.Sprintf("all %d match", len(list)), "true"},
		{weiGrid(nil).csv(','), []chain.Address{chain.Address20([20]byte{19: 1})}, false, "nothing to compare: the file contains no fees and the accounts paid none", "true"},
		{weiGrid(nil).csv(','), nil, true, "nothing to compare: the file contains no fees; completeness not checked", "null"},
	} {
		o := reconcile.Options{Accounts: c.accounts, RowsOnly: c.rowsOnly}
		r := match(t, book(t, "moonbeam-2100"), read(t, c.text, o), o)
		require.Equal(t, c.headline, r.Headline())
		require.Equal(t, map[string]chain.Optional[bool]{"true": chain.Some(true), "false": chain.Some(false)}[c.reconciled], r.Reconciled())
		require.Zero(t, counts(r)[reconcile.OnlyOnChain])
		var out bytes.Buffer
		require.NoError(t, r.WriteJSON(&out, false))
		var read struct {
			Headline   string
			Reconciled json.RawMessage
			Complete   bool `json:"completeness_checked"`
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &read))
		require.Equal(t, c.headline, read.Headline)
		require.Equal(t, c.reconciled, string(read.Reconciled))
		require.Equal(t, c.accounts != nil && !c.rowsOnly, read.Complete)
		out.Reset()
		require.NoError(t, r.WriteTable(&out, false, 200))
		require.True(t, strings.HasPrefix(out.String(), "Fees in the books compared with the ledger: "+c.headline+"\n"), out.String())
		require.Equal(t, "Fees in the books compared with the ledger: "+c.headline, r.Sheets(false)[0].Title)
	}
}
