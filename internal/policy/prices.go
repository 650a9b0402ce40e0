package policy

import (
	"bytes"
	_ "embed" // the default price table
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// defaultPrices are the makers' list prices of the models that the project names.
//
//go:embed prices.json
var defaultPrices []byte

// maxPrice is a hundred dollars for a thousand tokens: a price above it is a mistake
// in the unit.
const maxPrice = int64(100_000_000)

// PriceTable is a price table; the zero value knows no price.
type PriceTable struct{ lines []priceLine }

var _ agent.Prices = PriceTable{}

type priceLine struct {
	provider, model string
	price           agent.Price
}

// DefaultPrices gives the table that is built in.
func DefaultPrices() PriceTable {
	t, err := ParsePrices(defaultPrices)
	if err != nil {
		panic("policy: the built-in price table: " + err.Error())
	}
	return t
}

// ParsePrices reads a price table: JSON, {"prices": [{"provider", "model", "input",
// "output", "cacheRead", "cacheWrite"}]}, prices in billionths of a US dollar a token,
// which are thousandths of a dollar for a million tokens. The model may be a glob, the
// provider may be absent; the first line that fits counts, one without a glob first.
// Errors: invalid_input with a pointer.
func ParsePrices(data []byte) (PriceTable, error) {
	var file struct {
		Prices []map[string]any `json:"prices"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return PriceTable{}, badPrices("", "The price table is not JSON of the expected form.", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return PriceTable{}, badPrices("", "Something follows the price table.", err)
	}
	var t PriceTable
	seen := map[[2]string]bool{}
	for i, raw := range file.Prices {
		line, err := priceLineOf(raw, fmt.Sprintf("/prices/%d", i))
		if err != nil {
			return PriceTable{}, err
		}
		key := [2]string{line.provider, line.model}
		if seen[key] {
			return PriceTable{}, badPrices(fmt.Sprintf("/prices/%d/model", i), "The model stands twice in the price table.", nil)
		}
		seen[key] = true
		t.lines = append(t.lines, line)
	}
	return t, nil
}

func priceLineOf(raw map[string]any, at string) (priceLine, error) {
	var line priceLine
	amounts := map[string]*agent.NanoUSD{"input": &line.price.Input, "output": &line.price.Output,
		"cacheRead": &line.price.CacheRead, "cacheWrite": &line.price.CacheWrite}
	for name, v := range raw {
		var ok bool
		switch name {
		case "provider":
			line.provider, ok = v.(string)
		case "model":
			line.model, ok = v.(string)
		default:
			amount, known := amounts[name]
			if !known {
				return line, badPrices(at+"/"+name, "That member is not known.", nil)
			}
			number, _ := v.(json.Number)
			n, err := number.Int64()
			ok = err == nil && n >= 0 && n <= maxPrice
			*amount = agent.NanoUSD(n)
		}
		if !ok {
			return line, badPrices(at+"/"+name, "A name must be text, a price a whole number of billionths of a dollar a token.", nil)
		}
	}
	if _, err := path.Match(line.model, ""); line.model == "" || err != nil {
		return line, badPrices(at+"/model", "The model must be a name or a glob.", err)
	}
	for name := range amounts {
		if _, ok := raw[name]; !ok {
			return line, badPrices(at+"/"+name, "The price is missing; write 0 where it is free.", nil)
		}
	}
	return line, nil
}

func badPrices(pointer, message string, cause error) error {
	return &agent.Error{Code: agent.CodeInvalidInput, Pointer: pointer, Message: message, Cause: cause,
		Hint: "The guide to operating a server shows a price table."}
}

// Price finds the price of a model.
func (t PriceTable) Price(provider, model string) (agent.Price, bool) {
	for _, glob := range []bool{false, true} {
		for _, l := range t.lines {
			if l.provider != "" && l.provider != provider || strings.ContainsAny(l.model, "*?[") != glob {
				continue
			}
			fits := l.model == model
			if glob {
				fits, _ = path.Match(l.model, model)
			}
			if fits {
				return l.price, true
			}
		}
	}
	return agent.Price{}, false
}
