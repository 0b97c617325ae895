package evm

import "github.com/feeledger/fees/chain"

// Transfer is a transfer of an ERC-20 token, as logged by the token's contract.
type Transfer struct {
	Token  chain.Address     `json:"token"` // the contract
	From   chain.Address     `json:"from"`
	To     chain.Address     `json:"to"`
	Amount chain.TokenAmount `json:"amount"`
}

// Transfers returns the ERC-20 transfers in the extrinsic's contract logs (specification, Contract log): the
// event's signature, sender and recipient in three topics, the amount in the data. Other logs have no values, and are
// skipped: the Transfer of an ERC-721 has four topics.
func Transfers(x *chain.Extrinsic) []Transfer {
	transfers := []Transfer{}
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("evm", "Log") {
			if t, ok := readTransfer(e.Data); ok {
				transfers = append(transfers, t)
			}
		}
	}
	return transfers
}

func readTransfer(log chain.Values) (Transfer, bool) {
	token, err1 := log.At(0).Account()
	from, ok1 := addressInTopic(log.At(1))
	to, ok2 := addressInTopic(log.At(2))
	amount, err2 := log.At(3).TokenAmount()
	return Transfer{token, from, to, amount}, ok1 && ok2 && err1 == nil && err2 == nil && token.Size() == chain.AddressSize
}

// addressInTopic decodes an address padded to a word.
func addressInTopic(topic chain.Value) (chain.Address, bool) {
	word, err := topic.Hash()
	padding, address := [12]byte(word[:12]), chain.Address20([20]byte(word[12:]))
	return address, err == nil && padding == [12]byte{}
}
