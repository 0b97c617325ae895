package answers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Handler serves an archive as a gateway: with the real gateway's paths, bodies, statuses and error texts. Data that
// the chain may have but the archive lacks results in status 500 with an explanation. Errors contain no stack.
func Handler(a *Archive) http.Handler { return archive.Handler(a.name, gateway{a}) }

type gateway struct{ archive *Archive }

const (
	multiplierURL = "/pallets/transactionPayment/storage/nextFeeMultiplier"
	parameterURL  = "/pallets/parameters/storage/parameters"
	weightURL     = "/pallets/system/storage/blockWeight"
)

// The paths with a parameter.
var (
	blockURL   = regexp.MustCompile(`^/blocks/([^/]+)$`)
	headerURL  = regexp.MustCompile(`^/blocks/([^/]+)/header$`)
	balanceURL = regexp.MustCompile(`^/accounts/([^/]+)/balance-info$`)
	palletURL  = regexp.MustCompile(`^/pallets/[^/]+`)
	storageURL = regexp.MustCompile(`^/pallets/([^/]+)/storage/([^/]+)$`)
)

func badRequest(format string, args ...any) error {
	return render.Refused(http.StatusBadRequest, format, args...)
}

var errNoSuchBlock = render.Refused(http.StatusInternalServerError, render.NoBlock)

// Get answers a request.
func (g gateway) Get(ctx context.Context, path string) (string, error) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return "", chain.ErrNotOffered
	}
	query := u.Query()
	return g.answer(ctx, u.Path, query.Get("at"), query.Get("keys[]"))
}

func (g gateway) answer(ctx context.Context, path, at, key string) (string, error) {
	path = palletURL.ReplaceAllStringFunc(path, sidecar.PalletName)
	switch path {
	case "/":
		return g.root()
	case "/runtime/spec":
		return g.at(ctx, at, g.runtime)
	case multiplierURL:
		return g.at(ctx, at, g.file(multiplierPath))
	case "/node/version":
		text, err := g.archive.read(nodePath)
		if errors.Is(err, ErrLacks) {
			err = chain.ErrNotOffered
		}
		return text, err
	}
	if found := blockURL.FindStringSubmatch(path); found != nil {
		return g.at(ctx, withoutHead(found[1]), g.file(blockPath))
	}
	if found := headerURL.FindStringSubmatch(path); found != nil {
		return g.at(ctx, withoutHead(found[1]), g.file(headerPath))
	}
	if found := balanceURL.FindStringSubmatch(path); found != nil {
		account, err := parseAccount(found[1])
		if err != nil {
			return "", err
		}
		return g.at(ctx, at, g.file(func(at uint64) string { return balancePath(g.archive.nameOf(account), at) }))
	}
	if path == parameterURL && g.archive.hasParameters() {
		return g.at(ctx, at, g.parameter(key))
	}
	if path == weightURL && g.archive.hasBlockWeights() {
		return g.at(ctx, at, g.file(weightPath))
	}
	if found := storageURL.FindStringSubmatch(path); found != nil {
		if answer, is := g.baseFee(found[1], found[2]); is {
			return g.at(ctx, at, answer)
		}
	}
	if found := storageURL.FindStringSubmatch(path); found != nil {
		return "", unknownStorage(found[1], found[2])
	}
	return "", chain.ErrNotOffered
}

// withoutHead returns a block's name, "" for the head.
func withoutHead(name string) string {
	if name == "head" {
		return ""
	}
	return name
}

// at resolves a block's name, the head for "", and calls answer with its height.
func (g gateway) at(ctx context.Context, name string, answer func(height uint64) (string, error)) (string, error) {
	_, head, err := g.archive.Range()
	if err != nil {
		return "", err
	}
	height := head
	switch {
	case strings.HasPrefix(name, "0x"):
		height, err = g.heightOf(ctx, name)
	case name != "":
		height, err = parseHeight(name, head)
	}
	if err != nil {
		return "", err
	}
	return answer(height)
}

func parseHeight(text string, head uint64) (uint64, error) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, badRequest("Cannot get block hash for %s. Block IDs must be either 32-byte hex strings or non-negative decimal integers.", text)
	}
	height, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil || height > math.MaxUint32:
		return 0, badRequest("Specified block number is larger than the current largest block. The largest known block number is %d.", head)
	case height > head:
		return 0, errNoSuchBlock
	}
	return height, nil
}

