package draft

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/network/rule"
)

// dynamicEVMBaseFee is the pallet whose base fee follows the multiplier.
const dynamicEVMBaseFee = "DynamicEvmBaseFee"

// storedBaseFees are the pallets that store the base fee, with the item.
var storedBaseFees = []rule.StoredBaseFee{{Pallet: "BaseFee", Item: "BaseFeePerGas"}, {Pallet: dynamicEVMBaseFee, Item: "BaseFeePerGas"}}

// baseFee names the item that stores the base fee, or states what was measured.
func (d *drafting) baseFee(ctx context.Context, row rule.PriceRow) error {
	for _, at := range storedBaseFees {
		if p := d.m.Pallet(at.Pallet); p != nil && p.Entry(at.Item) != nil {
			row.BaseFeeStored = &at
			d.Read++
		}
	}
	if row.BaseFeeStored == nil {
		measured, err := d.measuredBaseFee(ctx)
		if err != nil {
			return err
		}
		d.find("rows[0]", "static_base_fee, or base_fee_constant and minimum_multiplier: FeeCalculator of pallet evm in the runtime's source."+measured)
	} else if err := d.baseFeeUpdate(ctx); err != nil {
		return err
	}
	gasLimit, err := d.blockGasLimit(ctx)
	if err != nil {
		return err
	}
	where := "WeightPerGas or GasWeightMapping of pallet evm in the runtime's source"
	if d.limited && gasLimit > 0 {
		where += fmt.Sprintf(". The limit of class Normal, divided by a block's gas limit, is %d", d.limits.normal.refTime/gasLimit)
	}
	d.find("rows[0].weight_per_gas", where)
	d.Table.Rows = []rule.PriceRow{row}
	return nil
}

// baseFeeUpdate reads what the rule of pallet base-fee needs. Its minimum is in the source only, as is all of the rule of
// pallet dynamic-evm-base-fee (Astar, 212fa81e: none of its figures is a constant of the metadata).
func (d *drafting) baseFeeUpdate(ctx context.Context) error {
	if d.m.Pallet(dynamicEVMBaseFee) != nil {
		d.find("base_fee_updates[0]", "weight_factor, step, minimum and maximum: WeightFactor, StepLimitRatio (10^18 for 1), MinBaseFeePerGas and MaxBaseFeePerGas of pallet dynamic-evm-base-fee in the runtime's source; without them, the rule is not checked")
		return nil
	}
	v, known, err := d.stored(ctx, "BaseFee", "Elasticity")
	if err != nil || !known {
		return err
	}
	elasticity, err := jsonread.Uint64(v)
	if err != nil || elasticity > 1_000_000 || !d.limited {
		return nil // the rule is not checked
	}
	d.find("base_fee_updates[0].minimum", "BaseFeeThreshold and DefaultBaseFeePerGas of pallet base-fee in the runtime's source: default × ideal")
	d.Table.BaseFeeUpdates = []rule.BaseFeeUpdateRow{{FromRuntime: d.Table.LastRuntime, BaseFeeUpdate: rule.BaseFeeUpdate{
		Elasticity: uint32(elasticity), MaxRefTime: chain.NewRefTime(d.limits.block.refTime), Source: "storage baseFee.elasticity, constant system.blockWeights"}}}
	d.Read += 2
	return nil
}

// measuredBaseFee returns the base fee and the multiplier that the node states, as a hint.
func (d *drafting) measuredBaseFee(ctx context.Context) (hint string, err error) {
	history, err := d.node.FeeHistory(ctx, 1, "latest", nil)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err == nil && len(history.BaseFeePerGas) > 0 {
		hint = fmt.Sprintf(" The node's base fee is %v wei.", history.BaseFeePerGas[0])
	}
	multiplier, known, err := d.stored(ctx, "TransactionPayment", "NextFeeMultiplier")
	if text, ok := multiplier.Text(); known && ok {
		hint += fmt.Sprintf(" The multiplier is %s; 1 is 1000000000000000000.", text)
	}
	return hint, err
}

