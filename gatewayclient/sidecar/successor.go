package sidecar

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Sidecar's successor, polkadot-rest-api, writes an Ethereum transaction in a different form, as read in the
// source of 0.1.0-beta.4. Only the first letter of a type is lower case (eIP1559). A byte list of fewer than
// two bytes is an array. A U256 is its four 64-bit limbs, least significant first: an array of four numbers
// or, if each limb is below 256, a hex string of four bytes. So 0x06000000 is 6 there, and 100663296 in
// Sidecar's form. Such a string alone is ambiguous, so the gas limit decides the form of the whole
// transaction: it is at least 21,000 and less than 2^64, and therefore an array in every transaction of the
// successor and in none of Sidecar's.

// limbsInWord is the number of limbs of a U256.
const limbsInWord = 4

// readU256 returns a U256 of a transaction as a number in Sidecar's form. A decimal number has the same meaning in both
// forms.
func readU256(v jsonscan.Value, limbs bool) (jsonscan.Value, error) {
	switch text, isText := v.Text(); {
	case !limbs, v.Kind() == jsonscan.Number, v.Kind() == jsonscan.Absent, isText && !strings.HasPrefix(text, "0x"):
		return v, nil // left to the rules
	case isText:
		small, err := hex.DecodeString(text[2:])
		if err != nil || len(small) != limbsInWord {
			return jsonscan.Value{}, errNotU256("%q", jsonscan.Excerpt(text))
		}
		return ofLimbs([limbsInWord]uint64{uint64(small[0]), uint64(small[1]), uint64(small[2]), uint64(small[3])}), nil
	case v.Kind() != jsonscan.Array:
		return jsonscan.Value{}, errNotU256("have %v", v.Kind())
	}
	var word [limbsInWord]uint64
	n := 0
	for limb := range v.Elements() {
		if n == len(word) {
			return jsonscan.Value{}, errNotU256("have more than four limbs")
		}
		var err error
		if word[n], err = decimal(limb); err != nil {
			return jsonscan.Value{}, fmt.Errorf("limb %d: %w", n, err)
		}
		n++
	}
	if n != len(word) {
		return jsonscan.Value{}, errNotU256("have %d limbs", n)
	}
	return ofLimbs(word), nil
}

func ofLimbs(limbs [limbsInWord]uint64) jsonscan.Value {
	word, _ := chain.ParseGasPrice(fmt.Sprintf("0x%016x%016x%016x%016x", limbs[3], limbs[2], limbs[1], limbs[0])) // 256 bits, as all words
	return jsonscan.OfText(word.String())
}

// formError is an error in a form that only the successor writes. It refuses the block.
type formError string

func (e formError) Error() string { return string(e) }

// formOnly returns the error if it is in a form that only the successor writes.
func formOnly(err error) error {
	var form formError
	if errors.As(err, &form) {
		return err
	}
	return nil
}

func errNotU256(format string, args ...any) error {
	return formError(fmt.Sprintf(format, args...) + ": want a U256: four limbs of 64 bits in an array, or of a byte in 0x and 8 hex digits")
}

// decimal parses a number of at most 64 bits that consists of decimal digits only.
func decimal(v jsonscan.Value) (uint64, error) {
	text := v.Raw()
	if inside, ok := v.Text(); ok {
		text = inside
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strings.HasPrefix(text, "+") {
		return 0, formError("want decimal digits of at most 64 bits, have " + jsonscan.Excerpt(v.Raw()))
	}
	return n, nil
}

// readBytes decodes a byte list that may be an array: the form in which the successor writes fewer than two
// bytes.
func readBytes(v jsonscan.Value) (jsonscan.Value, error) {
	if v.Kind() != jsonscan.Array {
		return v, nil // left to the rules
	}
	var list []byte
	for element := range v.Elements() {
		n, err := decimal(element)
		if err == nil && (n > 255 || len(list) > 0) {
			err = formError("want hex digits, or an array of at most one byte, have " + jsonscan.Excerpt(v.Raw()))
		}
		if err != nil {
			return jsonscan.Value{}, err
		}
		list = append(list, byte(n))
	}
	return jsonscan.OfText("0x" + hex.EncodeToString(list)), nil
}

// readSigner decodes the account that signed: the successor, and Sidecar for accounts of 32 bytes, write
// {"id": account}.
func readSigner(v jsonscan.Value) jsonscan.Value {
	if id := v.Member("id"); id.Kind() != jsonscan.Absent {
		return id
	}
	return v
}

// inField adds the field's name to an error.
func inField(name string, err error) error {
	var fields firstError
	fields.at(name, err)
	return fields.err
}

// PalletName returns the name of a pallet in camel case, as Sidecar accepts it in a path: transactionPayment
// for transaction-payment. Its successor accepts only this form.
func PalletName(name string) string {
	words := strings.Split(name, "-")
	for i, word := range words {
		if i > 0 && word != "" {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
