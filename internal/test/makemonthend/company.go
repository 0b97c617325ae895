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

// The positions of the differences, counted from 0 among the fees that the company really paid.
const (
	wrongRow    = 3  // with two transposed digits in its amount
	missingRow  = 7  // missing
	doubledRow  = 10 // duplicated
	unknownNear = 13 // followed by a row for an unknown transaction
)

// row is a row of the company's record.
type row struct {
	at         time.Time
	hash, from string
	fee        string // in the token
}

// companyRecord returns the company's record of its fees in January, with the differences. The fees are those
// that the chain recorded, computed without our rules.
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
			unmatched := r
			unmatched.hash = fmt.Sprintf("0x%x", sha256.Sum256([]byte("a transaction that is not on the chain")))
			rows = append(rows, r, unmatched)
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

// block is a block as served by the gateway.
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

// recorded returns the fees that accounts paid in January, from the blocks' events only: withdrawals from the
// payer, less refunds.
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
				r.fee = console.Token{}.Tokens(charged)
				rows = append(rows, r)
			}
		}
	}
}

// text returns a JSON string, or "".
func text(value json.RawMessage) (s string) {
	_ = json.Unmarshal(value, &s) // hashes, addresses and amounts are strings
	return s
}

// transposed returns an amount with two decimals swapped, like a typing error.
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
