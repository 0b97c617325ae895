package answers

import (
	"strconv"
	"strings"
)

const (
	blockDirectory   = "blocks"
	runtimeDirectory = "runtime-spec"
	// parameterDirectory contains FeesTreasuryProportion, the only recorded parameter.
	parameterDirectory = "parameters"
	weightDirectory    = "block-weight"
	baseFeeDirectory   = "base-fee"
	balanceDirectory   = "balance-info"
	runtimeForAll      = "runtime-spec.json"
	nodePath           = "node-version.json"
)

// The paths of the answers for a height.
var (
	blockPath      = heightPath(blockDirectory)
	headerPath     = heightPath("headers")
	multiplierPath = heightPath("multiplier")
	parameterPath  = heightPath(parameterDirectory)
	baseFeePath    = heightPath(baseFeeDirectory)
	weightPath     = heightPath(weightDirectory)
	runtimePath    = heightPath(runtimeDirectory)
)

func balancePath(account string, at uint64) string {
	return heightPath(balanceDirectory + "/" + account)(at)
}

func heightPath(directory string) func(height uint64) string {
	return func(height uint64) string { return directory + "/" + strconv.FormatUint(height, 10) + ".json" }
}

// heightIn returns the height in a file name <height>.json, and whether it is one.
func heightIn(name string) (uint64, bool) {
	digits, isJSON := strings.CutSuffix(name, ".json")
	height, err := strconv.ParseUint(digits, 10, 64)
	return height, isJSON && err == nil && strconv.FormatUint(height, 10) == digits
}

// appendHeight appends the height in a file name <height>.json, if it is one.
func appendHeight(heights []uint64, name string) []uint64 {
	if height, ok := heightIn(name); ok {
		heights = append(heights, height)
	}
	return heights
}
