package evm

import (
	"strings"

	"github.com/feeledger/fees/chain"
)

// Transfer is a transfer of an ERC-20 token, as logged by the token's contract.
type Transfer struct {
	Token  chain.Address     `json:"token"` // the contract
	From   chain.Address     `json:"from"`
	To     chain.Address     `json:"to"`
	Amount chain.TokenAmount `json:"amount"`
}

// transferSignature is keccak256("Transfer(address,address,uint256)").
const transferSignature = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// Transfers returns the ERC-20 transfers in the extrinsic's contract logs (specification, Contract log): the
// event's signature, sender and recipient in three topics, the amount in the data. Other logs are skipped: the
// Transfer of an ERC-721 has four topics.
func Transfers(x *chain.Extrinsic) []Transfer {
	transfers := []Transfer{}
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("evm", "Log") {
			if t, ok := readTransfer(e.Data.Index(0)); ok {
				transfers = append(transfers, t)
			}
		}
	}
	return transfers
}

func readTransfer(log chain.Value) (Transfer, bool) {
	var topics [3]string
	n := 0
	for v := range log.Member("topics").Elements() {
		if n == len(topics) {
			return Transfer{}, false
		}
		topics[n], _ = v.Text()
		n++
	}
	if n != len(topics) || !strings.EqualFold(topics[0], transferSignature) {
		return Transfer{}, false
	}
	token, err1 := readAddress(log.Member("address"))
	from, ok1 := addressInTopic(topics[1])
	to, ok2 := addressInTopic(topics[2])
	data, _ := log.Member("data").Text()
	amount, err2 := chain.ParseTokenAmount(data)
	ok := ok1 && ok2 && err1 == nil && err2 == nil && strings.HasPrefix(data, "0x") && len(data) == 2+64
	return Transfer{token, from, to, amount}, ok
}

// addressInTopic decodes an address padded to a word.
func addressInTopic(topic string) (chain.Address, bool) {
	word, err := chain.ParseHash(topic)
	padding, address := [12]byte(word[:12]), chain.Address20([20]byte(word[12:]))
	return address, err == nil && padding == [12]byte{}
}
