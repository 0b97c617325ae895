package journal

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"

	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/plain"
)

// koinlyColumns are the columns of Koinly's universal template.
var koinlyColumns = []string{
	"Date", "Sent Amount", "Sent Currency", "Received Amount", "Received Currency", "Fee Amount", "Fee Currency",
	"Net Worth Amount", "Net Worth Currency", "Label", "Description", "TxHash",
}

// koinlyTime is Koinly's time format, always in UTC.
const koinlyTime = "2006-01-02 15:04:05 UTC"

// WriteKoinly writes the payments with known amounts for Koinly, each as sent with the label "cost",
// Koinly's form of a stand-alone fee. (Its fee columns are for the fee of the amount sent or received in
// the same row.) With prices, the worth is the net worth.
func WriteKoinly(ctx context.Context, w io.Writer, payments *Payments, r Request) error {
	out := csv.NewWriter(w)
	if err := out.Write(koinlyColumns); err != nil {
		return err
	}
	return writeKoinly(ctx, out, payments, r)
}

// AppendKoinly is [WriteKoinly] without the header, for the payments of another chain.
func AppendKoinly(ctx context.Context, w io.Writer, payments *Payments, r Request) error {
	return writeKoinly(ctx, csv.NewWriter(w), payments, r)
}

func writeKoinly(ctx context.Context, out *csv.Writer, payments *Payments, r Request) error {
	valuer := r.valuer()
	for p, err := range payments.All(ctx) {
		if err != nil {
			return err
		}
		if !p.known() {
			continue
		}
		at, ok := p.Time.Get()
		if !ok {
			return fmt.Errorf("block %d: %w", p.Height, errNoTime)
		}
		payer, _ := p.Payer.Get()
		paid, _ := p.Paid.Get()
		description := fmt.Sprintf("%s fee of %s, block %s %s", p.Layer, r.names().Name(payer), p.Place(), clean(p.Call))
		for _, remark := range p.Remarks {
			description += "; " + remark
		}
		worth, currency := "", ""
		if valuer != nil {
			if amount, known := money.Value(valuer, paid, p.Time).Get(); known {
				worth, currency = amount.String(), string(amount.Currency())
				if amount.Late() {
					description += "; last known price"
				}
			}
		}
		row := []string{
			at.Std().Format(koinlyTime), r.Tokens(paid), r.Symbol, "", "", "", "",
			worth, currency, "cost", plain.Cell(description), p.Transaction.LayerHash().String(),
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
