package block_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/schema"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Values of events in all forms that runtimes give them. Where Sidecar can write the form, its text gives the same
// value; want is by hand.
func TestEventValues(t *testing.T) {
	short := chain.Address20([20]byte(bytes.Repeat([]byte{7}, 20)))
	long := chain.Address32([32]byte(bytes.Repeat([]byte{7}, 32)))
	sevens := bytes.Repeat([]byte{7}, 64)
	topic := unhex(t, schema.Transfer)
	log := func(b *builder) metadata.TypeID {
		return b.struc("address", b.h160(), "topics", b.list(b.hash()), "data", b.blob())
	}
	exit := func(b *builder) metadata.TypeID {
		return b.enum(
			variant("Succeed", b.enum(variant("Stopped"), variant("Returned"))),
			variant("Error", b.enum(variant("StackUnderflow"), variant("Other", b.primitive(metadata.Str)), variant("InvalidCode", b.primitive(metadata.U8)), variant("Two", b.primitive(metadata.U8), b.primitive(metadata.U8)), variant("Flag", b.primitive(metadata.Bool)), variant("CallErrorAsFatal", b.enum(variant("OutOfGas"), variant("Other", b.primitive(metadata.Str)))))),
			variant("Another", b.primitive(metadata.U8)),
			variant("Revert"),
		)
	}
	exits := func(b *builder) []metadata.Field {
		return fieldsOf("from", b.h160(), "to", b.h160(), "transaction_hash", b.hash(), "exit_reason", exit(b))
	}
	executed := func(exit ...byte) []byte { return slices.Concat(sevens[:20], sevens[:20], sevens[:32], exit) }
	account, hash := short.String(), chain.Hash(sevens[:32]).String()
	for name, c := range map[string]struct {
		pallet, event string
		fields        func(b *builder) []metadata.Field
		data          []byte
		want          []string
		noText        bool // Sidecar's text has another value, or cannot be written
	}{
		"accounts of 20 bytes": {"Balances", "Transfer", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.account20(), "to", b.h160(), "amount", b.primitive(metadata.U128))
		}, slices.Concat(sevens[:40], []byte{1, 2}, make([]byte, 14)), []string{account, account, "513"}, false},
		"accounts of 32 bytes": {"Balances", "Transfer", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.account32(), "to", b.wrapped(b.account32(), "a", "B"), "amount", b.compact(metadata.U128))
		}, append(sevens[:64:64], 8), []string{long.String(), "want an address", "2"}, true},
		"numbers as accounts": {"Balances", "Transfer", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.struc("a", b.primitive(metadata.U8), "b", b.primitive(metadata.U8)), "to", b.blob(), "amount", b.primitive(metadata.Bool))
		}, []byte{1, 2, 4, 9, 1}, []string{"want an address", "want an address", "want a number"}, true},
		"amounts of 256 bits": {"Balances", "Withdraw", func(b *builder) []metadata.Field {
			return fieldsOf("who", b.account20(), "amount", b.word())
		}, slices.Concat(sevens[:20], make([]byte, 16), []byte{1}, make([]byte, 15)), []string{account, "340282366920938463463374607431768211456 is more than 128 bits"}, false},
		"an amount in a struct": {"Balances", "Withdraw", func(b *builder) []metadata.Field {
			return fieldsOf("who", b.account20(), "amount", b.wrapped(b.tuple(b.primitive(metadata.U64))))
		}, append(sevens[:20:20], 1, 0, 0, 0, 0, 0, 0, 0), []string{account, "1"}, false},
		"an unknown event of balances": {"Balances", "Strange", func(b *builder) []metadata.Field {
			return fieldsOf("a", b.primitive(metadata.U8), "b", b.account20(), "c", b.enum(variant("A"), variant("B")), "d", b.list(b.compact(metadata.U8)))
		}, slices.Concat([]byte{1}, sevens[:20], []byte{1, 8, 4, 8}), []string{"0", account, "0", "0"}, false},
		"accounts that may be missing": {"Balances", "Strange", func(b *builder) []metadata.Field {
			maybe := b.option(b.account20())
			return fieldsOf("a", maybe, "b", maybe, "c", b.option(b.primitive(metadata.U8)))
		}, slices.Concat([]byte{1}, sevens[:20], []byte{0, 1, 9}), []string{account, "0", "0"}, false},
		"an amount that may be missing": {"Balances", "Withdraw", func(b *builder) []metadata.Field {
			return fieldsOf("who", b.option(b.account20()), "amount", b.option(b.primitive(metadata.U8)))
		}, []byte{0, 1, 9}, []string{"missing", "9"}, false},
		"more values than are read": {"Balances", "Strange", func(b *builder) (list []metadata.Field) {
			for range 11 {
				list = append(list, fieldsOf("a", b.primitive(metadata.U8))...)
			}
			return list
		}, sevens[:11], append(slices.Repeat([]string{"0"}, 8), "3"), false},
		"where it arrives": {"Balances", "ReserveRepatriated", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.account20(), "to", b.account20(), "amount", b.primitive(metadata.U64), "destination_status", b.enum(variant("Free"), variant("Reserved"), variant("Other")))
		}, slices.Concat(sevens[:48], []byte{1}), []string{account, account, "506381209866536711", "1"}, false},
		"where it does not arrive": {"Balances", "ReserveRepatriated", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.account20(), "to", b.account20(), "amount", b.primitive(metadata.U64), "destination_status", b.enum(variant("Free"), variant("Reserved"), variant("Other")))
		}, slices.Concat(sevens[:48], []byte{2}), []string{account, account, "506381209866536711", `want Free or Reserved, have "Other"`}, false},
		"a destination with content": {"Balances", "ReserveRepatriated", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.account20(), "to", b.account20(), "amount", b.primitive(metadata.U8), "destination_status", b.enum(variant("Free", b.primitive(metadata.U8)), variant("Reserved")))
		}, slices.Concat(sevens[:41], []byte{0, 1}), []string{account, account, "7", "want Free or Reserved"}, true},
		"why it is held": {"Balances", "Held", func(b *builder) []metadata.Field {
			reason := b.enum(variant("PolkadotXcm", b.enum(variant("AuthorizeAlias"))), variant("Revive", b.enum(variant("AddressMapping"), variant("StorageDepositReserve"))))
			return fieldsOf("reason", reason, "who", b.account20(), "amount", b.primitive(metadata.U8))
		}, slices.Concat([]byte{1, 1}, sevens[:21]), []string{"revive.StorageDepositReserve", account, "7"}, false},
		"a pallet of two words": {"Balances", "TransferOnHold", func(b *builder) []metadata.Field {
			reason := b.enum(variant("PolkadotXcm", b.enum(variant("AuthorizeAlias"))), variant("Revive", b.enum(variant("AddressMapping"))))
			return fieldsOf("reason", reason, "source", b.account20(), "dest", b.account20(), "amount", b.primitive(metadata.U8))
		}, slices.Concat([]byte{0, 0}, sevens[:41]), []string{"polkadotXcm.AuthorizeAlias", account, account, "7"}, false},
		"a reason with a number": {"Balances", "Released", func(b *builder) []metadata.Field {
			return fieldsOf("reason", b.enum(variant("Some", b.enum(variant("Item", b.primitive(metadata.U8)), variant("B")))), "who", b.account20(), "amount", b.primitive(metadata.U8))
		}, slices.Concat([]byte{0, 0, 9}, sevens[:21]), []string{"some.item(9)", account, "7"}, false},
		"a reason of no pallet": {"Balances", "BurnedHeld", func(b *builder) []metadata.Field {
			return fieldsOf("reason", b.enum(variant("First"), variant("Second")), "who", b.account20(), "amount", b.primitive(metadata.U8))
		}, slices.Concat([]byte{1}, sevens[:21]), []string{"Second", account, "7"}, false},
		"a reason in a number": {"Balances", "TransferAndHold", func(b *builder) []metadata.Field {
			return fieldsOf("reason", b.primitive(metadata.U8), "source", b.account20(), "dest", b.account20(), "transferred", b.primitive(metadata.U8))
		}, sevens[:42], []string{"7", account, account, "7"}, false},
		"a reason that may be missing": {"Balances", "Held", func(b *builder) []metadata.Field {
			return fieldsOf("reason", b.option(b.enum(variant("A", b.enum(variant("B"))))), "who", b.account20(), "amount", b.primitive(metadata.U8))
		}, slices.Concat([]byte{0}, sevens[:21]), []string{"0", account, "7"}, false},
		"a new price":         {"BaseFee", "NewBaseFeePerGas", func(b *builder) []metadata.Field { return fieldsOf("fee", b.word()) }, sevens[:32], []string{chain.NumberValue([32]byte(sevens[:32])).String()}, false},
		"a time, not a price": {"BaseFee", "NewTime", func(b *builder) []metadata.Field { return fieldsOf("at", b.primitive(metadata.Char)) }, sevens[:4], []string{"want a number"}, true},
		"an event of no rule": {"Other", "Done", func(b *builder) []metadata.Field { return fieldsOf("fee", b.word()) }, sevens[:32], nil, false},
		"stopped":             {"Ethereum", "Executed", exits, executed(0, 0), []string{account, account, hash, "succeed Stopped"}, false},
		"out of something":    {"Ethereum", "Executed", exits, executed(1, 0), []string{account, account, hash, "error stackUnderflow"}, false},
		"for a reason":        {"Ethereum", "Executed", exits, executed(1, 1, 8, 'a', 'b'), []string{account, account, hash, "error other(ab)"}, false},
		"for a code":          {"Ethereum", "Executed", exits, executed(1, 2, 254), []string{account, account, hash, "error invalidCode(254)"}, false},
		"for two reasons":     {"Ethereum", "Executed", exits, executed(1, 3, 1, 2), []string{account, account, hash, `error two(["1","2"])`}, false},
		"for a flag":          {"Ethereum", "Executed", exits, executed(1, 4, 1), []string{account, account, hash, "error flag(true)"}, false},
		"for another reason":  {"Ethereum", "Executed", exits, executed(1, 5, 1, 4, 'a'), []string{account, account, hash, `error callErrorAsFatal({"other":"a"})`}, false},
		"another state":       {"Ethereum", "Executed", exits, executed(2, 1), []string{account, account, hash, " "}, false},
		"a state alone":       {"Ethereum", "Executed", exits, executed(3), []string{account, account, hash, " "}, false},
		"an exit in a number": {"Ethereum", "Executed", func(b *builder) []metadata.Field {
			return fieldsOf("from", b.h160(), "to", b.h160(), "transaction_hash", b.account32(), "exit_reason", b.primitive(metadata.U8))
		}, executed(1), []string{account, account, "want a hash", "0"}, true},
		"a transfer": {"EVM", "Log", func(b *builder) []metadata.Field { return fieldsOf("log", log(b)) },
			slices.Concat(sevens[:20], []byte{12}, topic, sevens, []byte{128}, sevens[:32]), []string{account, hash, hash, chain.NumberValue([32]byte(sevens[:32])).String()}, false},
		"two topics":    {"EVM", "Log", func(b *builder) []metadata.Field { return fieldsOf("log", log(b)) }, slices.Concat(sevens[:20], []byte{8}, topic, sevens[:32], []byte{128}, sevens[:32]), nil, false},
		"another topic": {"EVM", "Log", func(b *builder) []metadata.Field { return fieldsOf("log", log(b)) }, slices.Concat(sevens[:20], []byte{12}, sevens[:32], sevens, []byte{128}, sevens[:32]), nil, false},
		"no amount":     {"EVM", "Log", func(b *builder) []metadata.Field { return fieldsOf("log", log(b)) }, slices.Concat(sevens[:20], []byte{12}, topic, sevens, []byte{0}), nil, false},
		"another log": {"EVM", "Log", func(b *builder) []metadata.Field {
			return fieldsOf("log", b.struc("address", b.h160(), "topics", b.blob(), "data", b.primitive(metadata.U8)))
		}, append(sevens[:20:20], 0, 1), nil, false},
		"a log in a number":       {"EVM", "Log", func(b *builder) []metadata.Field { return fieldsOf("log", b.primitive(metadata.U8)) }, []byte{1}, nil, false},
		"an event without values": {"Balances", "Transfer", func(*builder) []metadata.Field { return nil }, nil, nil, false},
		"types of all kinds": {"Balances", "Strange", func(b *builder) []metadata.Field {
			bits := b.add(metadata.Type{Kind: metadata.Bits, Element: b.primitive(metadata.U8), Order: b.tuple()})
			return fieldsOf("a", b.tuple(b.primitive(metadata.Str), b.compact(metadata.U128)), "b", bits, "c", b.enum(), "d", b.list(b.tuple()),
				"e", b.add(metadata.Type{Kind: metadata.Array, Element: b.blob(), Length: 2}), "f", b.add(metadata.Type{Kind: metadata.Compact, Element: b.primitive(metadata.U32)}))
		}, []byte{4, 'a', 4, 36, 1, 2, 0, 4, 9, 0, 4}, []string{"0", "0", "0", "0", "0", "0"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builder{}
			r := newRuntime(t, b.runtime(t, c.pallet, c.event, c.fields(b), "none", nil))
			have := r.decode(t, event(c.data)).OnInitialize
			require.Len(t, have, 1)
			require.Equal(t, c.event, have[0].Name)
			var texts []string
			for _, v := range have[0].Data {
				texts = append(texts, v.String())
			}
			require.Len(t, texts, len(c.want))
			for i := range texts {
				require.Contains(t, texts[i], c.want[i])
			}
			if !c.noText {
				same, err := r.viaText(event(c.data))
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("%+v", same.OnInitialize), fmt.Sprintf("%+v", have))
			}
			for n := range c.data {
				_, err := r.decoder.Decode(&block.Encoded{Events: event(c.data[:n]).Events[:4+n]})
				require.ErrorContains(t, err, "events: SCALE at byte", "%d bytes", n)
			}
		})
	}
}

