package journal_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

func TestNames(t *testing.T) {
	names, err := namesOf("\ufeffaddress,name,account\n# mine\n" + alith + ", Alith ;* (hot)\t  wallet ,\n" + baltathar + ",Bal,\"Assets:Cold: The \"\"vault\"\"\"\n")
	require.NoError(t, err)
	require.Equal(t, "Alith hot wallet", names.Name(address(t, alith)))
	require.EqualValues(t, "Assets:Alith hot wallet", names.Asset(address(t, alith)))
	require.EqualValues(t, "Assets:Cold:The vault", names.Asset(address(t, baltathar)))
	require.EqualValues(t, "Assets:"+charleth, names.Asset(address(t, charleth)))
}

// All errors are reported at once, with their lines.
func TestNamesErrors(t *testing.T) {
	_, err := namesOf(strings.Join([]string{
		alith + ",Alith", alith + ",Alith", baltathar + ",alith", baltathar + ",,Assets:B", charleth + ",;;", "0x0000000000000000000000000000000000000001,Alith", "0x0000000000000000000000000000000000000002,E,Cash:Box",
	}, "\n"))
	require.EqualError(t, err, `line 5: the name ";;" contains no letter or digit
line 6: the name "Alith" is already used on line 1
line 7: "Cash:Box" is not an account below Assets or Liabilities, such as Assets:Wallet`)
	_, err = namesOf(alith + ",A,Cash:\n" + baltathar + ",B,Assets:")
	require.EqualError(t, err, `line 1: "Cash:" is not an account below Assets or Liabilities, such as Assets:Wallet
line 2: each part of the account "Assets:" must contain a letter or a digit`)
	_, err = namesOf(alith + ",A\n" + charleth + "," + alith)
	require.EqualError(t, err, `line 2: the label "`+alith+`" has the form of an address or a hash; add a word to it`)
	_, err = namesOf(strings.Join([]string{alith + ",Alith", "0x12,Short", alith + ",Again"}, "\n"))
	require.EqualError(t, err, `line 2: "0x12" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes
line 3: `+alith+` has the label "Again" here, but "Alith" on line 1`)
	var file strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&file, "0x%040x,;\n", n)
	}
	_, err = namesOf(file.String())
	require.Equal(t, 101, strings.Count(err.Error(), "\n")+1)
}

// A file of labels contains names: an address without one is its own name.
func TestNamesOfLabels(t *testing.T) {
	names, err := namesOf("account;label;address\nAssets:Cold;;" + alith + "\n;;" + baltathar)
	require.NoError(t, err)
	require.Equal(t, address(t, alith).String(), names.Name(address(t, alith)))
	require.EqualValues(t, "Assets:Cold", names.Asset(address(t, alith)))
	require.EqualValues(t, "Assets:"+address(t, baltathar).String(), names.Asset(address(t, baltathar)))
}

// Accounts that a program would treat as one, or whose balances could not be distinguished, are rejected.
func TestAccountsCollide(t *testing.T) {
	two := func(a, b string) (*journal.Journal, error) {
		names, err := namesOf(alith + "," + a + "\n" + baltathar + "," + b + "\n")
		require.NoError(t, err)
		s := style()
		s.Names = names
		other := paid(t, 2, "1", "1")
		other.Payer = chain.Some(address(t, baltathar))
		payments, err := journal.Find(context.Background(), &made{payments: []*ledger.Transaction{paid(t, 1, "1", "1"), other}},
			question([]chain.Address{address(t, alith), address(t, baltathar)}, 7, 7))
		require.NoError(t, err)
		return journal.FeeJournal(context.Background(), payments, s)
	}
	j, err := two("Hot wallet", "Hot-wallet")
	require.NoError(t, err)
	require.EqualError(t, j.Write(context.Background(), &bytes.Buffer{}, journal.Beancount), `beancount cannot distinguish the accounts "Assets:Hot wallet" and "Assets:Hot-wallet" (Assets:Hot-wallet); rename one of them`)
	passes(t, accountings[0], written(t, j, journal.HLedger))
	_, err = two("A,Assets:X", "B,Assets:X")
	require.EqualError(t, err, alith+" and "+baltathar+" would share the account Assets:X")
	_, err = two("A,Assets:X", "B,Assets:X:Y")
	require.EqualError(t, err, "the account of "+baltathar+", Assets:X:Y, is below that of "+alith)
}

