package statement

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"

	"github.com/feeledger/fees/balances"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sheet"
)

// head is a statement without its lines.
type head struct {
	Account     chain.Address                   `json:"account"`
	Label       chain.Optional[string]          `json:"label"`
	Network     string                          `json:"network"`
	Symbol      string                          `json:"symbol"`
	FirstBlock  uint64                          `json:"first_block"`
	LastBlock   uint64                          `json:"last_block"`
	Proved      bool                            `json:"proved"`
	Heights     uint64                          `json:"proved_heights"`
	Opening     chain.Optional[balances.Change] `json:"opening"`
	Closing     chain.Optional[balances.Change] `json:"closing"`
	Movements   chain.Optional[balances.Change] `json:"opening_and_movements"`
	Unexplained chain.Optional[balances.Change] `json:"unexplained"`
	Differences []balances.Difference           `json:"differences"`
	More        bool                            `json:"more_differences"`
	Settled     []balances.Difference           `json:"told_by_the_balances"`
	Kinds       []KindTotal                     `json:"kinds"`
	Fees        []LayerFees                     `json:"fees_by_layer"`
	Others      chain.Optional[LayerFees]       `json:"paid_for_others"`
	NoPayer     uint64                          `json:"without_payer"`
	Notes       []string                        `json:"notes"`
}

func (y *Style) head(s *Statement) head {
	h := head{
		Account: s.Account, Label: y.Label(s.Account), Network: y.Network, Symbol: y.Symbol, FirstBlock: s.Span.First, LastBlock: s.Span.Last,
		Proved: s.Opening.Known() && s.Holds(), Heights: s.Proved, Movements: s.Closes(), Unexplained: s.Unexplained,
		Differences: append([]balances.Difference{}, s.Differences...), More: s.More, Settled: append([]balances.Difference{}, s.Settled...),
		Kinds: append([]KindTotal{}, s.Kinds...), Fees: append([]LayerFees{}, s.Fees...),
		NoPayer: s.WithoutPayer, Notes: append(append([]string{}, y.Notes...), s.Notes()...),
	}
	if opening, ok := s.Opening.Get(); ok {
		h.Opening = chain.Some(balances.Of(opening))
	}
	if closing, ok := s.Closing.Get(); ok {
		h.Closing = chain.Some(balances.Of(closing))
	}
	if s.Others.Transactions > 0 {
		h.Others = chain.Some(s.Others)
	}
	return h
}

// WriteJSON writes a statement as one JSON object over several lines, each of them as it
// is read.
func (y *Style) WriteJSON(ctx context.Context, w io.Writer, s *Statement) error {
	var head bytes.Buffer
	if err := encode(&head, y.head(s)); err != nil {
		return err
	}
	w.Write(bytes.TrimSuffix(head.Bytes(), []byte("\n}\n")))
	for _, part := range []*sheet.Sheet{y.Movements(ctx, s), y.Transfers(ctx, s)} {
		io.WriteString(w, ",\n  \""+part.Name+"\": [")
		rows := &elements{out: w}
		if err := sheet.WriteJSONLines(rows, Without(part, "account")); err != nil {
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

// WriteJSONLine writes a statement as one JSON object in one line.
func (y *Style) WriteJSONLine(ctx context.Context, w io.Writer, s *Statement) error {
	line := bufio.NewWriter(w)
	if err := y.WriteJSON(ctx, &oneLine{out: line}, s); err != nil {
		return err
	}
	line.WriteByte('\n')
	return line.Flush()
}

// WriteJSONList writes statements as one list.
func (y *Style) WriteJSONList(ctx context.Context, w io.Writer, list []*Statement) error {
	separator := "[\n"
	for _, s := range list {
		io.WriteString(w, separator)
		if err := y.WriteJSON(ctx, w, s); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, err := io.WriteString(w, "]\n")
	return err
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

func encode(w io.Writer, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(sheet.EscapeControls(text.Bytes()))
	return err
}
