package table

// Cell is a value of a table as a page shows it.
type Cell struct {
	Text  string // for people: amounts in the token and prices in Gwei, with all their decimals
	Exact string // amounts in their smallest unit, all else as it is; "" where there is nothing
}

// Headings are the columns' names for people, with their units.
func (s *Sheet) Headings() (names []string) {
	for _, c := range s.Columns {
		names = append(names, s.header(c))
	}
	return names
}

// IsRight tells whether values of the kind stand at the right of their place: figures.
func (k Kind) IsRight() bool { return k.isRight() }

// Each hands over the rows as they are shown, and then gives the line of totals: nil where no
// column has one. A row is valid until the next.
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
			cells[i] = cellOf(value)
		}
		return do(cells)
	})
	if err != nil || !sums.any() {
		return nil, err
	}
	totals = make([]Cell, len(s.Columns))
	for i := range s.Columns {
		if totals[i] = cellOf(sums.of(i)); sums.unknown[i] {
			totals[i] = Cell{Text: notKnown}
		}
	}
	return totals, nil
}

func cellOf(value any) Cell {
	if value == nil {
		return Cell{}
	}
	if _, unknown := value.(unknownAmount); unknown {
		return Cell{Text: notKnown}
	}
	return Cell{shown(value), exact(value)}
}
