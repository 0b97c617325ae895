package source

import (
	"context"

	"github.com/feeledger/fees/chain"
)

// maxQueries limits the extrinsics of a block about which a runtime is asked, and maxQueriedBytes their size.
const (
	maxQueries      = 256
	maxQueriedBytes = 4 << 20
)

// QueryInfos returns what a block's runtime answers about some of its extrinsics, by index: on the state before the block. It
// is empty if neither the source nor the node beside it can be asked. An error means that there is no response for now, or
// a wrong one.
func (r *Reader) QueryInfos(ctx context.Context, item Item, encoded [][]byte, indexes []int) (map[int]chain.QueryInfo, error) {
	from, offers := r.functions()
	var asked []int
	var extrinsics [][]byte
	size := 0
	for _, i := range indexes {
		if i >= len(encoded) || len(asked) == maxQueries || size+len(encoded[i]) > maxQueriedBytes {
			break
		}
		size += len(encoded[i])
		asked, extrinsics = append(asked, i), append(extrinsics, encoded[i])
	}
	if !offers || len(asked) == 0 {
		return nil, nil
	}
	answers, err := unlessPermanent(from.QueryInfos(ctx, extrinsics, item.Block.ParentHash))
	list, known := answers.Get()
	if err != nil || !known {
		return nil, err
	}
	infos := map[int]chain.QueryInfo{}
	for i, answer := range list {
		if info, known := answer.Get(); known {
			infos[asked[i]] = info
		}
	}
	return infos, nil
}

// EthReceipts returns the receipts of a block's Ethereum transactions, in order; unknown if neither the source nor the node
// beside it has them. An error means that there is no response for now, or a wrong one.
func (r *Reader) EthReceipts(ctx context.Context, item Item) (none chain.Optional[[]chain.Receipt], err error) {
	from, offers := r.functions()
	if !offers {
		return none, nil
	}
	answer, err := unlessPermanent(from.EthReceipts(ctx, item.Block.Hash))
	list, _ := answer.Get()
	return list, err
}

// functions returns the source or the node beside it, whichever asks runtimes.
func (r *Reader) functions() (RuntimeFunctions, bool) {
	from, err := As[RuntimeFunctions](r.Source)
	if err != nil && r.Beside != nil {
		from, err = As[RuntimeFunctions](r.Beside)
	}
	return from, err == nil
}
