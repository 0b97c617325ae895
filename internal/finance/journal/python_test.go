package journal_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/journal"
	programs "github.com/feeledger/fees/internal/test/program"
)

// Python's CSV reader adds the files up to the journal's debits and credits.
func TestPythonReads(t *testing.T) {
	python := programs.Path(t, programs.Python, "python3")
	for seed := range 5 {
		payments, q, _ := randomMonth(t, rand.New(rand.NewPCG(uint64(seed), 3)), 200)
		j := summarise(t, payments, q)
		debit, credit := j.Sums()
		for _, form := range journal.FormatNames(journal.Summaries) {
			contents, plan := files(t, j, form)
			directory := t.TempDir()
			args := []string{"testdata/check.py", form}
			entries, rows := uint64(0), uint64(0)
			for i, content := range contents {
				name := filepath.Join(directory, fmt.Sprintf("%d.csv", i))
				require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
				args = append(args, name)
				entries, rows = entries+plan[i].Entries, rows+plan[i].Rows
			}
			out, err := exec.Command(python, args...).CombinedOutput()
			require.NoError(t, err, string(out))
			got := strings.Fields(string(out))
			require.Len(t, got, 3, string(out))
			if form == journal.DATEV.Name {
				entries = rows // each row is an entry
			}
			require.Equal(t, fmt.Sprint(entries), got[0], form)
			require.Zero(t, rat(t, got[1]).Cmp(rat(t, debit.String())), "%s: %s %v", form, got[1], debit)
			require.Zero(t, rat(t, got[2]).Cmp(rat(t, credit.String())), "%s: %s %v", form, got[2], credit)
		}
	}
}
