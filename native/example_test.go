package native_test

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/native"
)

func ExampleReadFeePaid() {
	payer, err := chain.ParseAddress("0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0")
	if err != nil {
		return
	}
	fee, tip := chain.NewWei(2_050_685_184_681_889), chain.NewWei(1_000_000_000)
	data := chain.Values{chain.AccountValue(payer), chain.NumberValue(fee.Word()), chain.NumberValue(tip.Word())}
	transfer := &chain.Extrinsic{
		Pallet: "balances", Call: "transferKeepAlive", Signed: &chain.Signed{Signer: chain.AccountValue(payer)},
		Events: []chain.Event{{Pallet: "transactionPayment", Name: "TransactionFeePaid", Data: data}},
	}
	paid, err := native.ReadFeePaid(transfer)
	fmt.Println(paid.Payer, "paid", paid.Fee, "wei,", paid.Tip, "of it as a tip", err)
	// Output: 0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0 paid 2050685184681889 wei, 1000000000 of it as a tip <nil>
}