// The result of an extrinsic in the forms of all runtimes, and in others.
func TestDispatchValues(t *testing.T) {
	class := func(b *builder) metadata.TypeID {
		return b.enum(variant("Normal"), variant("Operational"), variant("Mandatory"), variant("New"))
	}
	pays := func(b *builder) metadata.TypeID { return b.enum(variant("Yes"), variant("No"), variant("Half")) }
	info := func(b *builder, weight metadata.TypeID) metadata.TypeID {
		return b.struc("weight", weight, "class", class(b), "pays_fee", pays(b))
	}
	two := func(b *builder) metadata.TypeID {
		return b.struc("ref_time", b.compact(metadata.U64), "proof_size", b.compact(metadata.U64))
	}
	failure := func(b *builder) metadata.TypeID {
		module := b.struc("index", b.primitive(metadata.U8), "error", b.bytes(4))
		return b.enum(variant("Other"), variant("BadOrigin"), variant("Module", module), variant("Token", b.enum(variant("NoFunds"))),
			metadata.VariantOf{Name: "OldModule", Fields: fieldsOf("index", b.primitive(metadata.U8), "error", b.primitive(metadata.U8))})
	}
	for name, c := range map[string]struct {
		event  string
		fields func(b *builder) []metadata.Field
		data   []byte
		want   string // of the value; the weight, then the information
		noText bool
	}{
		"two dimensions": {"ExtrinsicSuccess", func(b *builder) []metadata.Field { return fieldsOf("dispatch_info", info(b, two(b))) },
			[]byte{8, 12, 0, 0}, "{2 3} {Class:Normal PaysFee:true Weight:<nil> RefTime:weight.refTime Error:{Name: Pallet:unknown}}", false},
		"one dimension": {"ExtrinsicSuccess", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_info", info(b, b.primitive(metadata.U64)))
		},
			[]byte{5, 0, 0, 0, 0, 0, 0, 0, 2, 1}, "{5 0} {Class:Mandatory PaysFee:false Weight:<nil> RefTime:weight Error:{Name: Pallet:unknown}}", false},
		"unknown names": {"ExtrinsicSuccess", func(b *builder) []metadata.Field { return fieldsOf("dispatch_info", info(b, two(b))) },
			[]byte{8, 12, 3, 2}, "{2 3} {Class:want Normal, Operational or Mandatory PaysFee:want Yes or No Weight:<nil> RefTime:weight.refTime", false},
		"other types": {"ExtrinsicSuccess", func(b *builder) []metadata.Field {
			u8 := b.primitive(metadata.U8)
			return fieldsOf("dispatch_info", b.struc("weight", b.struc("a", u8, "b", u8), "class", u8, "pays_fee", u8), "more", u8)
		}, []byte{1, 2, 3, 4, 5}, "Class:want a name PaysFee:want a name Weight:refTime: missing RefTime:weight", true},
		"a large weight": {"ExtrinsicSuccess", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_info", info(b, b.struc("ref_time", b.primitive(metadata.U128), "proof_size", b.primitive(metadata.Bool))))
		}, slices.Concat(bytes.Repeat([]byte{255}, 16), []byte{1, 0, 0}), "Weight:340282366920938463463374607431768211455 is more than 64 bits", true},
		"no information": {"ExtrinsicSuccess", func(b *builder) []metadata.Field { return fieldsOf("dispatch_info", b.primitive(metadata.U8)) },
			[]byte{1}, "Class:missing PaysFee:missing Weight:missing", false},
		"a failure": {"ExtrinsicFailed", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_error", failure(b), "dispatch_info", info(b, two(b)))
		},
			[]byte{1, 8, 12, 1, 0}, "{2 3} {Class:Operational PaysFee:true Weight:<nil> RefTime:weight.refTime Error:{Name:badOrigin Pallet:unknown}}", false},
		"a module's failure": {"ExtrinsicFailed", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_error", failure(b), "dispatch_info", info(b, two(b)))
		},
			[]byte{2, 9, 1, 2, 3, 4, 8, 12, 1, 0}, "Error:{Name:module Pallet:9}}", false},
		"an old module's failure": {"ExtrinsicFailed", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_error", failure(b), "dispatch_info", info(b, two(b)))
		},
			[]byte{4, 9, 1, 8, 12, 1, 0}, "Error:{Name:oldModule Pallet:9}}", false},
		"a token's failure": {"ExtrinsicFailed", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_error", failure(b), "dispatch_info", info(b, two(b)))
		},
			[]byte{3, 0, 8, 12, 1, 0}, "Error:{Name:token Pallet:unknown}}", false},
		"a failure by name": {"ExtrinsicFailed", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_error", b.enum(variant("Other"), variant("BadOrigin")), "dispatch_info", info(b, two(b)))
		}, []byte{1, 8, 12, 1, 0}, "Error:{Name:BadOrigin Pallet:unknown}}", false},
		"a failure in a number": {"ExtrinsicFailed", func(b *builder) []metadata.Field {
			return fieldsOf("dispatch_error", b.primitive(metadata.Bool), "dispatch_info", info(b, two(b)))
		}, []byte{1, 8, 12, 1, 0}, "Error:{Name: Pallet:unknown}}", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builder{}
			r := newRuntime(t, b.runtime(t, "System", c.event, c.fields(b), "none", nil))
			have := r.decode(t, event(c.data)).OnInitialize
			require.Len(t, have[0].Data, 1)
			require.Contains(t, have[0].Data[0].String(), c.want)
			if !c.noText {
				same, err := r.viaText(event(c.data))
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf("%+v", same.OnInitialize), fmt.Sprintf("%+v", have))
			}
			for n := range c.data {
				_, err := r.decoder.Decode(&block.Encoded{Events: event(c.data[:n]).Events[:4+n]})
				require.ErrorContains(t, err, "events: SCALE at byte", "%d bytes", n)
			}
		})
	}
}

