package chaingen

// Multiplier is the answer to a question for nextFeeMultiplier at a height.
func (c *Chain) Multiplier(height uint64) []byte {
	hash := c.Hash(height)
	w := &writer{make([]byte, 0, 256)}
	w.open('{')
	w.key("at")
	w.open('{')
	w.key("hash")
	w.hex(hash[:])
	w.key("height")
	w.number(height)
	w.close("}")
	w.raw(`"pallet":"transactionPayment","palletIndex":"11","storageItem":"nextFeeMultiplier","keys":[]`)
	w.key("value")
	w.number(c.stored(height))
	w.close("}")
	return w.b
}

// Runtime is the answer to /runtime/spec at a height.
func (c *Chain) Runtime(height uint64) []byte {
	hash := c.Hash(height)
	w := &writer{make([]byte, 0, 384)}
	w.open('{')
	w.key("at")
	w.open('{')
	w.key("height")
	w.number(height)
	w.key("hash")
	w.hex(hash[:])
	w.close("}")
	w.raw(`"authoringVersion":"3","transactionVersion":"2","implVersion":"0"`)
	w.key("specName")
	w.text(c.network.SpecName)
	w.key("specVersion")
	w.number(uint64(c.RuntimeAt(height)))
	w.raw(`"chainType":{"development":null},"properties":{"isEthereum":false,"ss58Format":null,"tokenDecimals":["18"],"tokenSymbol":[`)
	w.text(c.network.Symbol)
	w.close("]}}")
	return w.b
}

// NodeVersion is the answer to /node/version.
func (c *Chain) NodeVersion() []byte {
	w := &writer{make([]byte, 0, 128)}
	w.raw(`{"clientVersion":"chaingen"`)
	w.key("clientImplName")
	w.text(c.network.SpecName)
	w.key("chain")
	w.text(c.network.SpecName)
	w.close("}")
	return w.b
}

// Proportion is the answer to a question for FeesTreasuryProportion at a height, by its key.
func (c *Chain) Proportion(height uint64) []byte { return c.parameter(height, c.network.ParameterKey) }

// parameter is the answer for a key: no other parameter is set.
func (c *Chain) parameter(height uint64, key string) []byte {
	hash := c.Hash(height)
	w := &writer{make([]byte, 0, 256)}
	w.raw(`{"at":{`)
	w.key("hash")
	w.hex(hash[:])
	w.key("height")
	w.number(height)
	w.close("}")
	w.raw(`"pallet":"parameters","palletIndex":"41","storageItem":"parameters","keys":[`)
	w.text(key)
	w.close("]")
	w.key("value")
	if value, set := c.proportion(height); set && key == c.network.ParameterKey {
		w.raw(`{"runtimeConfig":{`)
		w.key("feesTreasuryProportion")
		w.number(value)
		w.close("}}")
	} else {
		w.raw("null")
	}
	w.close("}")
	return w.b
}
