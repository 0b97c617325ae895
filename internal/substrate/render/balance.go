package render

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Balance locates an account's balance in the state.
type Balance struct {
	account, locks *Item
}

// Balance returns the location of an account and its locks. It refuses an account of another size than the runtime's.
func (r *Runtime) Balance(of chain.Address) (b Balance, err error) {
	if of.Size() != r.metadata.AccountSize() {
		want := "0x and 40 hex digits"
		if of.Size() == chain.AddressSize {
			want = "SS58 of 32 bytes"
		}
		return b, Refused(badRequest, "Invalid address format: want %s", want)
	}
	keys := []string{fmt.Sprintf("0x%x", of.Bytes())}
	if b.account, err = r.Item("system", "account", keys); err != nil {
		return b, err
	}
	b.locks, err = r.Item("balances", "locks", keys)
	return b, err
}

// Places returns the storage keys of the account and its locks.
func (b *Balance) Places() (account, locks []byte) { return b.account.Place(), b.locks.Place() }

// Answer returns the response of /accounts/ADDRESS/balance-info. The token is the chain's first; account and
// locks are nil if nothing is stored. Locks that are unknown are left out.
func (b *Balance) Answer(at At, token string, account []byte, locks chain.Optional[[]byte]) ([]byte, error) {
	if account == nil {
		account = b.account.entry.Default
	}
	members, err := b.members(account)
	if err != nil {
		return nil, fmt.Errorf("system.account at block %d: %w", at.Height, err)
	}
	to := append(append(at.hashFirst(nil), `,"nonce":`...), members["nonce"]...)
	to = scalejson.AppendString(append(to, `,"tokenSymbol":`...), token)
	for _, key := range []string{"free", "reserved", "misc_frozen", "fee_frozen", "frozen"} {
		name := scalejson.CamelCase(key)
		to = append(scalejson.AppendString(append(to, ','), name), ':')
		if value := members[key]; value != nil {
			to = append(to, value...)
		} else {
			to = scalejson.AppendString(to, name+" does not exist for this runtime")
		}
	}
	if stored, known := locks.Get(); known {
		if to, err = b.locks.value(append(to, `,"locks":`...), stored); err != nil {
			return nil, fmt.Errorf("balances.locks at block %d: %w", at.Height, err)
		}
	}
	return append(to, '}'), nil
}

// members returns the fields of an account: its own and those of its data.
func (b *Balance) members(account []byte) (map[string][]byte, error) {
	r := b.account.runtime
	members := map[string][]byte{}
	w := scalejson.Writer{Reader: scale.NewReader(account)}
	var read func(id metadata.TypeID)
	read = func(id metadata.TypeID) {
		for _, f := range r.metadata.Types[id].Fields {
			if f.Name == "data" {
				read(f.Type)
				continue
			}
			from := len(w.Text)
			r.codec.Value(&w, f.Type)
			members[f.Name] = w.Text[from:]
		}
	}
	read(b.account.entry.Value)
	if err := w.End(); err != nil {
		return nil, err
	}
	for _, key := range []string{"nonce", "free", "reserved"} {
		if members[key] == nil {
			return nil, fmt.Errorf("it has no %s", key)
		}
	}
	return members, nil
}
