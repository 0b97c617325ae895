// Package deposits derives open deposits from a ledger's movements: what accounts hold and reserve, who paid it, and which
// transaction took it. A deposit is a receivable, not a fee.
//
// The chain stores no payer of a deposit. A storage deposit is held on the contract's account, and the account that
// clears the storage gets it back. Which payer's deposit that was is a convention of this package: those of the account that
// gets it back first, then those of others, in both cases the last taken first. If it was another's, the deposit has passed: [Book] adds
// this to the movements of both.
package deposits