// transactions returns the type of an Ethereum transaction in the form of new runtimes: with eip7702, and signatures
// that are separate.
func transactions(b *builder) metadata.TypeID {
	word, hash, u64 := b.word(), b.hash(), b.primitive(metadata.U64)
	action := b.enum(variant("Call", b.h160()), variant("Create"))
	point := b.struc("odd_y_parity", b.primitive(metadata.Bool), "r", hash, "s", hash)
	list := b.list(b.struc("address", b.h160(), "storage_keys", b.list(hash)))
	authorizations := b.list(b.struc("chain_id", u64, "address", b.h160(), "nonce", word, "signature", point))
	legacy := b.struc("nonce", word, "gas_price", word, "gas_limit", word, "action", action, "value", word, "input", b.blob(),
		"signature", b.struc("v", u64, "r", hash, "s", hash))
	eip2930 := b.struc("chain_id", u64, "nonce", word, "gas_price", word, "gas_limit", word, "action", action, "value", word, "input", b.blob(),
		"access_list", list, "odd_y_parity", b.primitive(metadata.U8), "r", hash, "s", hash)
	eip1559 := b.struc("chain_id", u64, "nonce", word, "max_priority_fee_per_gas", word, "max_fee_per_gas", word, "gas_limit", word, "action", action,
		"value", word, "input", b.blob(), "access_list", list, "signature", point)
	eip7702 := b.struc("chain_id", u64, "nonce", word, "max_priority_fee_per_gas", word, "max_fee_per_gas", word, "gas_limit", word, "destination", action,
		"value", word, "data", b.blob(), "access_list", list, "authorization_list", authorizations, "signature", point)
	return b.enum(variant("Legacy", legacy), variant("EIP2930", eip2930), variant("EIP1559", eip1559), variant("EIP7702", eip7702), variant("EIP9999", b.primitive(metadata.U8)))
}

