package chain

// QueryInfo is what a runtime answers about a signed extrinsic before it runs (TransactionPaymentApi.query_info): its weight
// without the base weight, and its fee without the tip. The call may turn out lighter: both are upper bounds.
type QueryInfo struct {
	Weight     Weight
	PartialFee Wei
}
