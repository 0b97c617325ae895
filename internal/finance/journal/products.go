package journal

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/internal/finance/chart"
)

const (
	// quickBooksNumber is how many characters a journal number has at most (Intuit, DocNumber).
	quickBooksNumber = 21
	// quickBooksRows is how many lines a file gets: imports of more are reported to fail.
	quickBooksRows = 1000
	// xeroRows is how many lines Xero imports of a file (help.xero.com, ManualJournalsImport).
	xeroRows = 300
	// The limits of NetSuite's import job and of an entry (docs.oracle.com, section_N453326 and section_N405613).
	netSuiteRows  = 25 * 1000
	netSuiteLines = 10_000
)

// settingQuickBooksAccount begins the setting of an account's name: "quickbooks account 6810".
const settingQuickBooksAccount = "quickbooks account "

// accountNumber matches accounts that are numbers.
var accountNumber = regexp.MustCompile(`^[0-9][0-9 ./-]*$`)

// newQuickBooks is the import of journal entries of QuickBooks Online, with the columns of Intuit's sample file; the
// asterisks are part of the names. Accounts are names, with Parent:Sub for a subaccount; a number needs a setting with its
// name. The lines of one number are an entry.
func newQuickBooks(s settings) (*layout, error) {
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	c, err := s.columnsOf("MM/DD/YYYY", "*JournalNo = number, *JournalDate = date, *AccountName = account, *Debits = debit, *Credits = credit, "+
		"Description = description, Name = none, Currency = currency, Location = location, Class = class", map[string]cell{
		"none": constant(""), "account": func(_ *Entry, l *Line) string { return s.nameOf(l.Account) },
	})
	if err != nil {
		return nil, err
	}
	c.separator, err = s.separator() // macOS versions of spreadsheets need semicolons
	return c.complete(layout{maxRows: quickBooksRows}, func(e *Entry, lines []*Line) error {
		var numbers []string
		for _, l := range lines {
			number := string(l.Account)
			if name := s.nameOf(l.Account); name != number {
				if err := chart.CheckName(settingQuickBooksAccount+number, name); err != nil {
					return err
				}
			} else if accountNumber.MatchString(number) && !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
		if len(numbers) > 0 {
			return fmt.Errorf(`QuickBooks imports the names of accounts, not their numbers: %s. Write the names in the chart, or add lines such as "# %s%s: Network fees"`, strings.Join(numbers, ", "), settingQuickBooksAccount, numbers[0])
		}
		if len(e.Reference) > quickBooksNumber {
			return fmt.Errorf(`the journal number %s has more than %d characters; set a shorter one with "# %s: F-"`, e.Reference, quickBooksNumber, SettingPrefix)
		}
		return nil
	}), err
}

// nameOf returns the name of an account in QuickBooks: that of its setting, or the account itself.
func (s settings) nameOf(account Account) string {
	return cmp.Or(s.Chart.Setting(settingQuickBooksAccount+strings.ToLower(string(account))), string(account))
}

// constant is a column with the same text in each line.
func constant(text string) cell { return func(*Entry, *Line) string { return text } }

const settingSubsidiary = "netsuite subsidiary"

// newNetSuite is a journal entry import of NetSuite's Import Assistant, with names that it maps to the fields of a
// journal entry. The lines of one External ID are an entry; accounts and dimensions are names as NetSuite has them.
// Amounts have at most 10 digits and 2 decimals.
func newNetSuite(s settings) (*layout, error) {
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	subsidiary := s.get(settingSubsidiary)
	c, err := s.columnsOf("MM/DD/YYYY", // the user's preference in NetSuite
		"External ID = number, Date = date, Subsidiary = subsidiary, Currency = currency, Memo = memo, Account = account, Debit = debit, Credit = credit, "+
			"Line Memo = description, Department = department, Class = class, Location = location", map[string]cell{"subsidiary": constant(subsidiary)})
	if err == nil && subsidiary != "" {
		err = chart.CheckName(settingSubsidiary, subsidiary)
	}
	if err != nil {
		return nil, err
	}
	return c.complete(layout{maxRows: netSuiteRows}, func(e *Entry, lines []*Line) error {
		if len(lines) > netSuiteLines {
			return fmt.Errorf("entry %s has %d lines, and NetSuite takes %d; book by day, or use fewer accounts and cost centres", e.Reference, len(lines), netSuiteLines)
		}
		for _, l := range lines {
			if err := fits(l.Amount); err != nil {
				return fmt.Errorf("entry %s: %w", e.Reference, err)
			}
		}
		return nil
	}), nil
}

// Settings of Xero. A tracking category is such as "Region = location".
const (
	settingXeroTax      = "xero tax rate"
	settingXeroTracking = "xero tracking "
)

// newXero is the import of manual journals of Xero, with the columns of its template; the asterisks are part of the
// names. Lines with the same narration and date are a journal, so the narration has the entry's number. A debit is
// positive, a credit negative.
func newXero(s settings) (*layout, error) {
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	rate := s.get(settingXeroTax)
	more := map[string]cell{
		"narration": func(e *Entry, _ *Line) string { return e.Reference + ": " + e.Memo },
		"tax":       func(_ *Entry, l *Line) string { return cmp.Or(l.Value(chart.TaxCode), rate) },
	}
	l := layout{maxRows: xeroRows, carries: []chart.Target{chart.TaxCode}}
	list := "*Narration = narration, *Date = date, Description = description, *AccountCode = account, *TaxRate = tax, *Amount = amount"
	var wrong error
	for i := range 2 {
		list += fmt.Sprintf(", TrackingName%d = name%[1]d, TrackingOption%[1]d = option%[1]d", i+1)
		name, of, err := s.tracking(settingXeroTracking + strconv.Itoa(i+1))
		wrong = cmp.Or(wrong, err)
		l.carries = append(l.carries, of)
		more[fmt.Sprintf("name%d", i+1)] = func(_ *Entry, l *Line) string { return ifTrue(l.Value(of) != "", name) }
		more[fmt.Sprintf("option%d", i+1)] = func(_ *Entry, l *Line) string { return l.Value(of) }
	}
	c, err := s.columnsOf("DD MMM YYYY", list, more) // which Xero reads in every region (help.xero.com, ManualJournalsImport)
	if err == nil {
		_, err = s.need(settingXeroTax, "Tax Exempt")
	}
	if err = cmp.Or(err, chart.CheckName(settingXeroTax, rate), wrong); err != nil {
		return nil, err
	}
	return c.complete(l, nil), nil
}

// tracking reads a tracking category of Xero and the dimension that its options are; "" without one.
func (s settings) tracking(setting string) (name string, of chart.Target, err error) {
	value := s.get(setting)
	if value == "" {
		return "", "", nil
	}
	name, dimension, _ := strings.Cut(value, "=")
	name, of = strings.TrimSpace(name), chart.Target(strings.TrimSpace(dimension))
	if name == "" || !slices.Contains(dimensions, of) {
		return "", "", s.wrong(setting, "want a tracking category and a column of the chart, such as Region = location")
	}
	return name, of, chart.CheckName(setting, name)
}
