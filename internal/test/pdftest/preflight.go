package pdftest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// differences are what a validator of PDF/A-1b finds in a document that follows PDF/A-2b: the second part of the standard
// allows cross-reference streams, does not ask for a CIDSet, and has another number.
var differences = []string{"/XRef cross reference streams are not allowed", "The CIDSet entry is missing", "part must be 1"}

// PDFAFindings returns what Apache PDFBox Preflight, another program, finds in a document that claims to be PDF/A-2b. It
// knows the rules of PDF/A-1b, which are those of PDF/A-2b but for a few.
func PDFAFindings(t testing.TB, file []byte) (findings []string) {
	t.Helper()
	java := program.Path(t, program.PDF, "java")
	var jars []string
	for _, name := range []string{"preflight", "pdfbox2", "xmpbox", "fontbox2", "commons-logging", "javax.activation", "jaxb-api"} {
		jar := filepath.Join("/usr/share/java", name+".jar") // where Debian's packages have them
		if _, err := os.Stat(jar); err != nil {
			program.Missing(t, program.PDF, err.Error())
		}
		jars = append(jars, jar)
	}
	path := filepath.Join(t.TempDir(), "document.pdf")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	out, _ := exec.CommandContext(t.Context(), java, "-cp", strings.Join(jars, ":"), "org.apache.pdfbox.preflight.Validator_A1b", path).CombinedOutput()
	known := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, "is not a valid PDF/A-1b file, error(s) :") {
			continue
		}
		difference := ""
		for _, d := range differences {
			if strings.Contains(line, d) {
				difference = d
			}
		}
		if known[difference] = true; difference == "" {
			findings = append(findings, line)
		}
	}
	for _, d := range differences[:2] { // otherwise it did not look
		require.True(t, known[d], "%s: %s", d, out)
	}
	return findings
}
