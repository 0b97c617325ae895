package answers

import (
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

const (
	blockDirectory   = "blocks"
	runtimeDirectory = "runtime-spec"
	// parameterDirectory contains FeesTreasuryProportion, the only recorded parameter.
	parameterDirectory = "parameters"
	weightDirectory    = "block-weight"
	baseFeeDirectory   = "base-fee"
	runtimeForAll      = "runtime-spec.json"
	nodePath           = "node-version.json"
)

func blockPath(height uint64) string { return heightPath(blockDirectory, height) }

func headerPath(height uint64) string { return heightPath("headers", height) }

func multiplierPath(at uint64) string { return heightPath("multiplier", at) }

func parameterPath(at uint64) string { return heightPath(parameterDirectory, at) }

func baseFeePath(at uint64) string { return heightPath(baseFeeDirectory, at) }

func weightPath(at uint64) string { return heightPath(weightDirectory, at) }

func runtimePath(at uint64) string { return heightPath(runtimeDirectory, at) }

func balancePath(account chain.Address, at uint64) string {
	return heightPath("balance-info/"+account.Plain(), at)
}

func heightPath(directory string, height uint64) string {
	return directory + "/" + strconv.FormatUint(height, 10) + ".json"
}

// appendHeight appends the height in a file name <height>.json, if it is one.
func appendHeight(heights []uint64, name string) []uint64 {
	digits, isJSON := strings.CutSuffix(name, ".json")
	height, err := strconv.ParseUint(digits, 10, 64)
	if isJSON && err == nil && strconv.FormatUint(height, 10) == digits {
		heights = append(heights, height)
	}
	return heights
}
