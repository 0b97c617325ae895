package chain

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/jsonscan"
)

// DispatchClass is the class of an extrinsic. The chain has a weight limit for each class.
type DispatchClass string

// Transactions are Normal or, for a few governance calls, Operational. Inherents are Mandatory.
const (
	Normal      DispatchClass = "Normal"
	Operational DispatchClass = "Operational"
	Mandatory   DispatchClass = "Mandatory"
)

// Class returns the class in the dispatch information.
func (o Outcome) Class() (DispatchClass, error) {
	text, err := o.text("class")
	if err != nil {
		return "", err
	}
	switch class := DispatchClass(text); class {
	case Normal, Operational, Mandatory:
		return class, nil
	}
	return "", errors.New("class: want Normal, Operational or Mandatory")
}

// PaysFee reports whether the extrinsic paid for its weight and length, according to the dispatch information.
// An extrinsic that did not still pays its tip.
func (o Outcome) PaysFee() (bool, error) {
	text, err := o.text("paysFee")
	if err != nil {
		return false, err
	}
	switch text {
	case "Yes":
		return true, nil
	case "No":
		return false, nil
	}
	return false, errors.New("paysFee: want Yes or No")
}

func (o Outcome) text(field string) (string, error) {
	v := o.Info.Member(field)
	switch v.Kind() {
	case jsonscan.String:
		text, _ := v.Text()
		return text, nil
	case jsonscan.Absent, jsonscan.Null:
		return "", fmt.Errorf("%s: %w", field, ErrMissing)
	}
	return "", fmt.Errorf("%s: want a string, have %v", field, v.Kind())
}