// Every program accepts names in all scripts and lists them as they are, composed, with their marks.
func TestNamesOfTheWorld(t *testing.T) {
	labels := map[string]struct{ name, inBeancount string }{
		"élan vital": {"élan vital", "Élan-vital"}, "кошелёк": {"кошелёк", "Кошелёк"}, "钱包 一": {"钱包 一", "X钱包-一"},
		"9 lives": {"9 lives", "9-lives"}, "ßtrasse": {"ßtrasse", "Xßtrasse"}, "a.b_c-d": {"a.b_c-d", "A-b-c-d"},
		"-- x": {"x", "X"}, "(yy)": {"yy", "Yy"}, "[z]": {"z", "Z"},
		"!ω": {"ω", "Ω"}, "*w": {"w", "W"}, "पेरोल": {"पेरोल", "Xपेरोल"},
		"กองทุน": {"กองทุน", "Xกองทุน"}, "Mu\u0308ller": {"Müller", "Müller"}, "वॉलेट १": {"वॉलेट १", "Xवॉलेट-१"},
		"वॉलेट २": {"वॉलेट २", "Xवॉलेट-२"}, "๓ วัน": {"๓ วัน", "X๓-วัน"}, "ශ\u0dca\u200dරී": {"ශ\u0dcaරී", "Xශ\u0dcaරී"},
		"می\u200cروم": {"میروم", "Xمیروم"}, "مُحَمَّد": {"مُحَمَّد", "Xمُحَمَّد"}, "შენახვა": {"შენახვა", "Xშენახვა"},
		"ꭰꭱ": {"ꭰꭱ", "Xꭰꭱ"}, "\U00010428": {"\U00010428", "X\U00010428"}, "ǆep": {"ǆep", "Ǆep"},
		"ȿ": {"ȿ", "Xȿ"}, "Հավելված": {"Հավելված", "Հավելված"}, "Tie\u0302\u0301ng": {"Tiếng", "Tiếng"},
		"\u1112\u1161\u11ab": {"한", "X한"}, "\u30ab\u3099": {"ガ", "Xガ"}, "_\u0301e": {"e", "E"},
		"soft\u00adhyphen": {"softhyphen", "Softhyphen"}, "ԓ": {"ԓ", "Ԓ"}, "ԥ": {"ԥ", "Xԥ"},
		"ỳ": {"ỳ", "Ỳ"},
	}
	book, q, file := &made{}, question(nil, 7, 7), ""
	for i, name := range slices.Sorted(maps.Keys(labels)) {
		who := chain.Address20([20]byte{byte(i + 1)})
		x := paid(t, i, "1", "1")
		x.Payer = chain.Some(who)
		book.payments = append(book.payments, x)
		q.Accounts = append(q.Accounts, who)
		file += who.String() + ",\"" + name + "\"\n"
	}
	var err error
	s := style()
	s.Names, err = namesOf(file)
	require.NoError(t, err)
	payments, err := journal.Find(context.Background(), book, q)
	require.NoError(t, err)
	j, err := journal.FeeJournal(context.Background(), payments, s)
	require.NoError(t, err)
	for _, p := range accountings {
		text := written(t, j, p.Format)
		require.Equal(t, len(labels), strings.Count(text, "-0.000000000000000001 GLMR\n"))
		for _, label := range labels {
			name := label.name
			if p.Name == journal.Beancount.Name {
				name = label.inBeancount
			}
			require.Contains(t, text, "  Assets:"+name+"  -0.", p.Name)
		}
		t.Run(p.Name, func(t *testing.T) {
			p.required(t)
			passes(t, p, text)
			out, err := program(t, p.sums, save(t, "test.journal", text))
			require.NoError(t, err, out)
			for _, name := range []string{"पेरोल", "กองทุน", "Müller"} {
				require.Contains(t, out, name)
			}
		})
	}
}

// Labels that differ only in how their accents are composed are one: the same file, and one name.
func TestNamesAreComposed(t *testing.T) {
	composed, apart := alith+",\"Müller ガ 한\"\n", alith+",\"Mu\u0308ller \u30ab\u3099 \u1112\u1161\u11ab\"\n"
	for _, p := range accountings {
		var texts []string
		for _, file := range []string{composed, apart} {
			s := style()
			var err error
			s.Names, err = namesOf(file)
			require.NoError(t, err)
			texts = append(texts, written(t, feesOf(t, "moonbeam-2100", s), p.Format))
		}
		require.Contains(t, texts[0], "Müller")
		require.Equal(t, texts[0], texts[1])
	}
	_, err := namesOf(composed + strings.Replace(apart, alith, baltathar, 1))
	require.ErrorContains(t, err, `line 2: the name "Müller ガ 한" is already used on line 1`)
}

