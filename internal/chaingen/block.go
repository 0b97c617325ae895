package chaingen

// Block is the answer to /blocks/<height>.
func (c *Chain) Block(height uint64) []byte {
	w := &writer{make([]byte, 0, usualSize)}
	hash, parent := c.Hash(height), c.parentHash(height)
	state, extrinsics := c.stateRoot(height), c.extrinsicsRoot(height)
	list := c.extrinsics(height)
	w.open('{')
	w.key("number")
	w.number(height)
	w.key("hash")
	w.hex(hash[:])
	w.key("parentHash")
	w.hex(parent[:])
	w.key("stateRoot")
	w.hex(state[:])
	w.key("extrinsicsRoot")
	w.hex(extrinsics[:])
	if height > 0 {
		w.key("authorId")
		w.text(c.nimbusKey(height).text)
	}
	w.key("logs")
	w.open('[')
	if height > 0 {
		w.raw(`{"type":"PreRuntime","index":"6","value":["0x6e6d6273"`)
		w.hex(c.preRuntime(height))
		w.close("]}")
		w.raw(`{"type":"Consensus","index":"4","value":["0x66726f6e"`)
		w.hex(c.consensus(height, list))
		w.close("]}")
	}
	w.close("]")
	w.key("onInitialize")
	w.raw(`{"events":[`)
	c.writeRewards(w, height)
	w.close("]}")
	w.key("extrinsics")
	w.open('[')
	c.writeInherents(w, height)
	for _, x := range list {
		x.write(w)
	}
	w.close("]")
	w.key("onFinalize")
	w.raw(`{"events":[`)
	c.writeMessages(w, height)
	w.close(`]},"finalized":true}`)
	return w.b
}

// usualSize is more than most blocks take.
const usualSize = 24 << 10

// Header is the answer to /blocks/<height>/header.
func (c *Chain) Header(height uint64) []byte {
	w := &writer{make([]byte, 0, 1<<10)}
	parent, state, extrinsics := c.parentHash(height), c.stateRoot(height), c.extrinsicsRoot(height)
	w.open('{')
	w.key("parentHash")
	w.hex(parent[:])
	w.key("number")
	w.number(height)
	w.key("stateRoot")
	w.hex(state[:])
	w.key("extrinsicsRoot")
	w.hex(extrinsics[:])
	w.key("digest")
	w.raw(`{"logs":[`)
	if height > 0 {
		w.raw(`{"preRuntime":["0x6e6d6273"`)
		w.hex(c.preRuntime(height))
		w.close("]}")
		w.raw(`{"consensus":["0x66726f6e"`)
		w.hex(c.consensus(height, c.extrinsics(height)))
		w.close("]}")
	}
	w.close("]}}")
	return w.b
}

// preRuntime is the author's key, in the log of Nimbus.
func (c *Chain) preRuntime(height uint64) []byte {
	key := c.nimbusKey(height)
	r := c.random(forAccount, key.id+1<<32)
	rest := r.word()
	return append(key.address[:len(key.address):len(key.address)], rest[:12]...)
}

// consensus is the log of Frontier: the hashes of the Ethereum block and of its
// transactions, of which there are less than 64.
func (c *Chain) consensus(height uint64, list []extrinsic) []byte {
	r := c.random(forBlockHash, ^height)
	block := r.word()
	digest := append([]byte{1}, block[:]...)
	count := len(digest)
	digest = append(digest, 0)
	for _, x := range list {
		if e, ok := x.(*evmTransaction); ok {
			digest = append(digest, e.hash[:]...)
			digest[count] += 4 // a compact number
		}
	}
	return digest
}

// extrinsic is a transaction with all that is written of it.
type extrinsic interface{ write(*writer) }

// extrinsics are the block's transactions.
func (c *Chain) extrinsics(height uint64) []extrinsic {
	drawn, n := c.transactions(height)
	if n == 0 {
		return nil
	}
	list := make([]extrinsic, n)
	before, baseFee, split := c.state(height-1), c.baseFee(height), c.split(height)
	for i := range list {
		t := &drawn[i]
		sender, nonce := c.sender(before.transactions + uint64(i))
		if t.kind.evm() {
			list[i] = c.evm(height, i, t, sender, nonce, baseFee, split)
		} else {
			list[i] = c.native(height, i, t, sender, nonce, before.multiplier, split)
		}
	}
	return list
}
