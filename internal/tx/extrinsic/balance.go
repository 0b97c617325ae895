package extrinsic

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
)

// Balance is an amount of the chain's own token in a call.
type Balance struct {
	Path   string // of the argument, such as value or calls[1].args.value
	Amount chain.Wei
}

// Balances returns the amounts of the chain's own token in a call from [Runtime.ReadCall], including nested
// calls. An argument is such an amount if the runtime's source declares it with the pallet's balance type;
// pallets for other assets use the same type name and are excluded.
func (r *Runtime) Balances(call jsonscan.Value) (list []Balance, err error) {
	err = r.balances(call, "", &list)
	return list, err
}

func (r *Runtime) balances(call jsonscan.Value, path string, list *[]Balance) error {
	pallet, name := CallName(call)
	args := call.Member("args")
	called, err := r.find(pallet + "." + name)
	if err != nil {
		return err
	}
	for i, f := range called.Arguments {
		key := argumentName(f, i)
		v := args.Member(key)
		if !isBalance(pallet, f) || v.Kind() == jsonscan.Null {
			if err := r.balancesInside(v, path+key, list); err != nil {
				return err
			}
			continue
		}
		amount, err := jsonread.Wei(v)
		if err != nil {
			return fmt.Errorf("%s%s: %w", path, key, err)
		}
		*list = append(*list, Balance{path + key, amount})
	}
	return nil
}

// balancesInside searches an argument for calls.
func (r *Runtime) balancesInside(v jsonscan.Value, path string, list *[]Balance) error {
	if v.Member("method").Member("pallet").Kind() == jsonscan.String {
		return r.balances(v, path+".", list)
	}
	for name, member := range v.Members() {
		if err := r.balancesInside(member, path+"."+name, list); err != nil {
			return err
		}
	}
	i := 0
	for element := range v.Elements() {
		if err := r.balancesInside(element, fmt.Sprintf("%s[%d]", path, i), list); err != nil {
			return err
		}
		i++
	}
	return nil
}

// otherAssets matches pallets whose balances are of other assets.
var otherAssets = regexp.MustCompile(`(?i)assets|tokens|nfts`)

func isBalance(pallet string, f metadata.Field) bool {
	name := strings.ReplaceAll(f.TypeName, " ", "")
	switch name {
	case "BalanceOf<T>", "BalanceOf<T,I>":
		return !otherAssets.MatchString(pallet)
	case "T::Balance":
		return pallet == "balances"
	}
	return false
}

// CallName returns the names of a call from [Runtime.ReadCall], in camelCase.
func CallName(call jsonscan.Value) (pallet, name string) {
	method := call.Member("method")
	pallet, _ = method.Member("pallet").Text()
	name, _ = method.Member("method").Text()
	return pallet, name
}
