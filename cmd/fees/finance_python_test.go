//go:build unix

package main

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// valuedByPython values each amount at the price of its UTC day with Python's decimal, adds up movements to the
// lines of the rollforward, and prints the number of compared amounts by file. It fails at the first difference.
const valuedByPython = `
import csv, json
from decimal import Decimal, getcontext, ROUND_HALF_UP
getcontext().prec = 200
prices = {row['date']: Decimal(row['EUR']) for row in csv.DictReader(line for line in open('prices.csv') if line[0] != '#')}
compared = {}

def exact(wei, time):
    return Decimal(wei) / Decimal(10) ** 18 * prices[time[:10]]

def same(file, row, text, value):
    want = str(value.quantize(Decimal('0.01'), ROUND_HALF_UP))
    if want == '-0.00':
        want = '0.00'
    if text != want:
        raise SystemExit(f'{file}: {text}, and Python has {want}: {row}')
    compared[file] = compared.get(file, 0) + 1

for file in ('statement.csv', 'list.csv', 'reconciled.csv'):
    for row in csv.DictReader(open(file)):
        for name, text in row.items():
            if name.endswith('_eur'):
                wei = row[name[:-4]]
                if wei == '':
                    assert text == '', (file, name, row)
                else:
                    same(file, row, text, exact(wei, row['time']))

sums = {}
for row in csv.DictReader(open('movements.csv')):
    value = exact(str(int(row['free'] or 0) + int(row['reserved'] or 0)), row['time'])
    same('movements.csv', row, row['value'], value)
    among = {'group': row['internal'] == 'group', 'all': row['internal'] != ''}
    for scope, owner in (('account', row['account']), ('group', row['group']), ('all', '')):
        line = 'internal' if among.get(scope) else row['line']
        key = (row['period'], scope, owner, line, row['class'], row['direction'])
        sums[key] = sums.get(key, 0) + value
lines = {}
for row in csv.DictReader(open('rollforward.csv')):
    if row['class'] != '':
        owner = {'account': row['account'], 'group': row['group'], 'all': ''}[row['scope']]
        line = (row['period'], row['scope'], owner, row['line'])
        lines.setdefault(line, []).append((row, sums.pop(line + (row['class'], row['direction']))))
def cents(value):
    return value.quantize(Decimal('0.01'), ROUND_HALF_UP)
for classes in lines.values(): # the largest class takes what rounding leaves over
    rest = cents(sum(value for _, value in classes)) - sum(cents(value) for _, value in classes)
    largest = max(classes, key=lambda one: abs(cents(one[1])))
    for one in classes:
        row, value = one
        same('rollforward.csv', row, row['value'], cents(value) + rest if one is largest else value)
assert not sums, sums
print(json.dumps(compared))
`

// asPythonHasIt compares the currency amounts of the exported files with Python's.
func asPythonHasIt(t *testing.T) {
	python := program.Path(t, program.Python, "python3")
	out, err := exec.CommandContext(t.Context(), python, "-c", valuedByPython).CombinedOutput()
	require.NoError(t, err, "%s", out)
	compared := map[string]int{}
	require.NoError(t, json.Unmarshal(out, &compared))
	t.Logf("amounts that Python has too: %v", compared)
	for file, least := range map[string]int{"statement.csv": 1000, "list.csv": 500, "reconciled.csv": 500, "movements.csv": 500, "rollforward.csv": 30} {
		require.Greater(t, compared[file], least, file)
	}
}