// blockGasLimit returns the gas limit of the newest EVM block, 0 if the node does not state it.
func (d *drafting) blockGasLimit(ctx context.Context) (uint64, error) {
	block, err := d.node.Call(ctx, "eth_getBlockByNumber", "latest", false)
	if err != nil {
		return 0, ctx.Err() // a node without the EVM's methods
	}
	limit, err := jsonread.Uint64(block.Member("gasLimit"))
	if err != nil {
		return 0, nil // a block in another form
	}
	return limit, nil
}

// destinations reads the treasury's account. Where fees go is in the source only.
func (d *drafting) destinations(context.Context) error {
	if v, known := d.constant("CollatorSelection", "PotId"); known && d.evm != rule.Frontier {
		if account, err := palletAccount(v, d.Table.AccountMapping.Size()); err == nil {
			d.Table.Treasury, d.Table.TreasuryName = &account, "staking pot"
			d.source("treasury", "constant collatorSelection.potId")
		}
	}
	if v, known := d.constant("Treasury", "PalletId"); known && d.Table.Treasury == nil {
		if account, err := palletAccount(v, d.Table.AccountMapping.Size()); err == nil {
			d.Table.Treasury = &account
			d.source("treasury", "constant treasury.palletId")
		}
	}
	if d.Table.Treasury == nil {
		d.find("treasury", "the account that receives a part of the fees, if there is one")
	}
	pallets := "pallet transaction-payment"
	if d.evm == rule.Frontier {
		pallets = "the pallets evm and transaction-payment"
	}
	d.find("destinations", "OnChargeTransaction of "+pallets+" in the runtime's source; without it, destinations are not checked")
	return nil
}

// palletAccount returns the account of a pallet's ID of eight bytes: "modl", the ID and zeros, up to size.
func palletAccount(id jsonscan.Value, size int) (none chain.Address, err error) {
	text, _ := id.Text()
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || len(bytes) != 8 {
		return none, fmt.Errorf("%s is not the ID of a pallet", jsonscan.Excerpt(text))
	}
	account := make([]byte, size)
	copy(account, "modl")
	copy(account[4:], bytes)
	return chain.AddressOf(account)
}

// dimensions is a weight, as the metadata have it.
type dimensions struct{ refTime, proofSize uint64 }

// weightLimits are the limits of a block, and the weight of an empty extrinsic.
type weightLimits struct{ block, normal, base, operationalBase dimensions }

// blockWeights reads the constant system.blockWeights.
func (d *drafting) blockWeights() (l weightLimits, known bool) {
	v, known := d.constant("System", "BlockWeights")
	classes := v.Member("perClass")
	for _, part := range []struct {
		to   *dimensions
		from jsonscan.Value
	}{
		{&l.block, v.Member("maxBlock")}, {&l.normal, classes.Member("normal").Member("maxTotal")},
		{&l.base, classes.Member("normal").Member("baseExtrinsic")}, {&l.operationalBase, classes.Member("operational").Member("baseExtrinsic")},
	} {
		if !known {
			return l, false
		}
		var err error
		*part.to, err = readDimensions(part.from)
		known = err == nil
	}
	return l, known && l.block.refTime > 0 && l.normal.refTime <= l.block.refTime
}

// readDimensions reads a weight: an object of two, or a number before weights had two dimensions.
func readDimensions(v jsonscan.Value) (w dimensions, err error) {
	if v.Kind() != jsonscan.Object {
		w.refTime, err = jsonread.Uint64(v)
		return w, err
	}
	if w.refTime, err = jsonread.Uint64(v.Member("refTime")); err != nil {
		return w, err
	}
	w.proofSize, err = jsonread.Uint64(v.Member("proofSize"))
	return w, err
}

// update reads the limits that the multiplier's rule needs. Its target and speed are in the source only.
func (d *drafting) update(context.Context) error {
	d.find("multiplier_updates", "minimum, maximum, adjustment and target: FeeMultiplierUpdate of pallet transaction-payment in the runtime's source")
	row := rule.MultiplierUpdateRow{FromRuntime: d.Table.LastRuntime}
	if d.limited {
		high, low := bits.Mul64(d.limits.normal.refTime, 1_000_000)
		share, _ := bits.Div64(high, low, d.limits.block.refTime)
		row.MaxRefTime, row.NormalClass = chain.NewRefTime(d.limits.block.refTime), rule.NormalClass(share)
		if d.limits.block.proofSize < math.MaxUint64 { // a relay chain has no limit, so that only the ref time counts
			row.MaxProofSize = d.limits.block.proofSize
		}
		row.Source = "constant system.blockWeights"
		d.Read += 3
	}
	d.Table.MultiplierUpdates = []rule.MultiplierUpdateRow{row}
	return nil
}

