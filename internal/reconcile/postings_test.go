package reconcile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/reconcile"
)

// january reports whether a time is in January 2026 in Berlin.
func january(at chain.Time) bool {
	local := at.Std().In(berlin)
	return local.Year() == 2026 && local.Month() == time.January
}

var berlin = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return zone
}()

const (
	quickBooksSections = `Acme Coffee, LLC,,,,,,,,
General Ledger,,,,,,,,
"January 1 - December 31, 2026",,,,,,,,

,Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance
6000 Travel,,,,,,,,
,01/10/2026,Expense,,,,Checking,"1,200.00","1,200.00"
Total for 6000 Travel,,,,,,,"$1,200.00",
6800 Network fees,,,,,,,,
,Beginning Balance,,,,,,,7.00
,01/05/2026,Journal Entry,1,,fees,Wallet,"1,000.10","1,007.10"
,01/31/2026,Journal Entry,2,,given back,Wallet,(0.10),"1,007.00"
,02/01/2026,Journal Entry,3,,fees,Wallet,5.00,"1,012.00"
Total for 6800 Network fees,,,,,,,"$1,005.00",
TOTAL,,,,,,,"$2,205.00",
`
	quickBooksJournal = `Journal
Date,Transaction Type,Num,Name,Memo/Description,Account,Debit,Credit
01/05/2026,Journal Entry,1,,fees,Network fees:EVM,0.20,
,,,,,Network fees:Native,0.01,
,,,,,Wallet,,0.21
01/31/2026,Journal Entry,2,,given back,Wallet,0.05,
,,,,,Network fees:EVM,,0.05
Total,,,,,,0.26,0.26
`
	datevHeader = `"EXTF";700;21;"Buchungsstapel";13;20260201140440439;;"RE";"";"";29098;55003;20250701;4;20260101;20260131;"Fees";"WD";1;0;0;"EUR";;"";;;"03";;;"";""` + "\r\n"
	datevRows   = `Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto;Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Buchungstext;Generalumkehr (GU)` + "\r\n" +
		`1000,10;"S";"EUR";;;"";6855;1460;"";0501;"Gebühren";` + "\r\n" + // debit of the account
		`0,20;"S";"EUR";;;"";1460;6855;"";3101;"Erstattung";` + "\r\n" + // its credit
		`5,00;"H";"USD";1,25;4,00;"EUR";1460;6855;"";201;"in dollars";` + "\r\n" + // its debit, of 4.00 EUR
		`1,00;"S";"EUR";;;"";6855;1460;"";3101;"reversed";"1"` + "\r\n" +
		`7,00;"S";"EUR";;;"";6000;1460;"";3101;"of another account";` + "\r\n"
)

