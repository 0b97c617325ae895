// Package evidence proves a report against what the chain itself recorded: what
// it withdrew and gave back, who was credited, who signed, and how its blocks and
// its multiplier follow from each other.
//
// A fee that the chain did not charge like that is a drift. It is reported, never
// corrected away.
package evidence