// le returns a number in 32 bytes, least significant first.
func le(n uint64) []byte {
	b := make([]byte, 32)
	for i := range 8 {
		b[i] = byte(n >> (8 * i))
	}
	return b
}

func TestPayloads(t *testing.T) {
	sevens := bytes.Repeat([]byte{7}, 64)
	huge := bytes.Repeat([]byte{255}, 32)
	call, create := append([]byte{0}, sevens[:20]...), []byte{1}
	id := []byte{5, 0, 0, 0, 0, 0, 0, 0}
	point := append([]byte{1}, sevens...)
	list := slices.Concat([]byte{4}, sevens[:20], []byte{8}, sevens)
	authorization := slices.Concat([]byte{4}, id, sevens[:20], le(6), point)
	b := &builder{}
	r := newRuntime(t, b.runtime(t, "Ethereum", "None", nil, "transact", fieldsOf("transaction", transactions(b))))
	for name, c := range map[string]struct {
		data []byte
		want string // a part of the payload, or of the error
	}{
		"legacy":                {slices.Concat([]byte{0}, le(1), le(2), le(3), call, le(4), []byte{8, 1, 2}, id, sevens), "&{legacy false 1 2 0 0 3 4 {false 0x07"},
		"eip2930":               {slices.Concat([]byte{1}, id, le(1), le(2), le(3), create, le(4), []byte{0}, list, point), "&{eip2930 false 1 2 0 0 3 4 {true 0x0000000000000000000000000000000000000000} {1 0x07"},
		"eip2930, wrong parity": {slices.Concat([]byte{1}, id, le(1), le(2), le(3), create, le(4), []byte{0}, list, []byte{2}, sevens), "oddYParity: want 0 or 1, have 2"},
		"eip1559":               {slices.Concat([]byte{2}, id, le(1), le(2), le(9), le(3), call, le(4), []byte{0, 0}, point), "&{eip1559 false 1 0 9 2 3 4 {false 0x07"},
		"eip7702":               {slices.Concat([]byte{3}, id, le(1), le(2), le(9), le(3), call, le(4), []byte{0, 0}, authorization, point), "[{5 0x0707070707070707070707070707070707070707 6 {1 0x07"},
		"large nonce":           {slices.Concat([]byte{2}, id, huge, le(2), le(9), le(3), call, le(4), []byte{0, 0}, point), "args.transaction.eip1559.nonce: "},
		"large gas limit":       {slices.Concat([]byte{2}, id, le(1), le(2), le(9), huge, call, le(4), []byte{0, 0}, point), "args.transaction.eip1559.gasLimit: "},
		"large value":           {slices.Concat([]byte{2}, id, le(1), le(2), le(9), le(3), call, huge, []byte{0, 0}, point), "args.transaction.eip1559.value: "},
		"unknown type":          {[]byte{4, 7}, `args.transaction: unknown transaction type "eip9999"`},
	} {
		t.Run(name, func(t *testing.T) {
			have := r.decode(t, extrinsic(c.data))
			require.Contains(t, fmt.Sprintf("%+v", have.Extrinsics[0].Payload), c.want)
			same, err := r.viaText(extrinsic(c.data))
			require.NoError(t, err)
			require.Equal(t, shown(same), shown(have))
			for n := range c.data {
				_, err := r.decoder.Decode(extrinsic(c.data[:n]))
				require.ErrorContains(t, err, "extrinsic 0: SCALE at byte", "%d bytes", n)
			}
		})
	}
}

