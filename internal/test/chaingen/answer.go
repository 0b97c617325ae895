package chaingen

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// The gateway's responses are built from a node's by package render. They cannot fail: the generated data has
// the types of its runtime.

// Block returns the response to /blocks/<height>.
func (c *Chain) Block(height uint64) []byte {
	b := c.body(height)
	return made(c.executing(height).decoder.AppendBlock(nil, &render.Block{
		Hash: b.hash, Header: b.header, Extrinsics: b.extrinsics, Events: b.events, Finalized: chain.Some(true),
	}))
}

func made(text []byte, err error) []byte {
	must(err)
	return text
}

// Header returns the response to /blocks/<height>/header.
func (c *Chain) Header(height uint64) []byte { return made(c.body(height).header.Answer()) }

// Multiplier returns the response to a request for nextFeeMultiplier at a height.
func (c *Chain) Multiplier(height uint64) []byte {
	var w writer
	s := c.state(height)
	w.coins(wei(s.multiplier))
	return c.item("TransactionPayment", "NextFeeMultiplier", render.At{Hash: s.hash, Height: height}, w.b)
}

// BlockWeight returns the response to a request for blockWeight at a height.
func (c *Chain) BlockWeight(height uint64) []byte {
	b := c.body(height)
	return c.item("System", "BlockWeight", render.At{Hash: b.hash, Height: height}, b.weights.encode())
}

// item returns the response to a request for an item of a pallet's storage. As in Sidecar, it is decoded with
// the runtime that executed the block.
func (c *Chain) item(pallet, name string, at render.At, stored []byte) []byte {
	i, err := c.executing(at.Height).decoder.Item(pallet, name, nil)
	must(err)
	return made(i.Answer(at, stored))
}

// Runtime returns the response to /runtime/spec at a height.
func (c *Chain) Runtime(height uint64) []byte {
	return made(render.Spec(c.at(height), parsed(c.runtimeAt(height).specification(c.network.SpecName)), parsed(chainType), parsed(c.properties())))
}

func parsed(text string) jsonscan.Value {
	v, err := jsonscan.Parse(text)
	must(err)
	return v
}

const chainType = `"Development"`

// properties returns the response to system_properties.
func (c *Chain) properties() string {
	return fmt.Sprintf(`{"tokenDecimals":18,"tokenSymbol":%q}`, c.network.Symbol)
}

// clientVersion is the response to system_version.
const clientVersion = "chaingen"

// NodeVersion returns the response to /node/version.
func (c *Chain) NodeVersion() []byte {
	return render.Version(clientVersion, c.network.SpecName, c.network.SpecName)
}

func (c *Chain) at(height uint64) render.At { return render.At{Hash: c.Hash(height), Height: height} }

// Proportion returns the response to a request for FeesTreasuryProportion at a height, by its key.
func (c *Chain) Proportion(height uint64) []byte { return c.parameter(height, c.network.ParameterKey) }

// parameter returns the response for a key: no other parameter is set. The available runtime metadata do not
// contain the pallet, so the response imitates one recorded from a different chain.
func (c *Chain) parameter(height uint64, key string) []byte {
	at := c.at(height)
	value := "null"
	if perbill, set := c.proportion(height); set && key == c.network.ParameterKey {
		value = fmt.Sprintf(`{"runtimeConfig":{"feesTreasuryProportion":"%d"}}`, perbill)
	}
	return fmt.Appendf(nil, `{"at":{"hash":"%v","height":"%d"},"pallet":"parameters","palletIndex":"41","storageItem":"parameters","keys":[%s],"value":%s}`,
		at.Hash, height, scalejson.AppendString(nil, key), value)
}
