package money

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Pair states what a price is: units of Quote for 1 Base. Without a Base it is 1 of the network's token.
type Pair struct{ Base, Quote Currency }

// String returns the pair as GLMR/USD.
func (p Pair) String() string {
	if p.Base == "" {
		return "token/" + string(p.Quote)
	}
	return string(p.Base) + "/" + string(p.Quote)
}

var pairForm = regexp.MustCompile(`^([A-Z0-9]{2,10})/([A-Z]{3,5})$`)

// ParsePair parses a pair such as GLMR/USD.
func ParsePair(text string) (Pair, error) {
	match := pairForm.FindStringSubmatch(text)
	if match == nil {
		return Pair{}, fmt.Errorf("pair %q must be a token and a currency, such as TOKEN/USD", text)
	}
	_, err := ParseCurrency(match[2])
	return Pair{Currency(match[1]), Currency(match[2])}, err
}

// moneyCodes are the codes that prices can be in: those of ISO 4217, those that the ECB has published, and the crypto
// currencies that exchanges quote in. USDT is not USD.
var moneyCodes = strings.Fields(`
	AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNY COP CRC
	CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD
	JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
	NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS
	TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
	CYP EEK HRK LTL LVL MTL ROL SIT SKK TRL
	USDT USDC DAI BUSD TUSD FDUSD EURC EURT BTC ETH`)

func isMoney(code string) bool { return slices.Contains(moneyCodes, code) }

// pairIn finds the pair at the beginning of a text such as glmr-usd-max, GLMR/USD or GLMREUR_1440. A text that can be
// read as two pairs has none: GLMRBUSD ends with BUSD and with USD.
func pairIn(text string) (pair Pair, ok bool) {
	words := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var found []Pair
	if len(words) > 1 && isMoney(words[1]) {
		found = append(found, Pair{Currency(words[0]), Currency(words[1])})
	} else if len(words) > 0 {
		for _, code := range moneyCodes {
			if base, ends := strings.CutSuffix(words[0], code); ends && len(base) > 1 {
				found = append(found, Pair{Currency(base), Currency(code)})
			}
		}
	}
	if len(found) != 1 || !pairForm.MatchString(found[0].String()) {
		return Pair{}, false
	}
	return found[0], true
}

// pairOfFile finds the pair in the name of a file.
func pairOfFile(name string) (Pair, bool) { return pairIn(strings.TrimSuffix(name, path.Ext(name))) }
