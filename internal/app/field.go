package app

import (
	"slices"
	"strings"
)

// Field is the name of an input field, equal to the name of its flag. A page may use another name, and
// [InputError.Naming] substitutes it.
type Field string

// The input fields.
const (
	FieldMonth       Field = "month"
	FieldYear        Field = "year"
	FieldFrom        Field = "from"
	FieldTo          Field = "to"
	FieldTimezone    Field = "timezone"
	FieldBlock       Field = "block"
	FieldReceipt     Field = "receipt"
	FieldAccounts    Field = "accounts"
	FieldLabels      Field = "labels"
	FieldFont        Field = "font"
	FieldPrices      Field = "prices"
	FieldFiat        Field = "fiat"
	FieldLastKnown   Field = "last-known"
	FieldPriceMap    Field = "price-map"
	FieldBy          Field = "by"
	FieldCompare     Field = "compare"
	FieldAgainst     Field = "against"
	FieldPart        Field = "part"
	FieldClasses     Field = "classes"
	FieldProgram     Field = "as"
	FieldWith        Field = "with"
	FieldNames       Field = "names"
	FieldLedger      Field = "ledger"
	FieldGateway     Field = "gateway"
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
	FieldProfile     Field = "profile"
	FieldCutDecimals Field = "cut-decimals"
	FieldTotal       Field = "total"
	FieldGLAccount   Field = "gl-account"
	FieldFix         Field = "fix"
	FieldAccept      Field = "accept"
	FieldDifferences Field = "differences"
	FieldDrop        Field = "drop"
	FieldChart       Field = "chart"
	FieldTags        Field = "tags"
	FieldSummarise   Field = "summarise"
	FieldSize        Field = "size"
	FieldSeed        Field = "seed"
)

// Texts converts words to strings.
func Texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return list
}

// OneOf checks that the value of a field is one of the words.
func OneOf[T ~string](f Field, value T, words ...T) error {
	if slices.Contains(words, value) {
		return nil
	}
	list := slices.DeleteFunc(Texts(words), func(word string) bool { return word == "" }) // the value of an omitted field
	last := len(list) - 1
	return notUnderstood("%v %q: want %s", f, value, strings.TrimPrefix(strings.Join(list[:last], ", ")+" or "+list[last], " or "))
}
