package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// embedding is an embedding endpoint that keeps what it was asked.
func embedding(t *testing.T) (url string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var seen strings.Builder
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var out struct {
			Data []vector `json:"data"`
		}
		mu.Lock()
		defer mu.Unlock()
		for i, text := range body.Input {
			seen.WriteString(text + "\n")
			out.Data = append(out.Data, vector{i, []float64{1, 0, 0, 0}})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() string {
		mu.Lock()
		defer mu.Unlock()
		return seen.String()
	}
}

// strict has one policy for every org but one that has none.
type strict struct{}

func (strict) Policy(context.Context) (agent.OrgPolicy, error) {
	return agent.OrgPolicy{Redaction: agent.RedactionPolicy{Kinds: []agent.RedactionKind{agent.RedactEmail, agent.RedactSecret}}}, nil
}

func TestAnEmbeddingEndpointNeverSeesWhatTheOrgKeeps(t *testing.T) {
	const mail, key = "ada@example.com", "sk-ant-api03-abcDEF123456ghiJKL789012"
	inOrg := agent.WithPrincipal(t.Context(), agent.Principal{UserID: "u", OrgID: "o"})
	for name, c := range map[string]struct {
		ctx      context.Context
		policies agent.Policies
		sees     bool // the address
	}{"by the org's policy": {inOrg, strict{}, false}, "a text that is nobody's": {t.Context(), strict{}, true}, "where no org is known": {inOrg, nil, true}} {
		t.Run(name, func(t *testing.T) {
			url, asked := embedding(t)
			e, err := (&Embed{BaseURL: url, Model: "m", Dimensions: 4}).open(nil, c.policies)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Embed(c.ctx, []string{"write to " + mail + " with " + key, "again " + mail}); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(asked(), key) || strings.Contains(asked(), mail) != c.sees || !c.sees && strings.Count(asked(), "[EMAIL_1]") != 2 {
				t.Errorf("it was asked for %q", asked())
			}
		})
	}
}
