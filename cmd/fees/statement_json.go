package main

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sheet"
	"github.com/feeledger/fees/statement"
)

// statementHead is a statement without its lines.
type statementHead struct {
	Account     chain.Address                       `json:"account"`
	Label       chain.Optional[string]              `json:"label"`
	Network     string                              `json:"network"`
	Symbol      string                              `json:"symbol"`
	FirstBlock  uint64                              `json:"first_block"`
	LastBlock   uint64                              `json:"last_block"`
	Proved      bool                                `json:"proved"`
	Heights     uint64                              `json:"proved_heights"`
	Opening     chain.Optional[statement.Change]    `json:"opening"`
	Closing     chain.Optional[statement.Change]    `json:"closing"`
	Movements   chain.Optional[statement.Change]    `json:"opening_and_movements"`
	Unexplained chain.Optional[statement.Change]    `json:"unexplained"`
	Differences []statement.Difference              `json:"differences"`
	More        bool                                `json:"more_differences"`
	Settled     []statement.Difference              `json:"told_by_the_balances"`
	Kinds       []statement.KindTotal               `json:"kinds"`
	Fees        []statement.LayerFees               `json:"fees_by_layer"`
	Others      chain.Optional[statement.LayerFees] `json:"paid_for_others"`
	NoPayer     uint64                              `json:"without_payer"`
	Notes       []string                            `json:"notes"`
}

func (b *statementBooks) head(s *statement.Statement) statementHead {
	label, labelled := b.style.Labels[s.Account]
	h := statementHead{
		Account: s.Account, Network: b.network, Symbol: b.style.Symbol, FirstBlock: s.Span.First, LastBlock: s.Span.Last,
		Proved: s.Opening.Known() && s.Holds(), Heights: s.Proved, Movements: s.Closes(), Unexplained: s.Unexplained,
		Differences: append([]statement.Difference{}, s.Differences...), More: s.More, Settled: append([]statement.Difference{}, s.Settled...),
		Kinds: append([]statement.KindTotal{}, s.Kinds...), Fees: append([]statement.LayerFees{}, s.Fees...),
		NoPayer: s.WithoutPayer, Notes: append(append([]string{}, b.style.Notes...), s.Notes()...),
	}
	if labelled {
		h.Label = chain.Some(label)
	}
	if opening, ok := s.Opening.Get(); ok {
		h.Opening = chain.Some(statement.Of(opening))
	}
	if closing, ok := s.Closing.Get(); ok {
		h.Closing = chain.Some(statement.Of(closing))
	}
	if s.Others.Transactions > 0 {
		h.Others = chain.Some(s.Others)
	}
	return h
}

// writeObject writes a statement as one JSON object, line by line as it is read.
func (b *statementBooks) writeObject(ctx context.Context, w io.Writer, s *statement.Statement, _ int) error {
	var head bytes.Buffer
	if err := writeJSON(&head, b.head(s)); err != nil {
		return err
	}
	w.Write(bytes.TrimSuffix(head.Bytes(), []byte("\n}\n")))
	for _, part := range []*sheet.Sheet{b.style.Movements(ctx, s), b.style.Transfers(ctx, s)} {
		io.WriteString(w, ",\n  \""+part.Name+"\": [")
		rows := &elements{out: w}
		if err := sheet.WriteJSONLines(rows, statement.Without(part, "account")); err != nil {
			return err
		}
		if rows.begun {
			io.WriteString(w, "\n  ")
		}
		io.WriteString(w, "]")
	}
	_, err := io.WriteString(w, "\n}\n")
	return err
}

// writeLine writes a statement as one JSON object in one line.
func (b *statementBooks) writeLine(ctx context.Context, w io.Writer, s *statement.Statement, _ int) error {
	line := bufio.NewWriter(w)
	if err := b.writeObject(ctx, &oneLine{out: line}, s, 0); err != nil {
		return err
	}
	line.WriteByte('\n')
	return line.Flush()
}

// oneLine leaves out what stands between the values of JSON.
type oneLine struct {
	out               *bufio.Writer
	inString, escaped bool
}

func (o *oneLine) Write(text []byte) (int, error) {
	for _, c := range text {
		switch {
		case o.escaped:
			o.escaped = false
		case o.inString && c == '\\':
			o.escaped = true
		case c == '"':
			o.inString = !o.inString
		case !o.inString && (c == '\n' || c == ' '):
			continue
		}
		if err := o.out.WriteByte(c); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// elements makes JSON lines the elements of a list.
type elements struct {
	out   io.Writer
	begun bool // the list has an element
	midst bool // of a line
}

func (e *elements) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		if !e.midst {
			separator := ",\n    "
			if !e.begun {
				separator = "\n    "
			}
			io.WriteString(e.out, separator)
		}
		e.begun, e.midst = true, !bytes.HasSuffix(line, []byte("\n"))
		if _, err := e.out.Write(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}
