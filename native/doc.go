// Package native implements the rule of the native layer. The chain states these fees itself, in wei: in the
// event transactionPayment.TransactionFeePaid or, before that event existed, by the withdrawal and the refund.
package native
