package app

import (
	"slices"
	"strings"
)

// Field is a part of a question, by its name: that of its flag. A page may call it otherwise, and an
// [InputError] names it as the reader knows it.
type Field string

// The fields of questions.
const (
	FieldMonth       Field = "month"
	FieldYear        Field = "year"
	FieldFrom        Field = "from"
	FieldTo          Field = "to"
	FieldTimezone    Field = "timezone"
	FieldBlock       Field = "block"
	FieldAccounts    Field = "accounts"
	FieldLabels      Field = "labels"
	FieldPrices      Field = "prices"
	FieldFiat        Field = "fiat"
	FieldBy          Field = "by"
	FieldCompare     Field = "compare"
	FieldPart        Field = "part"
	FieldClasses     Field = "classes"
	FieldProgram     Field = "as"
	FieldWith        Field = "with"
	FieldNames       Field = "names"
	FieldLedger      Field = "ledger"
	FieldNetworkFile Field = "network-file"
	FieldMap         Field = "map"
	FieldUnit        Field = "unit"
	FieldDecimal     Field = "decimal"
	FieldThousands   Field = "thousands"
	FieldSeparator   Field = "separator"
	FieldEncoding    Field = "encoding"
	FieldSheet       Field = "sheet"
	FieldDateFormat  Field = "date-format"
	FieldTolerance   Field = "tolerance"
	FieldHeaderRow   Field = "header-row"
	FieldSkipRows    Field = "skip-rows"
	FieldNegative    Field = "negative"
	FieldRowsOnly    Field = "rows-only"
	FieldFix         Field = "fix"
)

// Texts are words as plain texts.
func Texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return list
}

// OneOf wants a field to have one of some words.
func OneOf[T ~string](f Field, value T, words ...T) error {
	if slices.Contains(words, value) {
		return nil
	}
	list := slices.DeleteFunc(Texts(words), func(word string) bool { return word == "" }) // as a field is that is left out
	last := len(list) - 1
	return notUnderstood("%v %q: want %s", f, value, strings.TrimPrefix(strings.Join(list[:last], ", ")+" or "+list[last], " or "))
}
