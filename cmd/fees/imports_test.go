package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exports of the demo's January, as products write them, are read without a flag. Their fees are
// those that the chain charged; the outcomes follow from what each product leaves out.
func TestImports(t *testing.T) {
	imports, err := filepath.Abs("testdata/imports")
	require.NoError(t, err)
	demoMonth(t)
	for file, c := range map[string]struct {
		first string // of the output
		found bool   // a difference
		lines []string
	}{
		// An explorer lacks the company's three native transactions.
		"moonscan.csv":         {"Moonscan (Etherscan) export of transactions, 13 rows: 13 fees of GLMR", true, []string{"matched 13", "only_on_chain 3"}},
		"etherscan.csv":        {"Moonscan (Etherscan) export of transactions, 13 rows: 13 fees of GLMR", true, []string{"matched 13", "only_on_chain 3"}},
		"fireblocks.csv":       {"Fireblocks transaction history, 16 rows: 16 fees of GLMR", false, []string{"matched 16"}},
		"fireblocks_multi.csv": {"Fireblocks transaction history, 20 rows: 16 fees of GLMR, 2 of other assets, 2 without a fee", false, []string{"matched 16", "left_out 4"}},
		"koinly.csv":           {"Koinly bulk export, 16 rows: 16 fees of GLMR", false, []string{"within_rounding 16"}},
		"xero.csv":             {"Xero bank statement, 16 rows: 16 fees of GLMR", false, []string{"matched 16"}},
		"subscan.csv":          {"", false, []string{"matched 16"}},
		"german.csv":           {"", false, []string{"matched 16"}},
	} {
		stdout, stderr, code := fees("reconcile", filepath.Join(imports, file), "--month", "2026-01", "--accounts", "group:company", "--quiet")
		want := exitOK
		if c.found {
			want = exitFinding
		}
		require.Equal(t, want, code, "%s: %s", file, stderr)
		if c.first != "" {
			require.Equal(t, c.first, strings.SplitN(stdout, "\n", 2)[0], file)
		}
		folded := strings.Join(strings.Fields(stdout), " ")
		for _, line := range c.lines {
			require.Contains(t, folded, line, file)
		}
		require.Contains(t, folded, "0.91121656287607318", file+": the month's fees, added up apart from this program")
	}
}

// An export of any product that lacks rows is complete after --fix: its copy is read again by the same profile, has the
// month's sum, and lacks nothing.
func TestImportsFixed(t *testing.T) {
	imports, err := filepath.Abs("testdata/imports")
	require.NoError(t, err)
	demoMonth(t)
	files, err := os.ReadDir(imports)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(imports, file.Name()))
		require.NoError(t, err)
		lines := strings.SplitAfter(string(text), "\n")
		require.NoError(t, os.WriteFile(file.Name(), []byte(strings.Join(slices.Delete(lines, 5, 7), "")), 0o600))
		run := func(name string, more ...string) (stdout, stderr string, code int) {
			return fees(append([]string{"reconcile", name, "--month", "2026-01", "--accounts", "group:company", "--quiet"}, more...)...)
		}
		copied := "copy-" + file.Name()
		stdout, stderr, code := run(file.Name(), "--fix", copied)
		require.Equal(t, exitFinding, code, "%s: %s", file.Name(), stderr)
		require.Regexp(t, `fees: --fix copy-.*: [0-9] rows? added, 0 amounts corrected\n`, stderr)
		first, _, _ := strings.Cut(stdout, ",")
		stdout, stderr, code = run(copied)
		require.Equal(t, exitOK, code, "%s: %s\n%s", file.Name(), stderr, stdout)
		if !strings.HasPrefix(first, "Fees in the books") { // a profile reads it
			require.True(t, strings.HasPrefix(stdout, first), file.Name())
		}
		require.Contains(t, stdout, "all 16 match", file.Name())
		require.Contains(t, stdout, "0.91121656287607318", file.Name())
	}
}

// The hash is found where a person writes it: in brackets, a link, a sentence, another column's name,
// as an extrinsic's, or as an ID.
func TestHashWhereItIs(t *testing.T) {
	demoMonth(t)
	for name, text := range map[string]string{
		"brackets":       "Ref,Fee (GLMR)\n[0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5],0.021797132753844\n",
		"link":           "Link,Fee (GLMR)\nhttps://moonbeam.moonscan.io/tx/0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5?a=1,0.021797132753844\n",
		"sentence":       "Beschreibung,Gebühr (GLMR)\n\"Fee of 2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5, paid\",\"0,021797132753844\"\n",
		"extrinsic hash": "Extrinsic Hash,Used Fee\n0x822368b645e63153b0be0d882469f67e464bbc9c8be6c2b17d3a8ae26be0d62b,0.021797132753844 GLMR\n",
		"ID":             "Extrinsic,Frais (GLMR)\nextrinsic 1-4,0.021797132753844\n",
	} {
		require.NoError(t, os.WriteFile("own.csv", []byte(text), 0o600))
		stdout, stderr, code := fees("reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--rows-only", "--quiet")
		require.Equal(t, exitOK, code, "%s: %s", name, stderr)
		require.Regexp(t, `(?m)^matched +1 `, stdout, name)
	}
	hashes := "0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5 0x65deb72cb7baefb56b0016622fe23b27383b77e75127ce0fcfb164ce37eab446"
	require.NoError(t, os.WriteFile("own.csv", []byte("hash,fee (GLMR)\n"+hashes+",0.1\n"), 0o600))
	_, stderr, code := fees("reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company")
	require.Equal(t, exitUsage, code)
	for hash := range strings.FieldsSeq(hashes) {
		require.Contains(t, stderr, hash)
	}
}

// Profiles are listed, and a user's own is read from a file.
func TestProfileFlag(t *testing.T) {
	demoMonth(t)
	stdout, _, code := fees("reconcile", "--profiles")
	require.Equal(t, exitOK, code)
	require.Regexp(t, `(?m)^  koinly-bulk +book +Koinly bulk export \(source: BittyTax pull request 500\)$`, stdout)
	require.NoError(t, os.WriteFile("own.json", []byte(`{"name": "own", "title": "Wallet export", "kind": "book", "headers": ["ref", "spent"], "columns": {"hash": ["ref"], "fee": ["spent"]}, "unit": "token"}`), 0o600))
	require.NoError(t, os.WriteFile("own.csv", []byte("ref,spent\n0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5,0.021797132753844\n"), 0o600))
	asked := []string{"reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--rows-only", "--quiet"}
	stdout, stderr, code := fees(append(asked, "--profile", "./own.json")...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "Wallet export, 1 row: 1 fee of GLMR\n")
	for profile, why := range map[string]string{"koinly": "no row has the columns of the profile koinly", "nothing": "is unknown", "./missing.json": "./missing.json does not exist", "./own.csv": "not a list of profiles"} {
		_, stderr, code := fees(append(asked, "--profile", profile)...)
		require.NotEqual(t, exitOK, code, profile)
		require.Contains(t, stderr, why, profile)
	}
}