// Transactions in forms that no runtime has: what a rule needs is an error in the payload, the rest one in its field.
func TestStrangePayloads(t *testing.T) {
	word := func(b *builder) metadata.TypeID { return b.word() }
	fields := func(b *builder, more ...any) metadata.TypeID {
		return b.struc(append([]any{"nonce", word(b), "gas_price", word(b), "gas_limit", word(b), "value", word(b)}, more...)...)
	}
	numbers := slices.Concat(le(1), le(2), le(3), le(4))
	for name, c := range map[string]struct {
		transaction func(b *builder) metadata.TypeID
		data        []byte
		want        []string
	}{
		"a number": {func(b *builder) metadata.TypeID { return b.primitive(metadata.U8) }, []byte{1}, []string{"want a variant for each type of transaction"}},
		"without a type": {func(b *builder) metadata.TypeID { return fields(b) }, numbers,
			[]string{"&{legacy true 1 2 0 0 3 4 ", "action: want", "input: want", "signature.v: missing"}},
		"without a nonce": {func(b *builder) metadata.TypeID { return b.struc("gas_price", word(b), "b", word(b)) }, append(le(1), le(2)...), []string{"args.transaction.nonce: missing"}},
		"a name for a number": {func(b *builder) metadata.TypeID {
			return b.struc("nonce", b.blob(), "gas_price", word(b), "gas_limit", word(b), "value", word(b))
		}, slices.Concat([]byte{0}, le(2), le(3), le(4)), []string{"args.transaction.nonce: want a number"}},
		"other fields": {func(b *builder) metadata.TypeID {
			u8 := b.primitive(metadata.U8)
			return b.enum(variant("EIP2930", fields(b, "chain_id", b.blob(), "action", u8, "input", u8, "access_list", u8, "signature", u8, "odd_y_parity", b.primitive(metadata.Bool), "r", u8, "s", u8)))
		}, slices.Concat([]byte{0}, numbers, []byte{0, 1, 1, 1, 1, 0, 1, 1}),
			[]string{"chainId: want a number", "action: want", "input: want", "accessList: want a list", "r: want a hash"}},
		"another action": {func(b *builder) metadata.TypeID {
			return b.enum(variant("EIP2930", fields(b, "action", b.enum(variant("Call", b.account32()), variant("Other", b.primitive(metadata.U8))), "access_list", b.list(b.struc("address", b.account32(), "storage_keys", b.list(b.hash()))))))
		}, slices.Concat([]byte{0}, numbers, []byte{1, 9}, []byte{4}, make([]byte, 32), []byte{0}),
			[]string{"action: want", "accessList[0]: ", "oddYParity: missing"}},
		"a call of an account of 32 bytes": {func(b *builder) metadata.TypeID {
			return b.enum(variant("EIP2930", fields(b, "action", b.enum(variant("Call", b.account32())), "access_list", b.list(b.struc("address", b.h160(), "storage_keys", b.primitive(metadata.U8))))))
		}, slices.Concat([]byte{0}, numbers, []byte{0}, make([]byte, 32), []byte{4}, make([]byte, 20), []byte{1}),
			[]string{"action.call: ", "accessList[0]: storageKeys: want a list"}},
		"an access list of numbers": {func(b *builder) metadata.TypeID {
			return b.enum(variant("EIP2930", fields(b, "access_list", b.list(b.primitive(metadata.U8)))))
		}, slices.Concat([]byte{0}, numbers, []byte{4, 1}), []string{"accessList[0]: missing"}},
		"authorizations in other forms": {func(b *builder) metadata.TypeID {
			transaction := b.struc("nonce", word(b), "max_fee_per_gas", word(b), "max_priority_fee_per_gas", word(b), "gas_limit", word(b), "value", word(b),
				"authorization_list", b.list(b.struc("chain_id", b.blob(), "signature", b.primitive(metadata.U8))))
			return b.enum(variant("EIP7702", transaction))
		}, slices.Concat([]byte{0}, numbers, le(5), []byte{4, 0, 1}), []string{"authorizationList[0].chainId: want a number"}},
		"authorizations that are none": {func(b *builder) metadata.TypeID {
			transaction := b.struc("nonce", word(b), "max_fee_per_gas", word(b), "max_priority_fee_per_gas", word(b), "gas_limit", word(b), "value", word(b),
				"authorization_list", b.primitive(metadata.U8))
			return b.enum(variant("EIP7702", transaction))
		}, slices.Concat([]byte{0}, numbers, le(5), []byte{4}), []string{"authorizationList: want a list"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builder{}
			r := newRuntime(t, b.runtime(t, "Ethereum", "None", nil, "transact", fieldsOf("transaction", c.transaction(b))))
			have := fmt.Sprintf("%+v", r.decode(t, extrinsic(c.data)).Extrinsics[0].Payload)
			for _, want := range c.want {
				require.Contains(t, have, want)
			}
		})
	}
}

