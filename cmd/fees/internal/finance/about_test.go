package finance

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
)

// A statement lists every file that a figure depends on, a price file with a stated pair too, and nothing that is not
// a file.
func TestInputsOfACommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) (string, closing.Input) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path, closing.Input{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
	}
	list, accounts := write("accounts.csv", "a")
	history, prices := write("history.csv", "b")
	rates, others := write("rates.csv", "c")
	book, labels := write("labels.csv", "d")
	accounts.Name, prices.Name, others.Name, labels.Name = "accounts", "prices", "prices", "labels"

	var in app.PricesInput
	c := &cobra.Command{}
	addPrices(c, &in)
	c.Flags().StringSlice("accounts", nil, "")
	c.Flags().String("chart", "", "")
	require.NoError(t, c.ParseFlags([]string{"--accounts", "group:company,0x12," + list, "--prices", "GLMR/USD=" + history + "," + rates, "--fiat", "EUR"}))
	inputs, err := inputsOf(c, book)
	require.NoError(t, err)
	require.Equal(t, []closing.Input{accounts, labels, prices, others}, inputs)
	inputs, err = inputsOf(c, "")
	require.NoError(t, err)
	require.Equal(t, []closing.Input{accounts, prices, others}, inputs)
}
