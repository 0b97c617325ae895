package grandpa_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/test/tier"
)

// The builder writes bytes by itself, from the specification. It shares no code with the package.

// compact encodes a number of less than 2^30.
func compact(n int) []byte {
	switch {
	case n < 64:
		return []byte{byte(n * 4)}
	case n < 1<<14:
		return []byte{byte(n*4 + 1), byte(n >> 6)}
	}
	return []byte{byte(n*4 + 2), byte(n >> 6), byte(n >> 14), byte(n >> 22)}
}

func little(size int, n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n)[:size] }

// block is a block of a tree; parent is its index.
type block struct {
	parent, number int
	header         []byte
	hash           [32]byte
}

// ballot is a vote of the plan. The wrong fields are those that it lies about.
type ballot struct {
	voter, block                              int // voter: index of the key; keys beyond the members are strangers
	wrongNumber, wrongRound, wrongSet, broken bool
	prevote                                   bool
}

// plan is a case, before it is encoded.
type plan struct {
	setID, round uint64
	weights      []uint64
	blocks       []block
	target       int
	wrongTarget  bool // the commit's number is wrong
	votes        []ballot
	headers      []int
}

var keys = func() (list []ed25519.PrivateKey) {
	for i := range 1010 {
		seed := sha256.Sum256(fmt.Append(nil, "finality ", i))
		list = append(list, ed25519.NewKeyFromSeed(seed[:]))
	}
	return list
}()

// grow adds a block to the tree.
func (p *plan) grow(parent, number int, random *rand.Rand) int {
	b := block{parent: parent, number: number}
	var above [32]byte
	if parent >= 0 {
		above = p.blocks[parent].hash
	}
	b.header = append(append(above[:], compact(number)...), make([]byte, 64)...)
	binary.LittleEndian.PutUint64(b.header[len(b.header)-8:], random.Uint64())
	b.header = append(b.header, 0)
	b.hash = blake2b.Sum256(b.header)
	p.blocks = append(p.blocks, b)
	return len(p.blocks) - 1
}

func (p *plan) authorities() []byte {
	list := compact(len(p.weights))
	for i, weight := range p.weights {
		list = append(append(list, keys[i].Public().(ed25519.PublicKey)...), little(8, weight)...)
	}
	return list
}

func (p *plan) encode() []byte {
	out := little(8, p.round)
	number := uint64(p.blocks[p.target].number)
	if p.wrongTarget {
		number++
	}
	out = append(append(out, p.blocks[p.target].hash[:]...), little(4, number)...)
	out = append(out, compact(len(p.votes))...)
	for _, v := range p.votes {
		b := p.blocks[v.block]
		number, round, setID, kind := uint64(b.number), p.round, p.setID, byte(1)
		if v.wrongNumber {
			number++
		}
		vote := append(b.hash[:], little(4, number)...)
		if v.wrongRound {
			round++
		}
		if v.wrongSet {
			setID++
		}
		if v.prevote {
			kind = 0
		}
		message := slices.Concat([]byte{kind}, vote, little(8, round), little(8, setID))
		signature := ed25519.Sign(keys[v.voter], message)
		if v.broken {
			signature[11] ^= 2
		}
		out = slices.Concat(out, vote, signature, keys[v.voter].Public().(ed25519.PublicKey))
	}
	out = append(out, compact(len(p.headers))...)
	for _, i := range p.headers {
		out = append(out, p.blocks[i].header...)
	}
	return out
}