// Arguments that rules read, and who signed.
func TestCalls(t *testing.T) {
	sevens := bytes.Repeat([]byte{7}, 32)
	address := func(b *builder) metadata.TypeID {
		id := b.add(metadata.Type{Kind: metadata.Variant, Path: []string{"sp_runtime", "multiaddress", "MultiAddress"}})
		b.types[id].Variants = []metadata.VariantOf{variant("Id", b.account32()), variant("Index", b.compact(metadata.U32)), variant("Raw", b.blob()), variant("Address20", b.bytes(20))}
		for i := range b.types[id].Variants {
			b.types[id].Variants[i].Index = uint8(i)
		}
		return id
	}
	transfer := func(b *builder) []metadata.Field {
		return fieldsOf("value", b.compact(metadata.U128), "dest", address(b), "memo", b.blob())
	}
	long := chain.Address32([32]byte(sevens)).String()
	for name, c := range map[string]struct {
		pallet, call string
		arguments    func(b *builder) []metadata.Field
		data         []byte
		want         []string
		noText       bool
	}{
		"a transfer":        {"Balances", "transfer_allow_death", transfer, slices.Concat([]byte{8, 0}, sevens, []byte{0}), []string{long, "2"}, false},
		"to an EVM address": {"Balances", "transfer", transfer, slices.Concat([]byte{8, 3}, sevens[:20], []byte{32, 1, 2, 3, 4, 5, 6, 7, 8}), []string{chain.Address20([20]byte(sevens)).String(), "2"}, false},
		"to an index":       {"Balances", "transfer", transfer, []byte{8, 1, 4, 0}, []string{"want an address, have another form", "2"}, true},
		"to an account": {"Balances", "transfer", func(b *builder) []metadata.Field {
			return fieldsOf("dest", b.account20(), "value", b.primitive(metadata.U8))
		}, append(sevens[:20:20], 2), []string{chain.Address20([20]byte(sevens)).String(), "2"}, false},
		"without an amount": {"Balances", "transfer", func(b *builder) []metadata.Field { return fieldsOf("dest", b.account20()) }, sevens[:20], []string{chain.Address20([20]byte(sevens)).String(), "missing"}, false},
		"a time":            {"Timestamp", "set", func(b *builder) []metadata.Field { return fieldsOf("now", b.compact(metadata.U64)) }, []byte{8}, []string{"2"}, false},
		"a call of the EVM": {"EVM", "call", func(b *builder) []metadata.Field { return fieldsOf("source", b.h160(), "target", b.h160()) }, append(sevens[:20:20], sevens[:20]...), []string{chain.Address20([20]byte(sevens)).String()}, false},
		"a call of no rule": {"Other", "call", func(b *builder) []metadata.Field { return fieldsOf("source", b.h160()) }, sevens[:20], nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builder{}
			r := newRuntime(t, b.runtime(t, c.pallet, "None", nil, c.call, c.arguments(b)))
			have := r.decode(t, extrinsic(c.data))
			var texts []string
			for _, v := range have.Extrinsics[0].Args {
				texts = append(texts, v.String())
			}
			require.Len(t, texts, len(c.want))
			for i := range texts {
				require.Contains(t, texts[i], c.want[i])
			}
			if !c.noText {
				same, err := r.viaText(extrinsic(c.data))
				require.NoError(t, err)
				require.Equal(t, shown(same), shown(have))
			}
		})
	}
}