// The postings of one account add up to its total. The sums are those of the rows above, by hand.
func TestPostings(t *testing.T) {
	for name, c := range map[string]struct {
		text, account string
		dates         string
		want          string
		count, out    int
	}{
		"sections":         {quickBooksSections, "6800", "mm/dd/yyyy", "1000.00", 2, 1},
		"by its name":      {quickBooksSections, "6800 network fees", "mm/dd/yyyy", "1000.00", 2, 1},
		"journal":          {quickBooksJournal, "Network fees", "mm/dd/yyyy", "0.16", 3, 0},
		"a sub-account":    {quickBooksJournal, "Network fees:Native", "mm/dd/yyyy", "0.01", 1, 0},
		"only credits":     {quickBooksJournal, "Wallet", "mm/dd/yyyy", "-0.16", 2, 0},
		"DATEV":            {strings.ReplaceAll(datevHeader+datevRows, "ü", "\xfc"), "6855", "", "1002.90", 4, 0}, // 1000.10 - 0.20 + 4.00 - 1.00
		"DATEV in UTF-8":   {"\ufeff" + datevHeader + datevRows, "6855", "", "1002.90", 4, 0},
		"only a contra":    {"\ufeff" + datevHeader + `Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;Konto;Gegenkonto;Belegdatum` + "\r\n" + `3,00;S;6855;1460;0501` + "\r\n", "1460", "", "-3.00", 1, 0},
		"a signed amount":  {"*AccountCode,*Date,*Amount\n429,2026-01-02,1.50\n429,2026-01-03,-0.25\n800,2026-01-03,9\n", "429", "", "1.25", 2, 0},
		"its own currency": {"Account;Date;Debit;Credit;Currency\nFees;2026-01-02;1,50;;EUR\nFees;2026-01-03;;0,25;eur\n", "fees", "", "1.25", 2, 0},
		"in Berlin":        {"Account,Date,Debit,Credit\nFees,2026-01-31,1.50,\nFees,2026-02-01,1.00,\n", "Fees", "", "1.50", 1, 1},
		"sub-sections":     {",Date,Amount\nFees,,\n,2026-01-02,1.00\nEVM,,\n,2026-01-02,2.00\nTotal EVM,,2.00\nTotal Fees,,3.00\n", "Fees", "", "3.00", 2, 0},
		"one sub-section":  {",Date,Amount\nFees,,\n,2026-01-02,1.00\nEVM,,\n,2026-01-02,2.00\nTotal EVM,,2.00\nTotal Fees,,3.00\n", "Fees:EVM", "", "2.00", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := reconcile.Options{Symbol: "EUR", DateFormat: c.dates, Zone: berlin}
			if strings.Contains(c.text, ";EUR\n") {
				o.Decimal = ','
			}
			p, err := reconcile.ReadPostings(t.Context(), strings.NewReader(c.text), []string{c.account}, january, o)
			require.NoError(t, err)
			want, err := chain.ParseSignedWei(strings.Replace(c.want, ".", "", 1) + strings.Repeat("0", 16))
			require.NoError(t, err)
			require.Equal(t, want, p.Sum)
			require.Equal(t, []int{c.count, c.out}, []int{p.Count, p.Outside})
		})
	}
	sheet := grid{{"Account", "Date", "Debit", "Credit"}, {"Fees"}, {"Fees"}}.xlsx(t, func(f *excelize.File) {
		for at, number := range map[string]float64{"B2": 46024, "C2": 0.1, "B3": 46025, "D3": 0.02} { // 2026-01-02 and 03
			require.NoError(t, f.SetCellValue("Sheet1", at, number))
		}
	})
	p, err := reconcile.ReadPostings(t.Context(), strings.NewReader(sheet), []string{"Fees"}, january, reconcile.Options{Symbol: "EUR"})
	require.NoError(t, err)
	require.Equal(t, "80000000000000000", fmt.Sprint(p.Sum))
}

// What would make a wrong total is refused.
func TestPostingsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"hash,fee_wei\n0x1,5\n": "no header of a general ledger",
		"Account,Date,Debit,Credit\nWallet,2026-01-01,1,\nRent,2026-01-01,,1\n": "the account Fees is not in it. It has Rent, Wallet",
		"Account,Date,Debit,Credit\nFees,01/02/2026,1,\n":                       "line 2, column 2 \"date\": \"01/02/2026\" is not a date of the usual form",
		"Account,Date,Debit,Credit\nFees,,1,\n":                                 "is not a date of the usual form",
		"Account,Date,Debit,Credit\nFees,2026-01-01,,\n":                        "line 2: the posting has no amount",
		"Account,Date,Debit,Credit\nFees,2026-01-01,1.00.0,\n":                  "line 2, column 3 \"amount\": \"1.00.0\"",
		"Account,Date,Debit,Credit,Currency\nFees,2026-01-01,1,,USD\n":          "the posting is in USD, not EUR",
		",Date,Amount\nFees,,\n,2026-01-02,1.00\nTotal Fees,,2.00\n":            "line 4: the report's total of Fees is 2 EUR, but its postings add up to 1 EUR",
		",Date,Amount\nFees,,\n,2026-01-02,1.00\nRent,,\n,2026-01-02,2.00\n":    "the section Rent has no total",
		",Date,Amount\nFees,,\n,2026-01-02,1.00\nTotal for Fees,,1.00\nEVM,,\n,2026-01-02,2.00\nTotal for EVM,,2.00\nTotal for Fees with sub-accounts,,3.00\n": "the account Fees has sub-accounts",
		datevHeader + "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;Konto;Gegenkonto;BU-Schlüssel;Belegdatum\r\n1,19;S;Fees;1;9;0101\r\n":                "the tax key 9 divides the amount",
		strings.Replace(datevHeader, ";21;", ";16;", 1): "another file of DATEV",
		strings.Replace(datevHeader, `"EUR"`, `"CHF"`, 1) + "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Konto;Gegenkonto;Belegdatum\r\n1,19;S;;Fees;1;0101\r\n": "the posting is in CHF, not EUR",
	} {
		_, err := reconcile.ReadPostings(t.Context(), strings.NewReader(text), []string{"Fees"}, january, reconcile.Options{Symbol: "EUR", Encoding: map[bool]reconcile.Encoding{true: reconcile.UTF8}[strings.Contains(text, "EXTF")]})
		require.ErrorContains(t, err, want, "%s", text)
	}
}
