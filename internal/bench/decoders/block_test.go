package decoders

import (
	"errors"
	"fmt"
	"unsafe"
)

// The job: what every candidate must obtain from a block's body. R is the form
// in which a candidate keeps a value that it does not look into: raw text, or a
// place in its own tree. Quantities are JSON strings, as in the recordings.
type (
	block[R any] struct {
		Number     string         `json:"number"`
		Hash       string         `json:"hash"`
		ParentHash string         `json:"parentHash"`
		Extrinsics []extrinsic[R] `json:"extrinsics"`
	}

	extrinsic[R any] struct {
		Method    name       `json:"method"`
		Hash      string     `json:"hash"`
		Signature *signature `json:"signature"` // nil where the answer says null
		Success   bool       `json:"success"`
		Args      R          `json:"args"`
		Events    []event[R] `json:"events"`

		Transaction *transaction `json:"-"` // of ethereum.transact, from Args
	}

	name struct {
		Pallet string `json:"pallet"`
		Method string `json:"method"`
	}

	signature struct{}

	event[R any] struct {
		Method name `json:"method"`
		Data   R    `json:"data"`
	}

	transaction struct {
		Type string `json:"-"`
		payload
	}

	payload struct {
		Nonce                string `json:"nonce"`
		GasPrice             string `json:"gasPrice"`
		MaxFeePerGas         string `json:"maxFeePerGas"`
		MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas"`
		GasLimit             string `json:"gasLimit"`
		Value                string `json:"value"`
	}
)

// signed is the Signature of every extrinsic whose signature is not null.
var signed = &signature{}

func (n name) isTransact() bool {
	return n.Pallet == "ethereum" && n.Method == "transact"
}

// transactArgs is args of ethereum.transact, for the libraries that decode into
// structs.
type transactArgs struct {
	Transaction struct {
		Legacy  *payload `json:"legacy"`
		EIP2930 *payload `json:"eip2930"`
		EIP1559 *payload `json:"eip1559"`
	} `json:"transaction"`
}

func (a transactArgs) transaction() (*transaction, error) {
	switch tx := a.Transaction; {
	case tx.Legacy != nil:
		return &transaction{"legacy", *tx.Legacy}, nil
	case tx.EIP2930 != nil:
		return &transaction{"eip2930", *tx.EIP2930}, nil
	case tx.EIP1559 != nil:
		return &transaction{"eip1559", *tx.EIP1559}, nil
	}
	return nil, errors.New("no transaction of a known type")
}

// field returns where the value of one member of a payload goes, nil where it
// is not needed.
func (p *payload) field(member string) *string {
	switch member {
	case "nonce":
		return &p.Nonce
	case "gasPrice":
		return &p.GasPrice
	case "maxFeePerGas":
		return &p.MaxFeePerGas
	case "maxPriorityFeePerGas":
		return &p.MaxPriorityFeePerGas
	case "gasLimit":
		return &p.GasLimit
	case "value":
		return &p.Value
	}
	return nil
}

func checkType(name string) error {
	switch name {
	case "legacy", "eip2930", "eip1559":
		return nil
	}
	return fmt.Errorf("unknown transaction type %q", name)
}

// text is b as a string, without a copy.
func text(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// plain returns b with every value rendered as JSON, for comparisons.
func plain[R any](b block[R], render func(R) string) block[string] {
	out := block[string]{Number: b.Number, Hash: b.Hash, ParentHash: b.ParentHash}
	for _, x := range b.Extrinsics {
		y := extrinsic[string]{
			Method: x.Method, Hash: x.Hash, Signature: x.Signature, Success: x.Success, Transaction: x.Transaction,
		}
		for _, e := range x.Events {
			y.Events = append(y.Events, event[string]{e.Method, render(e.Data)})
		}
		out.Extrinsics = append(out.Extrinsics, y)
	}
	return out
}