func TestKoinly(t *testing.T) {
	x := paid(t, 1, "2100000000000000", "2100000000000000")
	x.EVMHash = chain.Some(chain.Hash{9})
	var out bytes.Buffer
	require.NoError(t, journal.WriteKoinly(context.Background(), &out, found(t, &made{payments: []*ledger.Transaction{x, paid(t, 2, "", "")}}), style()))
	require.Equal(t, `Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash
2026-03-31 23:30:00 UTC,0.002100000000000000,GLMR,,,,,,,cost,"evm fee of `+alith+`, block 7-1 ethereum.transact",0x0900000000000000000000000000000000000000000000000000000000000000
`, out.String())
}

// oneMore is a book with one more transaction, with unknown payer.
type oneMore struct {
	journal.Book
	*ledger.Transaction
}

func (b *oneMore) WithoutPayer(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return pass([]*ledger.Transaction{b.Transaction}, q, heightOf, anyOf)
}

// The list contains every payment, including undetermined ones.
func TestList(t *testing.T) {
	ctx := context.Background()
	x := paid(t, 5, "", "")
	x.Error = "no rule"
	x.Payer, x.Sender = chain.Optional[chain.Address]{}, chain.Optional[chain.Address]{}
	book := &oneMore{bookOf(t, "moonbeam-2100"), x}
	payments, err := journal.Find(ctx, book, question(accountsOf(ledgertest.RecordedBalances(t, "moonbeam-2100")), 0, 27))
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, table.WriteJSONLines(&out, journal.List(ctx, payments, style())))
	byHash := map[string]map[string]any{}
	lines := 0
	for line := range strings.Lines(out.String()) {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		byHash[row["hash"].(string)] = row
		lines++
	}
	require.Equal(t, len(sentIn(t, "moonbeam-2100"))+1, lines)
	for _, s := range sentIn(t, "moonbeam-2100") {
		require.Equal(t, s.Charged, byHash[s.XtHash]["charged"])
		require.Equal(t, s.Charged, byHash[s.XtHash]["fee"])
		require.Equal(t, address(t, s.From).String(), byHash[s.XtHash]["payer"])
	}
	undetermined := byHash[x.Hash.String()]
	require.Nil(t, undetermined["fee"])
	require.Equal(t, "no rule", undetermined["error"])

	out.Reset()
	require.NoError(t, table.WriteCSV(&out, journal.List(ctx, payments, style())))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Contains(t, rows[0], "fee_token")
	require.Len(t, rows, lines+1)
}

// Calls, reasons and names never leave their line, and have no meaning to a program.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"a", "x\n2026-01-01 * evil\n  A  1 EUR\n  B", "a ; b", `quote " and \`, "{cost} @ 1 [2026-01-01] date:2020-01-01", "\x00\x1b[31m", "\u202eabc", "é", "0x|=!*", strings.Repeat("ab ", 500)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x := paid(t, 1, "100", "130")
		x.Call, x.Error = text, text
		y := paid(t, 2, "", "7")
		y.Error = text
		s := style()
		names := &addressbook.Book{} // a reader would take less
		require.NoError(t, names.Add(addressbook.Entry{Address: address(t, alith), Label: text}))
		if names, err := journal.NewNames(names); err == nil {
			s.Names = names
		}
		s.Notes = []string{text}
		j := feesIn(t, &made{payments: []*ledger.Transaction{x, y}}, s)
		for _, p := range []journal.Format{journal.HLedger, journal.Beancount, journal.Ledger} {
			written := written(t, j, p)
			entries := 0
			body := written[strings.Index(written, "\n\n"):]
			for line := range strings.Lines(body) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "2026-03-31 *") {
					entries++
				}
				require.LessOrEqual(t, len(line), 1200)
				for _, r := range line {
					require.False(t, unicode.Is(unicode.C, r) || strings.ContainsRune(`{}[]@|=!\#%&$<>~?`, r), "%q", line)
				}
				require.LessOrEqual(t, strings.Count(line, ";"), 1, line)
				require.Contains(t, []int{0, 2}, strings.Count(line, `"`), line)
				require.LessOrEqual(t, strings.Count(strings.TrimLeft(line, " "), "  "), 1, line)
			}
			require.Equal(t, 2, entries)
			head := written[:strings.Index(written, "\n\n")]
			for line := range strings.Lines(head) {
				require.True(t, strings.HasPrefix(line, "; "), line)
			}
		}
	})
}
