package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// Where the differences are, counted among the fees that the company truly paid, from 0.
const (
	wrongRow    = 3  // two digits of its amount changed places
	missingRow  = 7  // it is not there
	doubledRow  = 10 // it is there twice
	unknownNear = 13 // a row of a transaction that nobody knows stands behind it
)

// row is one of the company's record.
type row struct {
	at         time.Time
	hash, from string
	fee        string // in the token
}

// companyRecord is what the company wrote down of its fees in January, with the differences.
// The fees are what the chain recorded: no rule of ours is asked.
func companyRecord(c *chaingen.Chain) (string, error) {
	var ours []string
	for i, a := range c.Accounts() {
		if names[i].group == company {
			ours = append(ours, a.String())
		}
	}
	paid, err := recorded(c, ours)
	if err != nil {
		return "", err
	}
	var rows []row
	for i, r := range paid {
		switch i {
		case wrongRow:
			r.fee = transposed(r.fee)
			rows = append(rows, r)
		case missingRow:
		case doubledRow:
			rows = append(rows, r, r)
		case unknownNear:
			nobody := r
			nobody.hash = fmt.Sprintf("0x%x", sha256.Sum256([]byte("a transaction that is not on the chain")))
			rows = append(rows, r, nobody)
		default:
			rows = append(rows, r)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Date,Tx Hash,From,Fee (%s),Booked by\n", chaingen.Moonbeam().Symbol)
	for i, r := range rows {
		clerk := [...]string{"Ada", "Bo"}[i%2]
		fmt.Fprintf(&out, "%s,%s,%s,%s,%s\n", r.at.Format("2006-01-02 15:04:05"), r.hash, r.from, r.fee, clerk)
	}
	return out.String(), nil
}

// block is one as the gateway says it.
type block struct {
	Extrinsics []struct {
		Method    struct{ Pallet string }
		Signature *struct{}
		Hash      string
		Events    []struct {
			Method struct{ Pallet, Method string }
			Data   []json.RawMessage
		}
	}
}

// recorded are the fees that accounts paid in January, by the events of the blocks alone: what
// was withdrawn from who paid, less what came back.
func recorded(c *chaingen.Chain, accounts []string) (rows []row, err error) {
	begin := time.Date(2026, time.January, 31, 0, 30, 0, 0, time.UTC)
	for height := uint64(1); ; height++ {
		at := begin.Add(time.Duration(height-1) * time.Hour)
		if at.Month() != time.January {
			return rows, nil
		}
		var b block
		if err := json.Unmarshal(c.Block(height), &b); err != nil {
			return nil, err
		}
		for _, x := range b.Extrinsics {
			if x.Method.Pallet != "ethereum" && x.Signature == nil {
				continue // an inherent
			}
			r := row{at: at, hash: x.Hash}
			var charged chain.Wei
			for _, e := range x.Events {
				switch {
				case e.Method.Pallet == "ethereum" && e.Method.Method == "Executed":
					r.hash = text(e.Data[2]) // the hash that wallets and explorers show
				case e.Method.Pallet != "balances":
				case e.Method.Method == "Withdraw":
					r.from = text(e.Data[0])
					charged, err = chain.ParseWei(text(e.Data[1]))
				case e.Method.Method == "Deposit" && text(e.Data[0]) == r.from:
					var back chain.Wei
					if back, err = chain.ParseWei(text(e.Data[1])); err == nil {
						charged, err = charged.Sub(back)
					}
				}
				if err != nil {
					return nil, fmt.Errorf("block %d: %w", height, err)
				}
			}
			if slices.Contains(accounts, r.from) {
				r.fee = console.Tokens(charged)
				rows = append(rows, r)
			}
		}
	}
}

// text is a JSON string; "" for what is none.
func text(value json.RawMessage) (s string) {
	_ = json.Unmarshal(value, &s) // what is none is no hash, address or amount
	return s
}

// transposed is an amount with two of its decimals in each other's place, as it comes of typing.
func transposed(amount string) string {
	digits := []byte(amount)
	for i := strings.IndexByte(amount, '.') + 3; i+1 < len(digits); i++ {
		if digits[i] != digits[i+1] {
			digits[i], digits[i+1] = digits[i+1], digits[i]
			break
		}
	}
	return string(digits)
}
