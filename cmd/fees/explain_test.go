package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/explain"
)

// ways are other rules for the recorded blocks, to cover every formula.
var ways = map[string]string{
	"": "",
	"dynamic": `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201,
		"first_fee_event": 1801, "rows": [{"from_runtime": 900, "base_fee_constant": "100000000007",
		"minimum_multiplier": "1000000000000000000", "weight_correction": "250000001", "price_uncapped": true, "source": "a test"}]}]}`,
	"capped": `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201,
		"first_fee_event": 1801, "rows": [{"from_runtime": 900, "base_fee_constant": "101000000000",
		"minimum_multiplier": "1000000000000000000", "source": "a test"}]}]}`,
}

// TestExplainedArithmetic recomputes every step of every explanation, from JSON and from text: formula and values
// give the result, each value is an input or an earlier result, each input is in the recorded file, and the fee
// is what the chain charged when the blocks were recorded.
func TestExplainedArithmetic(t *testing.T) {
	t.Setenv("COLUMNS", "10000")
	for network := range networks {
		for way, table := range ways {
			if testing.Short() && table != "" {
				continue
			}
			t.Run(network+way, func(t *testing.T) {
				flags := []string{"--gateway", filepath.Join(recordings(t), network)}
				if table != "" {
					file := filepath.Join(t.TempDir(), "table.json")
					require.NoError(t, os.WriteFile(file, []byte(table), 0o644))
					flags = append(flags, "--network-file", file)
				}
				explained := 0
				for _, s := range sentIn(t, network) {
					args := append([]string{"explain", fmt.Sprintf("%d-%d", s.Height, s.Index)}, flags...)
					var text, object strings.Builder
					code := run(t.Context(), args, &text, &text)
					require.Contains(t, []int{exitOK, exitFinding}, code, text.String())
					run(t.Context(), append(args, "--format", "json"), &object, &object)
					v := parseExplanation(t, object.String())
					v.check(t, network)
					require.Equal(t, s.Charged, v.Cash.result("charged"), "%v", args)
					if table == "" {
						require.Equal(t, s.Charged, v.result("fee"), "%v", args)
						require.Equal(t, exitOK, code)
					} else if v.Transaction.Drift != nil {
						require.Equal(t, exitFinding, code)
						require.Equal(t, *v.Transaction.Drift, v.Cash.result("drift"))
					}
					var results []string
					calculations := 0
					for _, step := range append(v.Steps, v.Cash.Steps...) {
						results = append(results, step.Result)
						if strings.ContainsAny(step.Formula, "+−×/") {
							calculations++
						}
					}
					inText, worked := checkText(t, text.String())
					require.Equal(t, results, inText)
					require.Equal(t, calculations, worked, text.String())
					explained++
				}
				require.Equal(t, map[string]int{"moonbeam-2100": 84, "moonbeam-1701": 64}[network], explained)
			})
		}
	}
}

// printedExplanation is the JSON of fees explain.
type printedExplanation struct {
	Transaction struct {
		Drift *string `json:"drift"`
	} `json:"transaction"`
	printedSteps
	Cash printedSteps `json:"cash"`
}

type printedSteps struct {
	Inputs []explain.Input `json:"inputs"`
	Steps  []struct {
		Name    string          `json:"name"`
		Formula string          `json:"formula"`
		Values  []explain.Value `json:"values"`
		Result  string          `json:"result"`
	} `json:"steps"`
}

func parseExplanation(t *testing.T, text string) (v printedExplanation) {
	require.NoError(t, json.Unmarshal([]byte(text), &v), text)
	return v
}

func (s printedSteps) result(name string) string {
	for _, step := range s.Steps {
		if step.Name == name {
			return step.Result
		}
	}
	return "no step " + name
}

func (v printedExplanation) check(t *testing.T, network string) {
	have := map[string]string{}
	for _, part := range []printedSteps{v.printedSteps, v.Cash} {
		for _, in := range part.Inputs {
			have[in.Name] = checkInput(t, network, in)
		}
		for _, step := range part.Steps {
			names := map[string]string{}
			for _, v := range step.Values {
				require.Equal(t, have[v.Name], string(v.Value), "%s: the value of %q is from nowhere", step.Name, v.Name)
				names[v.Name] = string(v.Value)
			}
			require.Equal(t, step.Result, evaluate(t, step.Formula, names), "%s = %s", step.Name, step.Formula)
			have[step.Name] = step.Result
		}
	}
}

var (
	inExtrinsic = regexp.MustCompile(`^block (\d+), extrinsic (\d+): (?:events\[(\d+)\] (\w+)\.(\w+) )?([\w.\[\]]+)`)
	inStorage   = regexp.MustCompile(`^block (\d+): transactionPayment.nextFeeMultiplier`)
)

// checkInput looks up an input in the recorded file and returns its value.
func checkInput(t *testing.T, network string, in explain.Input) string {
	digits, known := in.Value.Get()
	require.True(t, known, in.Name)
	value := digits.String()
	if found := inStorage.FindStringSubmatch(in.From); found != nil {
		stored := recordedJSON(t, network, "multiplier", found[1])
		require.Equal(t, stored.(map[string]any)["value"], value)
		return value
	}
	found := inExtrinsic.FindStringSubmatch(in.From)
	if found == nil {
		require.Contains(t, []string{"runtime", "static base fee", "base constant", "weight correction", "treasury", "author"}, in.Name)
		return value
	}
	path := "extrinsics[" + found[2] + "]"
	if found[3] != "" {
		path += ".events[" + found[3] + "]"
		block := recordedJSON(t, network, "blocks", found[1])
		require.Equal(t, found[4], lookUp(t, block, path+".method.pallet"))
		require.Equal(t, found[5], lookUp(t, block, path+".method.method"))
	}
	want := lookUp(t, recordedJSON(t, network, "blocks", found[1]), path+"."+found[6])
	n, ok := new(big.Int).SetString(fmt.Sprint(want), 0)
	require.True(t, ok, "%s: %v", in.From, want)
	require.Equal(t, n.String(), value, in.From)
	return value
}

