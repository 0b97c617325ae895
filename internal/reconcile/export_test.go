package reconcile

// PortionRows sets the number of rows whose transactions are looked up at once, until restore is called.
func PortionRows(rows int) (restore func()) {
	before := portionRows
	portionRows = rows
	return func() { portionRows = before }
}
