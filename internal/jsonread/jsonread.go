// Package jsonread reads quantities, addresses and hashes from JSON in every form that gateways and nodes write: a
// quantity is a decimal string, a 0x-hex string (most significant digit first, zero-padded or not) or a JSON number. A
// JSON number with a fraction or an exponent is rejected: it has been through floating point and may have lost digits.
//
// A value that is missing or null is [chain.ErrMissing].
//
// It also finds the data of an event in the text of a block.
package jsonread

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// digits returns the digits of a numeric value.
func digits(v jsonscan.Value) (string, error) {
	switch v.Kind() {
	case jsonscan.Number:
		return v.Raw(), nil
	case jsonscan.String:
		text, _ := v.Text()
		return text, nil
	case jsonscan.Absent, jsonscan.Null:
		return "", chain.ErrMissing
	default:
		return "", fmt.Errorf("want a number, have %v", v.Kind())
	}
}

func number[T any](v jsonscan.Value, parse func(string) (T, error)) (none T, err error) {
	text, err := digits(v)
	if err != nil {
		return none, err
	}
	return parse(text)
}

// Wei reads an amount in wei.
func Wei(v jsonscan.Value) (chain.Wei, error) { return number(v, chain.ParseWei) }

// GasPrice reads a price in wei per gas.
func GasPrice(v jsonscan.Value) (chain.GasPrice, error) { return number(v, chain.ParseGasPrice) }

// Multiplier reads a multiplier's stored integer.
func Multiplier(v jsonscan.Value) (chain.Multiplier, error) { return number(v, chain.ParseMultiplier) }

// TokenAmount reads an amount of an ERC-20 token.
func TokenAmount(v jsonscan.Value) (chain.TokenAmount, error) {
	return number(v, chain.ParseTokenAmount)
}

// Uint64 reads a plain number, such as a height.
func Uint64(v jsonscan.Value) (uint64, error) { return number(v, chain.ParseUint64) }

// Gas reads an amount of gas.
func Gas(v jsonscan.Value) (chain.Gas, error) {
	n, err := Uint64(v)
	return chain.NewGas(n), err
}

// Nonce reads an account's nonce.
func Nonce(v jsonscan.Value) (chain.Nonce, error) {
	n, err := Uint64(v)
	return chain.NewNonce(n), err
}

// AuthorizationNonce reads the nonce in an authorization.
func AuthorizationNonce(v jsonscan.Value) (chain.AuthorizationNonce, error) {
	n, err := GasPrice(v) // 256 bits, too
	return chain.AuthorizationNonceOf(n.Word()), err
}

// Perbill reads a share in parts per billion.
func Perbill(v jsonscan.Value) (chain.Perbill, error) {
	n, err := Uint64(v)
	if err != nil {
		return chain.Perbill{}, err
	}
	return chain.NewPerbill(n)
}

// Weight reads a weight: {"refTime", "proofSize"}, the same in snake case, or the single number that weights were
// before they had two dimensions.
func Weight(v jsonscan.Value) (chain.Weight, error) {
	if v.Kind() != jsonscan.Object {
		n, err := Uint64(v)
		return chain.Weight{RefTime: chain.NewRefTime(n)}, err
	}
	var weight chain.Weight
	var hasTime, hasProof bool
	for key, member := range v.Members() {
		n, err := Uint64(member)
		switch key {
		case "refTime", "ref_time":
			if err == nil && hasTime {
				err = errors.New("given twice")
			}
			weight.RefTime, hasTime = chain.NewRefTime(n), true
		case "proofSize", "proof_size":
			if err == nil && hasProof {
				err = errors.New("given twice")
			}
			weight.ProofSize, hasProof = n, true
		default:
			continue
		}
		if err != nil {
			return chain.Weight{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	if !hasTime {
		return chain.Weight{}, fmt.Errorf("refTime: %w", chain.ErrMissing)
	}
	return weight, nil
}

// ClassWeights reads {"normal": weight, "operational": weight, "mandatory": weight}.
func ClassWeights(v jsonscan.Value) (c chain.ClassWeights, err error) {
	for _, part := range []struct {
		name   string
		weight *chain.Weight
	}{{"normal", &c.Normal}, {"operational", &c.Operational}, {"mandatory", &c.Mandatory}} {
		if *part.weight, err = Weight(v.Member(part.name)); err != nil {
			return chain.ClassWeights{}, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return c, nil
}

// Address reads an address: 0x and 40 hex digits in any case, or SS58.
func Address(v jsonscan.Value) (chain.Address, error) {
	return hex(v, "an address", chain.ReadAddress)
}

// EVMAddress reads an address of 20 bytes. Chains with native accounts of 32 bytes have it on the EVM too.
func EVMAddress(v jsonscan.Value) (chain.Address, error) {
	a, err := Address(v)
	if a.Size() != chain.AddressSize {
		_, err = a.EVM()
		return chain.Address{}, err
	}
	return a, err
}

// Hash reads a hash: 0x and 64 hex digits.
func Hash(v jsonscan.Value) (chain.Hash, error) { return hex(v, "a hash", chain.ParseHash) }

func hex[T any](v jsonscan.Value, what string, parse func(string) (T, error)) (none T, err error) {
	text, ok := v.Text()
	switch {
	case ok:
		return parse(text)
	case v.Kind() == jsonscan.Absent || v.Kind() == jsonscan.Null:
		return none, chain.ErrMissing
	}
	return none, fmt.Errorf("want %s, have %v", what, v.Kind())
}

// DispatchClass returns the class with a name.
func DispatchClass(name string) (chain.DispatchClass, error) {
	switch class := chain.DispatchClass(name); class {
	case chain.Normal, chain.Operational, chain.Mandatory:
		return class, nil
	}
	return "", errors.New("want Normal, Operational or Mandatory")
}

// PaysFee returns whether an extrinsic paid, from "Yes" or "No".
func PaysFee(name string) (bool, error) {
	if name != "Yes" && name != "No" {
		return false, errors.New("want Yes or No")
	}
	return name == "Yes", nil
}

// Destination returns 1 for "Reserved" and 0 for "Free", in any case.
func Destination(name string) (uint64, error) {
	switch {
	case strings.EqualFold(name, "free"):
		return 0, nil
	case strings.EqualFold(name, "reserved"):
		return 1, nil
	}
	return 0, fmt.Errorf("want Free or Reserved, have %q", jsonscan.Excerpt(name))
}

// Reason reads why the EVM stopped: "Stopped", {"outOfGas": null} or {"other": "text"}, which is other(text). It is not
// known in another form.
func Reason(v jsonscan.Value) (text string, known bool) {
	if text, known = v.Text(); known {
		return text, true
	}
	name, detail, one := v.Only()
	if !one {
		return "", false
	}
	switch text, isText := detail.Text(); {
	case isText:
		name += "(" + text + ")"
	case detail.Kind() != jsonscan.Null:
		name += "(" + jsonscan.Excerpt(detail.Raw()) + ")"
	}
	return name, true
}

// HoldReason reads why an amount is held: {"revive": "StorageDepositReserve"} is revive.StorageDepositReserve. A reason
// that is not a pallet's is its text. A reason in another form is not read.
func HoldReason(v jsonscan.Value) chain.Value {
	text, known := v.Text()
	if pallet, of, one := v.Only(); one {
		text, known = Reason(of)
		text = pallet + "." + text
	}
	if !known || text == "" {
		return chain.UnreadValue()
	}
	return chain.HoldReasonValue(chain.HoldReason(text))
}
