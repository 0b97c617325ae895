// Package chart reads a company's chart of accounts: which account and which cost centre each
// fee is booked to.
//
//	a CSV file ─► Read ─► Chart ─► Place(Facts) ─► Placement
//
// A row has conditions (who paid, which contract, which call, …) and targets (account, asset
// account, cost centre, …). Each target comes from the first row whose conditions hold and that
// names it. Lines such as "# suspense: 9999" are settings.
package chart
