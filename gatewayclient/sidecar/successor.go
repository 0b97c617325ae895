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

// inSidecarForm returns the arguments of ethereum.transact in Sidecar's form. Arguments in neither form are
// returned unchanged, for the rules to reject.
func inSidecarForm(args jsonscan.Value) (jsonscan.Value, error) {
	if !mayBeSuccessors(args.Raw()) {
		return args, nil
	}
	where, transaction := "args.transaction", args.Member("transaction")
	name, fields, typed := transaction.Only()
	if typed {
		where += "." + jsonscan.Excerpt(name)
	} else {
		fields = transaction
	}
	if fields.Kind() != jsonscan.Object {
		return args, nil
	}
	read, err := readFields(fields, fields.Member("gasLimit").Kind() == jsonscan.Array)
	if err != nil {
		return jsonscan.Value{}, inField(where, err)
	}
	if typed {
		read = jsonscan.OfObject(jsonscan.Field{Key: typeName(name), Value: read})
	}
	return with(args, "transaction", read), nil
}

// mayBeSuccessors reports, from a quick look at the text of a transaction, whether it may have the successor's
// form. Nearly all have Sidecar's, and decoding their fields would take a third of the time of decoding a
// block.
func mayBeSuccessors(text string) bool {
	if strings.Contains(text, "IP") {
		return true
	}
	for {
		key, rest, found := strings.Cut(text, "[")
		if !found {
			return false
		}
		key = strings.TrimRight(key, ": \t\r\n")
		if strings.HasSuffix(key, `"gasLimit"`) || strings.HasSuffix(key, `"input"`) || strings.HasSuffix(key, `"data"`) {
			return true
		}
		text = rest
	}
}

// typeName returns Sidecar's name for a transaction type.
func typeName(name string) string {
	for _, known := range []string{"eip2930", "eip1559", "eip7702"} {
		if strings.EqualFold(name, known) {
			return known
		}
	}
	return name
}

// readFields returns the fields of a transaction in Sidecar's form.
func readFields(fields jsonscan.Value, limbs bool) (jsonscan.Value, error) {
	var list []jsonscan.Field
	for key, value := range fields.Members() {
		var err error
		switch key {
		case "nonce", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "gasLimit", "value":
			if limbs {
				value, err = readU256(value)
			}
		case "input", "data":
			value, err = readBytes(value)
		case "authorizationList":
			if limbs {
				value, err = readAuthorizations(value)
			}
		}
		if err != nil {
			return jsonscan.Value{}, inField(key, err)
		}
		list = append(list, jsonscan.Field{Key: key, Value: value})
	}
	return jsonscan.OfObject(list...), nil
}

// readAuthorizations returns the authorizations of an EIP-7702 transaction, whose nonces are limbs, in
// Sidecar's form.
func readAuthorizations(v jsonscan.Value) (jsonscan.Value, error) {
	var list []jsonscan.Value
	for item := range v.Elements() {
		if nonce := item.Member("nonce"); nonce.Kind() != jsonscan.Absent {
			read, err := readU256(nonce)
			if err != nil {
				return jsonscan.Value{}, inField(fmt.Sprintf("[%d].nonce", len(list)), err)
			}
			item = with(item, "nonce", read)
		}
		list = append(list, item)
	}
	if v.Kind() != jsonscan.Array {
		return v, nil
	}
	return jsonscan.OfArray(list...), nil
}

// limbsInWord is the number of limbs of a U256.
const limbsInWord = 4

var errNotU256 = errors.New("want a U256: four limbs of 64 bits in an array, or of a byte in 0x and 8 hex digits")

// readU256 decodes a U256 of a transaction whose numbers are limbs. A decimal number has the same meaning in
// both forms.
func readU256(v jsonscan.Value) (jsonscan.Value, error) {
	switch text, isText := v.Text(); {
	case v.Kind() == jsonscan.Number, isText && !strings.HasPrefix(text, "0x"):
		return v, nil // left to the rules
	case isText:
		small, err := hex.DecodeString(text[2:])
		if err != nil || len(small) != limbsInWord {
			return jsonscan.Value{}, fmt.Errorf("%q: %w", jsonscan.Excerpt(text), errNotU256)
		}
		return ofLimbs([limbsInWord]uint64{uint64(small[0]), uint64(small[1]), uint64(small[2]), uint64(small[3])}), nil
	case v.Kind() != jsonscan.Array:
		return jsonscan.Value{}, fmt.Errorf("have %v: %w", v.Kind(), errNotU256)
	}
	var limbs [limbsInWord]uint64
	n := 0
	for limb := range v.Elements() {
		if n == len(limbs) {
			return jsonscan.Value{}, fmt.Errorf("have more than four limbs: %w", errNotU256)
		}
		var err error
		if limbs[n], err = decimal(limb); err != nil {
			return jsonscan.Value{}, fmt.Errorf("limb %d: %w", n, err)
		}
		n++
	}
	if n != len(limbs) {
		return jsonscan.Value{}, fmt.Errorf("have %d limbs: %w", n, errNotU256)
	}
	return ofLimbs(limbs), nil
}

func ofLimbs(limbs [limbsInWord]uint64) jsonscan.Value {
	word, _ := chain.ParseGasPrice(fmt.Sprintf("0x%016x%016x%016x%016x", limbs[3], limbs[2], limbs[1], limbs[0])) // 256 bits, as all words
	return jsonscan.OfText(word.String())
}

// decimal parses a number of at most 64 bits that consists of decimal digits only.
func decimal(v jsonscan.Value) (uint64, error) {
	text := v.Raw()
	if inside, ok := v.Text(); ok {
		text = inside
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strings.HasPrefix(text, "+") {
		return 0, fmt.Errorf("want decimal digits of at most 64 bits, have %s", jsonscan.Excerpt(v.Raw()))
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
			err = fmt.Errorf("want hex digits, or an array of at most one byte, have %s", jsonscan.Excerpt(v.Raw()))
		}
		if err != nil {
			return jsonscan.Value{}, err
		}
		list = append(list, byte(n))
	}
	return jsonscan.OfText("0x" + hex.EncodeToString(list)), nil
}

// with returns a copy of an object with one member replaced.
func with(object jsonscan.Value, name string, value jsonscan.Value) jsonscan.Value {
	var fields []jsonscan.Field
	for key, member := range object.Members() {
		if key == name {
			member = value
		}
		fields = append(fields, jsonscan.Field{Key: key, Value: member})
	}
	return jsonscan.OfObject(fields...)
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