// heightOf returns the height of the block with a hash.
func (g gateway) heightOf(ctx context.Context, text string) (uint64, error) {
	if strings.Trim(text[2:], "0123456789abcdefABCDEF") != "" {
		return 0, badRequest("Cannot get block hash for %s. Hex string block IDs must be a valid hex string and must be 32-bytes (66-characters) in length.", text)
	}
	hash, err := chain.ParseHash(text)
	if err != nil {
		return 0, badRequest("Cannot get block hash for %s. Hex string block IDs must be 32-bytes (66-characters) in length.", text)
	}
	b, err := g.archive.BlockByHash(ctx, hash)
	if errors.Is(err, ErrLacks) {
		return 0, errNoSuchBlock
	}
	if err != nil {
		return 0, err
	}
	return b.Number, nil
}

// file answers with the file of a height. A block that was not recorded is treated as nonexistent on the chain.
func (g gateway) file(path func(height uint64) string) func(uint64) (string, error) {
	return func(height uint64) (string, error) {
		text, err := g.archive.read(path(height))
		if strings.HasPrefix(text, `{"code"`) || strings.HasPrefix(text, `{"error"`) {
			if refused := sidecar.Refusal(text); refused != nil {
				return "", render.Refused(cmp.Or(refused.Status, http.StatusInternalServerError), "%s", refused.Message)
			}
		}
		if path(height) == blockPath(height) && errors.Is(err, ErrLacks) {
			err = errNoSuchBlock
		}
		return text, err
	}
}

// parameter answers with FeesTreasuryProportion, the only recorded parameter, if the key matches.
func (g gateway) parameter(key string) func(uint64) (string, error) {
	return func(height uint64) (string, error) {
		if !strings.HasPrefix(key, "0x") {
			return "", render.Refused(http.StatusInternalServerError, "Cannot map Enum JSON")
		}
		if _, err := g.archive.FeesTreasuryProportion(context.Background(), key, height); err != nil {
			return "", err
		}
		return g.archive.read(parameterPath(height))
	}
}

// runtime answers with the runtime of a height. If it was recorded at another height, the answer is adapted.
func (g gateway) runtime(height uint64) (string, error) {
	path, text, err := g.archive.runtimeText(height)
	if err != nil {
		return "", err
	}
	v, err := jsonscan.Parse(text)
	if err != nil {
		return "", g.archive.damaged(path, err)
	}
	kept := v.Member("at")
	if have, err := jsonread.Uint64(kept.Member("height")); err == nil && have == height {
		return text, nil
	}
	at := fmt.Sprintf(`{"height":"%d"`, height)
	if hash, known := g.hash(height).Get(); known {
		at += fmt.Sprintf(`,"hash":"%v"`, hash)
	}
	return strings.Replace(text, kept.Raw(), at+"}", 1), nil
}

// hash returns the hash of the block at a height, if that block or the next was recorded.
func (g gateway) hash(height uint64) (hash chain.Optional[chain.Hash]) {
	if b, err := g.archive.Block(context.Background(), height); err == nil {
		return chain.Some(b.Hash)
	}
	if b, err := g.archive.Block(context.Background(), height+1); err == nil {
		return chain.Some(b.ParentHash)
	}
	return hash
}

// root returns what a recorder reads from a gateway's root.
func (g gateway) root() (string, error) {
	if g.archive.manifest == nil || g.archive.manifest.GatewayVersion == "" {
		return "", chain.ErrNotOffered
	}
	text, err := json.Marshal(map[string]string{"version": g.archive.manifest.GatewayVersion})
	return string(text), err
}

// parseAccount parses an account as Sidecar does: 20 bytes in hex, or 32 bytes in SS58.
func parseAccount(text string) (chain.Address, error) {
	account, err := chain.ParseAccount(text)
	inHex := strings.HasPrefix(text, "0x")
	switch {
	case err != nil && !inHex:
		return chain.Address{}, badRequest("Invalid decoded address checksum")
	case err != nil, inHex && account.Size() != chain.AddressSize:
		return chain.Address{}, badRequest("Invalid address format")
	}
	return account, nil
}

// unknownStorage returns the error for storage that an archive does not contain.
func unknownStorage(pallet, item string) error {
	if pallet == "transactionPayment" {
		return render.Refused(http.StatusInternalServerError,
			`Could not find storage item ("%s") in metadata. storage item names are expected to be in camel case, e.g. 'storageItemId'`, item)
	}
	return badRequest(`"%s" was not recognized as a queryable pallet.`, pallet)
}
