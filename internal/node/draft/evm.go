package draft

import (
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// The pallet that runs Ethereum transactions as extrinsics, and their call.
const (
	revivePallet = "Revive"
	reviveCall   = "eth_transact"
)

// evmOf returns what runs a runtime's Ethereum transactions.
func evmOf(m *metadata.Metadata) rule.EVM {
	if m.Pallet("Ethereum") != nil {
		return rule.Frontier
	}
	if p := m.Pallet(revivePallet); p != nil && p.Calls != nil {
		named := func(v metadata.VariantOf) bool { return v.Name == reviveCall }
		if slices.ContainsFunc(m.Types[*p.Calls].Variants, named) {
			return rule.Revive
		}
	}
	return rule.NoEVM
}

// price drafts the row that prices blocks.
func (d *drafting) price(ctx context.Context) error {
	row := rule.PriceRow{FromRuntime: d.Table.LastRuntime, EVM: d.evm, Source: fmt.Sprint("a node's answers at block ", d.Block.Height)}
	switch d.evm {
	case rule.Frontier:
		return d.baseFee(ctx, row)
	case rule.Revive:
		d.revivePrice(&row)
	default:
		row.Source = "metadata: no pallet runs Ethereum transactions"
	}
	d.Table.Rows = []rule.PriceRow{row}
	return nil
}

// revivePrice reads the base fee of pallet revive: the multiplier times two of its constants.
func (d *drafting) revivePrice(row *rule.PriceRow) {
	if _, current := d.constant(revivePallet, "MaxEthExtrinsicWeight"); !current {
		d.find("rows[0].static_base_fee", "GAS_PRICE of pallet revive: this version has a fixed price, and its gas is not that of the table's rules")
		return
	}
	if ratio, known := d.number("NativeToEthRatio"); known {
		price := chain.NewGasPrice(ratio)
		row.BaseFeeConstant, d.Table.EVMUnit = &price, ratio
		d.Read += 2
	} else {
		d.find("rows[0].base_fee_constant", "NativeToEthRatio of pallet revive in the runtime's source, also the figure of evm_unit")
	}
	if scale, known := d.number("GasScale"); known {
		row.GasScale = scale
		d.Read++
	}
	row.Source = "constants revive.nativeToEthRatio and, if there is one, revive.gasScale"
	d.find("rows[0].minimum_multiplier", "the minimum of FeeMultiplierUpdate of pallet transaction-payment in the runtime's source, as for multiplier_updates")
}

// number reads a constant of pallet revive.
func (d *drafting) number(name string) (n uint64, known bool) {
	v, known := d.constant(revivePallet, name)
	n, err := jsonread.Uint64(v)
	return n, known && err == nil && n > 0
}

// accountMapping returns how the runtime maps addresses of the EVM to accounts, as far as the metadata tell.
func (d *drafting) accountMapping() network.AccountMapping {
	if d.evm == rule.Revive && d.m.AccountSize() == chain.LongAddressSize {
		return network.PaddedAccount
	}
	return network.MappingOf(d.m.AccountSize())
}

// reclaims reports whether the runtime reclaims proof size after the fee was fixed.
func (d *drafting) reclaims() bool {
	return slices.ContainsFunc(d.m.Extrinsic.Extensions, func(e metadata.Extension) bool { return e.Name == "StorageWeightReclaim" })
}
