// Package prove prices and verifies many blocks: those of a range in order, several at a time, or those of a
// chain as it grows. It also checks each block against its neighbours, and requests the additional data that
// the checks need.
//
// A request that fails for now is recorded in the report as a question that can be retried.
package prove