// final is the oracle: the rule in its own words, over the plan.
func (p *plan) final() bool {
	needed, voted, said := map[int]bool{}, map[int]bool{}, map[[2]int]bool{}
	weight, total := new(big.Int), new(big.Int)
	for _, w := range p.weights {
		total.Add(total, new(big.Int).SetUint64(w))
	}
	for _, v := range p.votes {
		switch {
		case v.voter >= len(p.weights), p.weights[v.voter] == 0: // a stranger
			return false
		case v.wrongNumber, v.wrongRound, v.wrongSet, v.broken, v.prevote, said[[2]int{v.voter, v.block}]:
			return false
		}
		said[[2]int{v.voter, v.block}] = true
		if !voted[v.voter] {
			voted[v.voter] = true
			weight.Add(weight, new(big.Int).SetUint64(p.weights[v.voter]))
		}
		at := v.block
		for ; at != p.target && at >= 0; at = p.blocks[at].parent {
			needed[at] = true
		}
		if at < 0 {
			return false
		}
	}
	// more than two thirds of the weight
	if p.wrongTarget || new(big.Int).Mul(weight, big.NewInt(3)).Cmp(new(big.Int).Mul(total, big.NewInt(2))) <= 0 {
		return false
	}
	given := map[int]bool{}
	for _, i := range p.headers {
		if given[i] || !needed[i] {
			return false
		}
		given[i] = true
	}
	return len(given) == len(needed)
}

// draw makes a case that is valid but for its weight, and then changes it in up to two ways.
func draw(random *rand.Rand, members int) *plan {
	p := &plan{setID: random.Uint64(), round: random.Uint64N(1 << 40)}
	heavy := random.IntN(3)
	for range members {
		w := uint64(1)
		switch heavy {
		case 1:
			w = random.Uint64N(20)
		case 2:
			w = 1 + random.Uint64N(1<<53)
		}
		p.weights = append(p.weights, w)
	}
	p.weights[random.IntN(members)] += 1
	at := p.grow(-1, 1000+random.IntN(1_000_000), random)
	below := at
	p.target = p.grow(at, p.blocks[at].number+1, random)
	foreign := p.grow(at, p.blocks[at].number+1, random)
	above := []int{p.target}
	for range random.IntN(6) {
		parent := above[random.IntN(len(above))]
		above = append(above, p.grow(parent, p.blocks[parent].number+1, random))
	}
	share := [...]int{100, 67, 68, 66, 75, 90}[random.IntN(6)]
	order := random.Perm(members)
	for _, voter := range order[:max(1, (members*share+99)/100-random.IntN(2))] {
		if p.weights[voter] == 0 {
			continue
		}
		on := p.target
		if random.IntN(3) == 0 {
			on = above[random.IntN(len(above))]
		}
		p.votes = append(p.votes, ballot{voter: voter, block: on})
		if random.IntN(40) == 0 && on != p.target { // an equivocation
			p.votes = append(p.votes, ballot{voter: voter, block: p.target})
		}
	}
	if len(p.votes) == 0 {
		p.votes = []ballot{{voter: order[0], block: p.target}}
	}
	needed := map[int]bool{}
	for _, v := range p.votes {
		for i := v.block; i != p.target; i = p.blocks[i].parent {
			needed[i] = true
		}
	}
	for i := range p.blocks {
		if needed[i] {
			p.headers = append(p.headers, i)
		}
	}
	random.Shuffle(len(p.headers), func(i, k int) { p.headers[i], p.headers[k] = p.headers[k], p.headers[i] })
	for range max(0, random.IntN(4)-1) {
		p.spoil(random, below, foreign)
	}
	return p
}

// spoil changes a case in one way, which may or may not make it invalid.
func (p *plan) spoil(random *rand.Rand, below, foreign int) {
	i := random.IntN(len(p.votes))
	v := &p.votes[i]
	switch random.IntN(15) {
	case 0:
		v.wrongNumber = true
	case 1:
		v.wrongRound = true
	case 2:
		v.wrongSet = true
	case 3:
		v.broken = true
	case 4:
		v.prevote = true
	case 5:
		p.wrongTarget = true
	case 6:
		p.votes = append(p.votes, *v) // repeated
	case 7:
		v.voter = len(p.weights) + random.IntN(5)
	case 8:
		v.block = below
	case 9:
		v.block = foreign
	case 10:
		p.headers = append(p.headers, random.IntN(len(p.blocks)))
	case 11:
		if len(p.headers) > 0 {
			p.headers = p.headers[1:]
		}
	case 12:
		p.votes = slices.Delete(p.votes, i, i+1)
		if len(p.votes) == 0 {
			p.votes = append(p.votes, ballot{block: p.target})
		}
	case 13:
		p.votes = append(p.votes, ballot{voter: len(p.weights), block: p.target})
	case 14:
		p.weights[random.IntN(len(p.weights))] += random.Uint64N(3)
	}
}