// nativeFee reads the weight of an empty extrinsic, and what weight and length cost where the runtime has constants for
// it: runtimes up to substrate 0.9.2x have.
func (d *drafting) nativeFee(context.Context) error {
	row := rule.NativeFeeRow{FromRuntime: d.Table.LastRuntime}
	row.Source = "constants of the pallets system and transactionPayment"
	if d.limited {
		row.BaseWeight, row.OperationalBaseWeight = chain.NewRefTime(d.limits.base.refTime), chain.Some(chain.NewRefTime(d.limits.operationalBase.refTime))
		d.Read += 2
	}
	if d.evm == rule.Revive { // events of its runtimes include the base weight
		row.WeightIncludesBase, row.Reclaims = true, d.reclaims()
	}
	weight, known := d.polynomial("WeightToFee")
	row.WeightFee = weight[1]
	if d.evm == rule.Revive && !known {
		d.find("native_fees[0].ref_time_fee", "10^18 × P / Q of BlockRatioFee (WeightToFee of pallet transaction-payment) in the runtime's source, rounded to nearest, half down")
		d.find("native_fees[0].proof_size_fee", d.proofSizeFee())
	} else if !known || weight[3] != (chain.Wei{}) {
		d.find("native_fees[0].weight_fee", "WeightToFee of pallet transaction-payment in the runtime's source")
	}
	length, known := d.polynomial("LengthToFee")
	if v, perByte := d.constant("TransactionPayment", "TransactionByteFee"); !known && perByte {
		text, _ := v.Text()
		fee, err := chain.ParseWei(text)
		length[1], known = fee, err == nil
	}
	row.LengthFee = rule.LengthFee{Linear: length[1], Cubic: length[3]}
	if !known {
		d.find("native_fees[0].length_fee", "LengthToFee of pallet transaction-payment in the runtime's source")
	}
	d.Table.NativeFees = []rule.NativeFeeRow{row}
	return nil
}

// proofSizeFee explains how the fee of a byte of proof follows from that of a picosecond: their ratio is that of a block's
// limits.
func (d *drafting) proofSizeFee() string {
	if !d.limited || d.limits.block.proofSize == 0 {
		return "ref_time_fee × a block's limit of ref time / that of proof size, rounded down"
	}
	return fmt.Sprintf("ref_time_fee × %d / %d (limits of a block), rounded down", d.limits.block.refTime, d.limits.block.proofSize)
}

// polynomial reads the coefficients of a fee by their degree, 1 or 3. It is not known if the runtime has no such
// constant, or another polynomial.
func (d *drafting) polynomial(name string) (by [4]chain.Wei, known bool) {
	v, known := d.constant("TransactionPayment", name)
	if !known || v.Kind() != jsonscan.Array {
		return by, false
	}
	for term := range v.Elements() {
		degree, err := jsonread.Uint64(term.Member("degree"))
		text, _ := term.Member("coeffInteger").Text()
		coefficient, err2 := chain.ParseWei(text)
		fraction, _ := term.Member("coeffFrac").Text()
		negative, isBool := term.Member("negative").Bool()
		if err != nil || err2 != nil || fraction != "0" || !isBool || negative || degree != 1 && degree != 3 {
			return by, false
		}
		by[degree] = coefficient
	}
	d.Read++
	return by, true
}

// existentialDeposit reads the minimum balance.
func (d *drafting) existentialDeposit(context.Context) error {
	v, known := d.constant("Balances", "ExistentialDeposit")
	text, _ := v.Text()
	deposit, err := chain.ParseWei(text)
	if !known || err != nil {
		d.find("existential_deposits", "ExistentialDeposit of pallet balances in the runtime's source")
		return nil
	}
	d.Table.ExistentialDeposits = []rule.ExistentialDepositRow{{FromRuntime: d.Table.LastRuntime, Deposit: &deposit, Source: "constant balances.existentialDeposit"}}
	d.Read++
	return nil
}
