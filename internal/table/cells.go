package table

// Cell is a value for display.
type Cell struct {
	Text  string // amounts in the token and prices in Gwei, with all decimals
	Exact string // amounts in their smallest unit, other values unchanged; "" for no value
}

// Headings returns the columns' names with units, for display.
func (s *Sheet) Headings() (names []string) {
	for _, c := range s.Columns {
		names = append(names, Heading(c, s.Symbol))
	}
	return names
}

// IsRight reports whether values of the kind are right-aligned: figures.
func (k Kind) IsRight() bool { return k.isRight() }

// Each calls row for every row, then returns the totals, nil if no column has one. A row is valid until the
// next call.
func (s *Sheet) Each(do func(row []Cell) error) (totals []Cell, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	sums := newTotals(s)
	cells := make([]Cell, len(s.Columns))
	err = s.each(func(row []any) error {
		if err := sums.add(row); err != nil {
			return err
		}
		for i, value := range row {
			cells[i] = s.cellOf(value)
		}
		return do(cells)
	})
	if err != nil || !sums.exist() {
		return nil, err
	}
	totals = make([]Cell, len(s.Columns))
	for i := range s.Columns {
		if totals[i] = s.cellOf(sums.of(i)); sums.unknown[i] {
			totals[i] = Cell{Text: notKnown}
		}
	}
	return totals, nil
}

func (s *Sheet) cellOf(value any) Cell {
	if value == nil {
		return Cell{}
	}
	if _, unknown := value.(unknownAmount); unknown {
		return Cell{Text: notKnown}
	}
	return Cell{s.shown(value), exact(value)}
}
