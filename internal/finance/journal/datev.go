package journal

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/finance/chart"
)

// Settings of DATEV.
const (
	settingConsultant = "datev consultant" // Beraternummer
	settingClient     = "datev client"     // Mandantennummer
	settingYear       = "datev fiscal year month"
	settingLength     = "datev account length" // Sachkontenlänge
	settingSKR        = "datev chart"
)

// The limits of a Buchungsstapel of format version 13 (developer.datev.de, Buchungsstapel).
const (
	datevRows    = 99_999
	datevText    = 60 // Buchungstext
	datevColumns = 125
)

// datevHead are the columns in front of the pairs of Beleginfo, between them and those of
// Zusatzinformation, and behind.
const (
	datevFirst = "Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto;" +
		"Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext;Postensperre;" +
		"Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink"
	datevMiddle = "KOST1 - Kostenstelle;KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID (Bestimmung);EU-Steuersatz (Bestimmung);" +
		"Abw. Versteuerungsart;Sachverhalt L+L;Funktionsergänzung L+L;BU 49 Hauptfunktionstyp;BU 49 Hauptfunktionsnummer;BU 49 Funktionsergänzung"
	datevLast = "Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer;Buchungstyp;" +
		"USt-Schlüssel (Anzahlungen);EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen);EU-Steuersatz (Anzahlungen);Erlöskonto (Anzahlungen);" +
		"Herkunft-Kz;Buchungs GUID;KOST-Datum;SEPA-Mandatsreferenz;Skontosperre;Gesellschaftername;Beteiligtennummer;Identifikationsnummer;" +
		"Zeichnernummer;Postensperre bis;Bezeichnung SoBil-Sachverhalt;Kennzeichen SoBil-Buchung;Festschreibung;Leistungsdatum;" +
		"Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr (GU);Steuersatz;Land;Abrechnungsreferenz;BVV-Position;" +
		"EU-Land u. UStID (Ursprung);EU-Steuersatz (Ursprung);Abw. Skontokonto"
)

// datevHeading is the line of column names.
var datevHeading = func() string {
	names := []string{datevFirst}
	for i := range 8 {
		names = append(names, fmt.Sprintf("Beleginfo - Art %d;Beleginfo - Inhalt %[1]d", i+1))
	}
	names = append(names, datevMiddle)
	for i := range 20 {
		names = append(names, fmt.Sprintf("Zusatzinformation - Art %d;Zusatzinformation- Inhalt %[1]d", i+1))
	}
	return strings.Join(append(names, datevLast), ";")
}()

// datevTexts are the first and last numbers of the columns that are texts, and stand in quotes even if empty: among
// them, Beleginfo from 21 to 36 and Zusatzinformation from 48 to 87.
var datevTexts = [][2]int{
	{2, 3}, {6, 6}, {9, 9}, {11, 12}, {14, 14}, {16, 16}, {20, 38}, {40, 40}, {42, 42}, {48, 87}, {91, 91}, {95, 96}, {98, 98},
	{102, 103}, {105, 105}, {107, 107}, {109, 110}, {112, 112}, {118, 118}, {120, 121}, {123, 123},
}

// datev writes a Buchungsstapel.
type datev struct {
	settings
	consultant, client, length, firstMonth int
	skr                                    string
	account                                *regexp.Regexp
}

// newDATEV is a Buchungsstapel of DATEV: EXTF, format version 13, in Windows-1252, where memos get
// question marks for characters that it lacks. Each posting is a row, Konto against Gegenkonto, so each row balances. A
// file has one month, for the rows' dates have no year.
func newDATEV(s settings) (*layout, error) {
	d := &datev{settings: s, firstMonth: 1, skr: s.get(settingSKR)}
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	if len(s.Prices.Currency) != 3 {
		return nil, fmt.Errorf("DATEV takes currencies with ISO codes only, and %s is not one", s.Prices.Currency)
	}
	for _, n := range []struct {
		to            *int
		name, example string
		least, most   uint64
	}{
		{&d.consultant, settingConsultant, "29098", 1001, 9_999_999}, {&d.client, settingClient, "55003", 1, 99_999},
		{&d.length, settingLength, "4", 4, 8}, {&d.firstMonth, settingYear, "", 1, 12},
	} {
		value := s.get(n.name)
		if value == "" && n.example == "" {
			continue // it has a default
		}
		if _, err := s.need(n.name, n.example); err != nil {
			return nil, err
		}
		var err error
		if *n.to, err = s.number(n.name, value, n.least, n.most, fmt.Sprintf("want a number from %d to %d", n.least, n.most)); err != nil {
			return nil, err
		}
	}
	if d.skr != "" && !skrForm.MatchString(d.skr) {
		return nil, s.wrong(settingSKR, "want two or four digits, such as 03 or 04")
	}
	d.account = regexp.MustCompile(fmt.Sprintf(`^[0-9]{1,%d}$`, d.length))
	return &layout{carries: []chart.Target{chart.CostCentre, chart.Project, chart.TaxCode}, maxRows: datevRows, monthly: true, head: d.head, rows: d.rows, sums: datevSums, encode: toWindows1252}, nil
}