// Made-up justifications are accepted exactly if the oracle accepts them.
func TestMadeUp(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 1))
	accepted, cases := 0, 10_000/tier.Sparse(20, 5)
	for n := range cases {
		members := [...]int{1, 3, 4, 3, 4, 7, 4, 100}[n%8]
		if n%100 == 50 {
			members = 1000
		}
		p := draw(random, members)
		set, err := grandpa.NewSet(p.setID, p.authorities())
		require.NoError(t, err)
		j, err := grandpa.ReadJustification(p.encode())
		require.NoError(t, err)
		_, err = set.Verify(j)
		require.Equal(t, p.final(), err == nil, "case %d: %v\n%+v", n, err, p)
		if err == nil {
			accepted++
		} else {
			require.ErrorIs(t, err, grandpa.ErrNotFinal)
		}
	}
	t.Log(accepted, "of", cases, "accepted")
	require.Greater(t, accepted, cases/5)
	require.Less(t, accepted, cases*4/5)
}

// A made-up chain of sets hands over in order, with and without a delay.
func TestMadeUpHandOffs(t *testing.T) {
	b := newBooks(t)
	c := grandpa.NewChain(b.root(t))
	require.NoError(t, b.finalize(c, 10, change(1, 4, 0)))
	require.NoError(t, b.finalize(c, 11, nil), "the new set, at once")
	require.NoError(t, b.finalize(c, 20, change(1, 4, 5)))
	require.NoError(t, b.finalize(c, 25, nil), "the old set still finalizes blocks during the delay")
	b.setID++
	require.ErrorIs(t, b.finalize(c, 25, nil), grandpa.ErrNotFinal, "and the new one does not")
	require.NoError(t, b.finalize(c, 26, nil))
	require.ErrorContains(t, b.finalize(c, 24, nil), "block 24 is below block 26")

	forced := b.header(30, change(2, 4, 0))
	_, _, err := c.Finalize(b.vote(t, 30, forced), readHeaderBytes(t, forced))
	require.ErrorContains(t, err, "block 30: a forced change hands over without proof")
	c.AcceptForced = true
	_, _, err = c.Finalize(b.vote(t, 30, forced), readHeaderBytes(t, forced))
	require.NoError(t, err)
	b.setID++
	require.NoError(t, b.finalize(c, 31, nil))

	pending := b.header(40, change(1, 4, 10))
	_, _, err = c.Finalize(b.vote(t, 40, pending), readHeaderBytes(t, pending))
	require.NoError(t, err)
	second := b.header(45, change(1, 4, 10))
	_, _, err = c.Finalize(b.vote(t, 45, second), readHeaderBytes(t, second))
	require.ErrorContains(t, err, "not in force until block 51")
	other := b.header(40, nil)
	_, _, err = c.Finalize(b.vote(t, 40, other), readHeaderBytes(t, other))
	require.ErrorContains(t, err, "contradicts block 40:")
}

// An authority list without weight, or whose weights overflow, is refused.
func TestSets(t *testing.T) {
	p := &plan{weights: []uint64{0, 0}}
	_, err := grandpa.NewSet(1, p.authorities())
	require.EqualError(t, err, "authority list: it has no weight")
	p.weights = []uint64{1 << 63, 1 << 63}
	_, err = grandpa.NewSet(1, p.authorities())
	require.EqualError(t, err, "authority list: the weights exceed 64 bits")
	_, err = grandpa.NewSet(1, append(p.authorities(), 0))
	require.ErrorContains(t, err, "1 bytes left over")
	for total, want := range map[uint64]uint64{1: 1, 2: 2, 3: 3, 4: 3, 13: 9, 19: 13, 68: 46, 69: 47, 70: 47, 600: 401, 700: 467, 1<<64 - 1: 12297829382473034411} {
		p.weights = []uint64{total}
		set, err := grandpa.NewSet(1, p.authorities())
		require.NoError(t, err)
		require.Equal(t, want, set.Threshold(), "of %d", total)
	}
}
