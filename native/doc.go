// Package native has the rule of the native layer. The chain states these fees itself, in wei: in
// the event transactionPayment.TransactionFeePaid or, before there was such an event, by what it
// withdrew and gave back.
package native
