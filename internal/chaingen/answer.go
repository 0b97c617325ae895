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
	w.raw(`"authoringVersion":"3","transactionVersion":"2","implVersion":"0","specName":"moonbeam"`)
	w.key("specVersion")
	w.number(uint64(c.RuntimeAt(height)))
	w.raw(`"chainType":{"development":null},"properties":{"isEthereum":false,"ss58Format":null,"tokenDecimals":["18"],"tokenSymbol":["GLMR"]}`)
	w.close("}")
	return w.b
}

// NodeVersion is the answer to /node/version.
func (c *Chain) NodeVersion() []byte {
	return []byte(`{"clientVersion":"chaingen","clientImplName":"moonbeam","chain":"moonbeam"}`)
}