func recordedJSON(t *testing.T, network, kind, height string) (content any) {
	text, err := os.ReadFile(filepath.Join(recordings(t), network, kind, height+".json"))
	require.NoError(t, err)
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&content))
	return content
}

// lookUp follows a path such as a[1].b.
func lookUp(t *testing.T, content any, path string) any {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if list, ok := content.([]any); ok {
			i, err := strconv.Atoi(part)
			require.NoError(t, err)
			require.Less(t, i, len(list), path)
			content = list[i]
			continue
		}
		content = content.(map[string]any)[part]
		require.NotNil(t, content, path)
	}
	return content
}

// checkText evaluates all lines of each step, which must be equal: the calculation, and the result in its own
// and the customary unit. It returns the results, and the number of calculated ones.
func checkText(t *testing.T, text string) (results []string, calculations int) {
	label := regexp.MustCompile(`^  \S.*?  = `)
	value := ""
	for line := range strings.Lines(text) {
		starts := label.MatchString(line)
		_, formula, found := strings.Cut(line, "  = ")
		if !found {
			continue
		}
		if starts {
			value = ""
		}
		if regexp.MustCompile(`[A-Za-z]`).MatchString(strings.NewReplacer("floor(", "", "min(", "").Replace(formula)) {
			if number, _, isResult := strings.Cut(formula, " "); isResult && regexp.MustCompile(`^-?\d+$`).MatchString(number) {
				if value != "" {
					require.Equal(t, value, number, line)
				}
				checkUnits(t, strings.TrimSpace(formula))
				results = append(results, number)
			}
			continue
		}
		value = evaluate(t, strings.TrimSpace(formula), nil)
		calculations++
	}
	return results, calculations
}

// checkUnits compares "N wei = X GLMR" and "N wei per gas = X Gwei".
func checkUnits(t *testing.T, line string) {
	n, x, found := strings.Cut(line, " = ")
	if !found {
		return
	}
	have, ok := new(big.Rat).SetString(strings.Fields(n)[0])
	require.True(t, ok, line)
	want, ok := new(big.Rat).SetString(strings.Fields(x)[0])
	require.True(t, ok, line)
	scale := int64(1_000_000_000)
	want.Mul(want, new(big.Rat).SetInt64(scale))
	if strings.HasSuffix(x, "GLMR") {
		want.Mul(want, new(big.Rat).SetInt64(scale))
	}
	require.Zero(t, have.Cmp(want), line)
}

// evaluate computes a formula with math/big: names, numbers, + − × / ^, min( ) and
// floor( ). The result must be a whole number.
func evaluate(t *testing.T, formula string, names map[string]string) string {
	e := evaluator{t, formula, names}
	result := e.sum()
	require.Empty(t, e.rest, formula)
	require.True(t, result.IsInt(), "%s = %v", formula, result)
	return result.Num().String()
}

type evaluator struct {
	t     *testing.T
	rest  string
	names map[string]string
}

func (e *evaluator) take(token string) bool {
	trimmed := strings.TrimLeft(e.rest, " ")
	if !strings.HasPrefix(trimmed, token) {
		return false
	}
	e.rest = strings.TrimLeft(trimmed[len(token):], " ")
	return true
}

func (e *evaluator) sum() *big.Rat {
	result := e.product()
	for {
		switch {
		case e.take("+"):
			result.Add(result, e.product())
		case e.take("−"):
			result.Sub(result, e.product())
		default:
			return result
		}
	}
}

func (e *evaluator) product() *big.Rat {
	result := e.power()
	for {
		switch {
		case e.take("×"):
			result.Mul(result, e.power())
		case e.take("/"):
			result.Quo(result, e.power())
		default:
			return result
		}
	}
}

func (e *evaluator) power() *big.Rat {
	result := e.operand()
	if e.take("^") {
		result.SetInt(new(big.Int).Exp(result.Num(), e.operand().Num(), nil))
	}
	return result
}

func (e *evaluator) operand() *big.Rat {
	switch {
	case e.take("floor("):
		inside := e.sum()
		require.True(e.t, e.take(")"))
		return new(big.Rat).SetInt(new(big.Int).Div(inside.Num(), inside.Denom()))
	case e.take("min("):
		a := e.sum()
		require.True(e.t, e.take(","))
		b := e.sum()
		require.True(e.t, e.take(")"))
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	case e.take("("):
		inside := e.sum()
		require.True(e.t, e.take(")"))
		return inside
	}
	text := regexp.MustCompile(`^[\w ]*\w`).FindString(e.rest)
	if named, ok := e.names[text]; ok {
		e.take(text)
		text = named
	} else {
		e.take(text)
	}
	n, ok := new(big.Rat).SetString(text)
	require.True(e.t, ok, "%q in a formula", text)
	return n
}
