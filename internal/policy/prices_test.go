package policy

import (
	"errors"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheBuiltInTableKnowsTheModelsOfTheProject(t *testing.T) {
	table := DefaultPrices()
	for _, m := range [][2]string{
		{"anthropic", "claude-sonnet-4-6"}, {"anthropic", "claude-opus-4-6"}, {"anthropic", "claude-haiku-4-5"}, {"openai", "gpt-5.2"},
		{"openai", "gpt-5-mini"}, {"groq", "openai/gpt-oss-120b"}, {"groq", "llama-3.3-70b-versatile"},
	} {
		if price, known := table.Price(m[0], m[1]); !known || price.Input <= 0 || price.Output <= price.Input || price.CacheRead <= 0 || price.CacheWrite < price.Input {
			t.Errorf("%v: %+v, %v", m, price, known)
		}
	}
	if price, known := table.Price("scripted", "scripted"); !known || price != (agent.Price{}) {
		t.Errorf("the scripted model: %+v, %v", price, known)
	}
	for _, m := range [][2]string{{"anthropic", "claude-next"}, {"mine", "claude-sonnet-4-6"}, {"", ""}} {
		if price, known := table.Price(m[0], m[1]); known || price != (agent.Price{}) {
			t.Errorf("%v is said to cost %+v", m, price)
		}
	}
}

func TestAPlainNameStandsBeforeAGlobAndTheFirstLineCounts(t *testing.T) {
	table, err := ParsePrices([]byte(`{"prices":[
		{"provider":"a","model":"m-*","input":1,"output":2,"cacheRead":3,"cacheWrite":4},
		{"model":"m-*","input":9,"output":9,"cacheRead":9,"cacheWrite":9},
		{"provider":"a","model":"m-1","input":5,"output":6,"cacheRead":7,"cacheWrite":100000000}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		provider, model string
		input           agent.NanoUSD
		known           bool
	}{{"a", "m-1", 5, true}, {"a", "m-2", 1, true}, {"b", "m-1", 9, true}, {"b", "n", 0, false}} {
		if price, known := table.Price(c.provider, c.model); price.Input != c.input || known != c.known {
			t.Errorf("%s %s: %+v, %v", c.provider, c.model, price, known)
		}
	}
}

func TestATableThatIsWrongSaysWhere(t *testing.T) {
	const rest = `"output":1,"cacheRead":1,"cacheWrite":1}`
	for file, pointer := range map[string]string{
		``: "", `{`: "", `[]`: "", `{"prices":[]} {}`: "", `{"price":[]}`: "",
		`{"prices":[{"model":"m",` + rest + `]}`:                        "/prices/0/input",
		`{"prices":[{"model":"m","input":1.5,` + rest + `]}`:            "/prices/0/input",
		`{"prices":[{"model":"m","input":-1,` + rest + `]}`:             "/prices/0/input",
		`{"prices":[{"model":"m","input":100000001,` + rest + `]}`:      "/prices/0/input",
		`{"prices":[{"model":"m","input":"3",` + rest + `]}`:            "/prices/0/input",
		`{"prices":[{"model":"m","input":1,"cost":2,` + rest + `]}`:     "/prices/0/cost",
		`{"prices":[{"input":1,` + rest + `]}`:                          "/prices/0/model",
		`{"prices":[{"model":"[","input":1,` + rest + `]}`:              "/prices/0/model",
		`{"prices":[{"model":"m","provider":4,"input":1,` + rest + `]}`: "/prices/0/provider",
		`{"prices":[null]}`: "/prices/0/model",
		`{"prices":[{"model":"m","input":1,` + rest + `,{"model":"m","input":1,` + rest + `]}`: "/prices/1/model",
	} {
		_, err := ParsePrices([]byte(file))
		var ours *agent.Error
		if !errors.As(err, &ours) || ours.Code != agent.CodeInvalidInput || ours.Pointer != pointer || ours.Hint == "" {
			t.Errorf("%s: %v at %q", file, err, ours.Pointer)
		}
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add(defaultPrices, "anthropic", "claude-sonnet-4-6")
	f.Add([]byte(`{"prices":[{"model":"*","input":1,"output":1,"cacheRead":1,"cacheWrite":1}]}`), "", "x")
	f.Fuzz(func(t *testing.T, data []byte, provider, model string) {
		table, err := ParsePrices(data)
		if err != nil && agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Fatalf("%v", err)
		}
		price, known := table.Price(provider, model)
		for _, n := range []agent.NanoUSD{price.Input, price.Output, price.CacheRead, price.CacheWrite} {
			if n < 0 || n > agent.NanoUSD(maxPrice) || !known && n != 0 {
				t.Fatalf("%+v, %v", price, known)
			}
		}
	})
}
