package native

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// AssetFeePaid is a fee that was paid in an asset other than the token.
type AssetFeePaid struct {
	Payer  chain.Address
	Asset  string            // its ID, as the gateway writes it in JSON
	Amount chain.TokenAmount // the whole fee, in the asset's smallest units
	Tip    chain.Wei         // the part that the sender added, in the token's smallest units
}

// HasAssetFeeEvent reports whether the extrinsic has an AssetTxFeePaid event.
func HasAssetFeeEvent(x *chain.Extrinsic) bool {
	_, count := assetFeeEvent(x)
	return count > 0
}

// ReadAssetFeePaid reads the fee from the extrinsic's event assetTxPayment.AssetTxFeePaid: payer, amount, tip and asset are
// data[0] to data[3]. A transaction that pays in an asset has no TransactionFeePaid: its payer pays nothing in the token.
//
// Source: polkadot-sdk, frame/transaction-payment/asset-conversion-tx-payment/src/lib.rs.
func ReadAssetFeePaid(x *chain.Extrinsic) (paid AssetFeePaid, err error) {
	event, count := assetFeeEvent(x)
	switch {
	case count == 0:
		return AssetFeePaid{}, fmt.Errorf("event assetTxPayment.AssetTxFeePaid: %w", chain.ErrMissing)
	case count > 1:
		return AssetFeePaid{}, fmt.Errorf("%d events assetTxPayment.AssetTxFeePaid, want one", count)
	}
	of := func(i int, err error) error {
		if err != nil {
			return fmt.Errorf("event assetTxPayment.AssetTxFeePaid: data[%d]: %w", i, err)
		}
		return nil
	}
	if paid.Payer, err = event.Data.At(0).Account(); err != nil {
		return AssetFeePaid{}, of(0, err)
	}
	if paid.Amount, err = event.Data.At(1).TokenAmount(); err != nil {
		return AssetFeePaid{}, of(1, err)
	}
	if paid.Tip, err = event.Data.At(2).Wei(); err != nil {
		return AssetFeePaid{}, of(2, err)
	}
	if paid.Asset, err = event.Data.At(3).Text(); err != nil {
		return AssetFeePaid{}, of(3, err)
	}
	if paid.Asset == "" {
		return AssetFeePaid{}, of(3, errors.New("the asset has no ID"))
	}
	return paid, nil
}

func assetFeeEvent(x *chain.Extrinsic) (event *chain.Event, count int) {
	return named(x, "assetTxPayment", "AssetTxFeePaid")
}

// MovesAsset reports whether an event withdraws from an account in an asset, or deposits to it, as fees paid in assets do.
func MovesAsset(e *chain.Event) bool {
	return (e.Pallet == "assets" || e.Pallet == "foreignAssets" || e.Pallet == "poolAssets") && (e.Name == "Withdrawn" || e.Name == "Deposited")
}