// signed returns an extrinsic with a signature and the extensions of a runtime of the builder.
func signed(era, nonce, tip, rest []byte) *block.Encoded {
	return &block.Encoded{Extrinsics: [][]byte{prefixed(slices.Concat([]byte{0x84}, bytes.Repeat([]byte{7}, 20+65), era, nonce, tip, []byte{1, 0}, rest))}}
}

func TestSignedExtrinsics(t *testing.T) {
	b := &builder{}
	m := b.runtime(t, "Other", "None", nil, "do", nil)
	r := newRuntime(t, m)
	for era, want := range map[string]chain.Era{"\x00": {}, "\x15\x00": {Period: 64, Phase: 1}, "\xff\xff": {Period: 65536, Phase: 65520}} {
		e := signed([]byte(era), []byte{8}, []byte{12}, nil)
		x := r.decode(t, e).Extrinsics[0].Signed
		require.Equal(t, want, x.Era)
		require.Equal(t, "2", x.Nonce.String())
		require.Equal(t, "3", x.Tip.String())
		require.Equal(t, chain.Address20([20]byte(bytes.Repeat([]byte{7}, 20))).String(), x.Signer.String())
		same, err := r.viaText(e)
		require.NoError(t, err)
		require.Equal(t, shown(same), shown(r.decode(t, e)))
	}
	for want, e := range map[string]*block.Encoded{
		"invalid era with the period 2 and the phase 1": signed([]byte{0x10, 0}, []byte{8}, []byte{12}, nil),
		"a compact integer has more than 32 bits":       signed([]byte{0}, []byte{7, 0, 0, 0, 0, 1}, []byte{12}, nil),
		"1 bytes left over":                             signed([]byte{0}, []byte{8}, []byte{12}, []byte{0}),
		"its length prefix is 1 bytes, but 2 follow":    {Extrinsics: [][]byte{{4, 4, 0}}},
		"the bytes end too early":                       {Extrinsics: [][]byte{{0}}},
		"unknown extrinsic version 6 (byte 0x6)":        {Extrinsics: [][]byte{{12, 6, 0, 0}}},
		"unknown extrinsic version 5 (byte 0x85)":       {Extrinsics: [][]byte{{12, 0x85, 0, 0}}},
		"unknown extrinsic version 4 (byte 0x44)":       {Extrinsics: [][]byte{{12, 0x44, 0, 0}}},
		"the runtime has no call 9.0":                   {Extrinsics: [][]byte{{12, 4, 9, 0}}},
		"the runtime has no event 9.0":                  {Events: []byte{4, 2, 9, 0}},
		"an event belongs to extrinsic 0":               {Events: []byte{4, 0, 0, 0, 0, 0}},
		"an event has an unknown phase":                 {Events: []byte{4, 3}},
		"digest 0: ":                                    {},
	} {
		if want == "digest 0: " {
			e.Header.Logs = [][]byte{{7}}
		}
		_, err := r.decoder.Decode(e)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "block 0: ")
	}
}

// Events are those of the extrinsic or hook that emitted them, in their order, whatever order the list has.
func TestPlacesOfEvents(t *testing.T) {
	b := &builder{}
	r := newRuntime(t, b.runtime(t, "BaseFee", "NewFee", fieldsOf("fee", b.primitive(metadata.U8)), "do", nil))
	record := func(phase []byte, fee byte) []byte { return slices.Concat(phase, []byte{1, 0, fee, 0}) }
	of := func(i byte) []byte { return []byte{0, i, 0, 0, 0} }
	e := &block.Encoded{
		Extrinsics: [][]byte{{12, 4, 1, 0}, {12, 4, 1, 0}},
		Events:     slices.Concat([]byte{6 << 2}, record(of(1), 1), record([]byte{1}, 2), record(of(0), 3), record([]byte{2}, 4), record(of(1), 5), record([]byte{1}, 6)),
	}
	have := r.decode(t, e)
	require.Equal(t, "[{Pallet:baseFee Name:NewFee Data:[4]}]", fmt.Sprintf("%+v", have.OnInitialize))
	require.Equal(t, "[{Pallet:baseFee Name:NewFee Data:[3]}]", fmt.Sprintf("%+v", have.Extrinsics[0].Events))
	require.Equal(t, "[{Pallet:baseFee Name:NewFee Data:[1]} {Pallet:baseFee Name:NewFee Data:[5]}]", fmt.Sprintf("%+v", have.Extrinsics[1].Events))
	require.Equal(t, "[{Pallet:baseFee Name:NewFee Data:[2]} {Pallet:baseFee Name:NewFee Data:[6]}]", fmt.Sprintf("%+v", have.OnFinalize))
	same, err := r.viaText(e)
	require.NoError(t, err)
	require.Equal(t, shown(same), shown(have))
}