var (
	skrForm  = regexp.MustCompile(`^([0-9]{2}|[0-9]{4})$`)
	kostForm = regexp.MustCompile(`^[A-Za-z0-9_ ]{0,36}$`)
	buForm   = regexp.MustCompile(`^[0-9]{1,4}$`)
	belegOne = regexp.MustCompile(`^[A-Za-z0-9$%/-]{1,36}$`)
)

// head is the file's header and its column names. It has no clock: the file counts as made when
// its month ends.
func (d *datev) head(first *Entry) []string {
	from := monthOf(first.Date)
	to := from.AddDate(0, 1, -1)
	year := time.Date(from.Year(), time.Month(d.firstMonth), 1, 0, 0, 0, 0, time.UTC)
	if year.After(from) {
		year = year.AddDate(-1, 0, 0)
	}
	const day = "20060102"
	fields := []string{
		`"EXTF"`, "700", "21", `"Buchungsstapel"`, "13", to.Format(day) + "000000000", "", `"FS"`, `"fees"`, `""`,
		strconv.Itoa(d.consultant), strconv.Itoa(d.client), year.Format(day), strconv.Itoa(d.length), from.Format(day), to.Format(day),
		quoted("Fees " + from.Format("2006-01")), `""`, "1", "0",
		"0", // Festschreibung: the batch stays open; an empty field would lock it
		quoted(string(d.Prices.Currency)), "", `""`, "", "", quoted(d.skr), "", "", `""`, `""`,
	}
	return []string{strings.Join(fields, ";"), datevHeading}
}

// rows are an entry's postings that are not zero.
func (d *datev) rows(e *Entry) (rows []string, err error) {
	if !belegOne.MatchString(e.Reference) {
		return nil, fmt.Errorf(`the number %s is not a Belegfeld 1 of DATEV: want at most 36 letters, digits, $, %%, / and -; change "# %s"`, e.Reference, SettingPrefix)
	}
	for _, p := range e.Postings {
		if p.Amount.IsZero() {
			continue
		}
		row, err := d.row(e, p)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.Reference, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (d *datev) row(e *Entry, p *Posting) (string, error) {
	if err := fits(p.Amount); err != nil {
		return "", err
	}
	for _, account := range []Account{p.Account, p.Contra} {
		if !d.account.MatchString(string(account)) || strings.Trim(string(account), "0") == "" {
			return "", fmt.Errorf("the account %q is not a number of DATEV with at most %d digits; change the chart", account, d.length)
		}
	}
	for _, t := range []chart.Target{chart.CostCentre, chart.Project} {
		if value := p.Dimensions.Value(t); !kostForm.MatchString(value) {
			return "", fmt.Errorf("%s %q: want at most 36 letters, digits, blanks and underscores", t, value)
		}
	}
	taxCode := p.Value(chart.TaxCode)
	if taxCode != "" && !buForm.MatchString(taxCode) {
		return "", fmt.Errorf("tax_code %q: want a BU-Schlüssel of at most 4 digits", taxCode)
	}
	memo := []rune(inWindows1252(p.Memo))
	var cells [datevColumns + 1]string
	cells[1] = strings.Replace(p.Amount.StringFixed(2), ".", ",", 1)
	cells[2] = "S" // the debit account is Konto
	cells[3] = string(d.Prices.Currency)
	cells[7], cells[8] = string(p.Account), string(p.Contra)
	if taxCode != "" {
		cells[9] = strings.Repeat("0", 4-len(taxCode)) + taxCode
	}
	cells[10] = e.Date.Format("0201")
	cells[11] = e.Reference
	cells[14] = string(memo[:min(len(memo), datevText)])
	if p.Fees > 0 {
		cells[21], cells[22] = "Token", inWindows1252(strings.Replace(d.tokens(p.Wei), ".", ",", 1))
		cells[23], cells[24] = "Fees", strconv.FormatUint(p.Fees, 10)
	}
	if p.Hash != "" {
		cells[25], cells[26] = "Hash", p.Hash
	}
	cells[37], cells[38] = p.Value(chart.CostCentre), p.Value(chart.Project)
	cells[114] = "0" // Festschreibung
	for _, texts := range datevTexts {
		for n := texts[0]; n <= texts[1]; n++ {
			cells[n] = quoted(cells[n])
		}
	}
	return strings.Join(cells[1:], ";"), nil
}

// datevForm matches the amount of a row, which is a debit of Konto and a credit of Gegenkonto.
var datevForm = regexp.MustCompile(`^([0-9]+),([0-9]{2});"S";`)

// datevSums returns the debit and the credit that a row states.
func datevSums(row string) (debit, credit decimal.Decimal, err error) {
	found := datevForm.FindStringSubmatch(row)
	if found == nil {
		return debit, credit, errors.New("want an amount and S")
	}
	debit, err = decimal.NewFromString(found[1] + "." + found[2])
	return debit, debit, err
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
