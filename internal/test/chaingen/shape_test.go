package chaingen_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/repository"
)

// shapes are the structure of a JSON text: for an object its keys in order, for anything else its kind. A
// value is named by its path, or by its method if it has one.
type shapes map[string]bool

func (s shapes) read(t *testing.T, text []byte) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	s.value(t, d, "")
}

func (s shapes) value(t *testing.T, d *json.Decoder, path string) string {
	t.Helper()
	token, err := d.Token()
	require.NoError(t, err)
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			var forms []string
			for d.More() {
				forms = append(forms, s.value(t, d, path+"[]"))
			}
			_, err = d.Token()
			require.NoError(t, err)
			return "[" + strings.Join(forms, " ") + "]"
		}
		return s.object(t, d, path)
	case string:
		form := "text"
		if strings.HasPrefix(token, "0x") {
			form = "hex"
		} else if strings.Trim(token, "0123456789") == "" {
			form = "digits"
		}
		return form
	}
	return fmt.Sprintf("%T", token)
}

func (s shapes) object(t *testing.T, d *json.Decoder, path string) string {
	t.Helper()
	var keys []string
	for d.More() {
		token, err := d.Token()
		require.NoError(t, err)
		key := token.(string)
		if key == "method" && !strings.HasSuffix(path, ".method") { // the name of a call or an event
			var method struct{ Pallet, Method string }
			require.NoError(t, d.Decode(&method))
			path = method.Pallet + "." + method.Method
			keys = append(keys, key)
			continue
		}
		form := s.value(t, d, path+"."+key)
		if key != "data" { // an event has its number of values; other lists are of any length
			form, _, _ = strings.Cut(strings.Trim(form, "[]"), " ")
		}
		keys = append(keys, key+":"+form)
	}
	_, err := d.Token()
	require.NoError(t, err)
	s[path+" {"+strings.Join(keys, ",")+"}"] = true
	return "{}"
}

// Every response has the keys of the recorded ones, in their order, and numbers, hex digits and names in the
// same places.
func TestShapeIsTheRecorded(t *testing.T) {
	directory := repository.Path("testdata", "recordings", "moonbeam-2100")
	for _, answer := range []struct {
		recorded string
		of       func(*chaingen.Chain, uint64) []byte
	}{
		{"blocks/*.json", (*chaingen.Chain).Block},
		{"headers/*.json", (*chaingen.Chain).Header},
		{"multiplier/*.json", (*chaingen.Chain).Multiplier},
		{"runtime-spec.json", (*chaingen.Chain).Runtime},
	} {
		want, have := shapes{}, shapes{}
		files, err := filepath.Glob(filepath.Join(directory, answer.recorded))
		require.NoError(t, err)
		require.NotEmpty(t, files, answer.recorded)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			want.read(t, text)
		}
		c := chaingen.New(chaingen.Options{Seed: 1, Upgrade: 200})
		for height := range uint64(400) {
			text := strings.ReplaceAll(string(answer.of(c, height)), "transferAllowDeath", "transfer") // its later name
			have.read(t, []byte(text))
		}
		for shape := range have {
			require.True(t, want[shape] || unrecorded[shape], "%s: %s", answer.recorded, shape)
		}
	}
}

// unrecorded are the structures that the recordings lack: an upgrade, events outside extrinsics,
// transferKeepAlive in a batch, the access list of an eip1559 transaction.
var unrecorded = map[string]bool{
	".onInitialize {events:{}}":                                                             true,
	".logs[] {type:text,index:digits,value:<nil>}":                                          true, // of the block that brings a runtime
	".digest.logs[] {runtimeEnvironmentUpdated:<nil>}":                                      true,
	".onFinalize {events:{}}":                                                               true,
	"parachainStaking.NewRound {method,data:[digits digits digits digits]}":                 true,
	"parachainStaking.Rewarded {method,data:[hex digits]}":                                  true,
	"parachainStaking.ReservedForParachainBond {method,data:[hex digits]}":                  true,
	"parachainSystem.UpwardMessageSent {method,data:[hex]}":                                 true,
	"ethereum.Executed {method,data:[hex hex hex {} hex]}":                                  true, // of the later runtime
	"balances.Minted {method,data:[hex digits]}":                                            true,
	"balances.transferKeepAlive {method,args:{}}":                                           true,
	"ethereum.transact.args.transaction.eip1559.accessList[] {address:hex,storageKeys:}":    true,
	"ethereum.transact.args.transaction.eip1559.accessList[] {address:hex,storageKeys:hex}": true,
}