// Runtimes whose list of events has another structure are refused; a value that contains itself too deep, too.
func TestRuntimesThatAreRefused(t *testing.T) {
	for want, alter := range map[string]func(m *metadata.Metadata){
		"no list of System.Events":          func(m *metadata.Metadata) { m.Pallets[0].Storage = nil },
		"do not start with phase and event": func(m *metadata.Metadata) { record(m).Fields[0].Name = "time" },
		"unknown event phase Later":         func(m *metadata.Metadata) { m.Types[record(m).Fields[0].Type].Variants[1].Name = "Later" },
	} {
		b := &builder{}
		m := b.runtime(t, "Other", "None", nil, "do", nil)
		alter(m)
		_, err := block.ReadRecords(m)
		require.ErrorContains(t, err, want)
		_, err = render.NewRuntime(m)
		require.ErrorContains(t, err, want)
	}

	b := &builder{}
	nested := b.enum(variant("End"), variant("More"))
	b.types[nested].Variants[1].Fields = []metadata.Field{{Type: nested}}
	itself := b.add(metadata.Type{Kind: metadata.Composite})
	b.types[itself].Fields = []metadata.Field{{Type: itself}}
	empty := b.add(metadata.Type{Kind: metadata.Array, Element: b.enum(), Length: 1 << 31}) // of types without values
	for range 60 {
		empty = b.tuple(empty, empty, b.add(metadata.Type{Kind: metadata.Compact, Element: b.tuple()}), b.add(metadata.Type{Kind: metadata.Array, Element: nested}))
	}
	large := b.bytes(1 << 31)
	largest := b.add(metadata.Type{Kind: metadata.Array, Element: large, Length: 1 << 31})
	fields := fieldsOf("a", nested)
	for want, c := range map[string]struct {
		field metadata.TypeID
		data  string
	}{
		"":                        {nested, strings.Repeat("\x01", 500) + "\x00"},
		" ":                       {empty, ""},
		"nested more than 512":    {nested, strings.Repeat("\x01", 1000) + "\x00"},
		"values are nested more":  {itself, ""},
		"the bytes end too early": {largest, "\x01"},
		"a::Choice does not have": {nested, "\x02"},
	} {
		own := &builder{types: slices.Clone(b.types)}
		fields[0].Type = c.field
		d := newRuntime(t, own.runtime(t, "Other", "None", fields, "do", nil)).decoder
		_, err := d.Decode(event([]byte(c.data)))
		if strings.TrimSpace(want) == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

func record(m *metadata.Metadata) *metadata.Type {
	return &m.Types[m.Types[m.Pallets[0].Storage[0].Value].Element]
}

// FuzzDecode: for any data from a node, there is a block or an error, at once, and what the text of the block has, the
// block has.
func FuzzDecode(f *testing.F) {
	r, blocks, _ := sample(f)
	for _, b := range blocks[1:] {
		for _, x := range b.Extrinsics {
			f.Add(x, b.Events)
		}
	}
	f.Fuzz(func(t *testing.T, extrinsic, events []byte) {
		e := &block.Encoded{Extrinsics: [][]byte{extrinsic}, Events: events}
		have, err := r.decoder.Decode(e)
		want, errOfText := r.viaText(e)
		if err != nil {
			require.Error(t, errOfText)
		} else if errOfText == nil {
			require.Equal(t, shown(want), shown(have))
		}
	})
}

// Types that are nested without end are refused before anything is read.
func TestNestedTypes(t *testing.T) {
	b := &builder{}
	deep := b.primitive(metadata.U8)
	for range 10_010 {
		deep = b.wrapped(deep)
	}
	slices.Reverse(b.types)
	for i := range b.types {
		if b.types[i].Kind == metadata.Composite {
			b.types[i].Fields[0].Type = metadata.TypeID(i + 1)
		}
	}
	m := b.runtime(t, "Other", "None", nil, "do", nil)
	r, err := render.NewRuntime(m)
	require.NoError(t, err)
	_, err = r.Decoder()
	require.ErrorContains(t, err, "nested more than 10000 deep")
}

// A reason within reasons is read to the depth that a text may have, and no further.
func TestDeepReasons(t *testing.T) {
	b := &builder{}
	reason := b.enum(variant("End"), variant("More"), variant("Text", b.primitive(metadata.Str)))
	b.types[reason].Variants[1].Fields = []metadata.Field{{Type: reason}}
	fields := fieldsOf("from", b.h160(), "to", b.h160(), "transaction_hash", b.hash(), "exit_reason", b.enum(variant("Error", reason)))
	d := newRuntime(t, b.runtime(t, "Ethereum", "Executed", fields, "none", nil)).decoder
	_, err := d.Decode(event(slices.Concat(make([]byte, 73), bytes.Repeat([]byte{1}, 1_000_000), []byte{0})))
	require.ErrorContains(t, err, "values are nested more than 512 deep")
}
