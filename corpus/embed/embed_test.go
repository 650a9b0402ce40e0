package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embed"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

const key = "sk-test-0123456789abcdef"

func asking(t *testing.T, handle http.HandlerFunc, change func(*embed.Config)) *embed.Embedder {
	t.Helper()
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	host, err := outbound.HostOf(srv.URL, true)
	if err != nil {
		t.Fatal(err)
	}
	cfg := embed.Config{BaseURL: srv.URL + "/v1/", Model: "m", Dimensions: 2, Key: agent.NewSecret(key),
		HTTP: outbound.NewClient(outbound.Policy{Hosts: []outbound.Host{host}})}
	if change != nil {
		change(&cfg)
	}
	e, err := embed.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestABatchIsAskedAndComesBackInOrderAtLengthOne(t *testing.T) {
	e := asking(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model      string
			Input      []string
			Dimensions int
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("asked %s: %v", r.URL.Path, err)
		}
		if in.Model != "m" || strings.Join(in.Input, "|") != "a|-" || in.Dimensions != 2 {
			t.Errorf("asked %+v", in)
		}
		fmt.Fprint(w, `{"data":[{"index":1,"embedding":[0,5]},{"index":0,"embedding":[3,4]}]}`)
	}, func(c *embed.Config) { c.Shorten = true })
	got, err := e.Embed(context.Background(), []string{"a", " "})
	if err != nil || fmt.Sprint(got) != "[[0.6 0.8] [0 1]]" || e.Model() != (agent.EmbeddingModel{Name: "m", Dimensions: 2}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAnAnswerThatIsNotWhatWasAskedIsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"no JSON": `<html>`, "nothing": `{}`, "too few": `{"data":[{"index":0,"embedding":[1,0]}]}`,
		"twice the same":     `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`,
		"beyond the batch":   `{"data":[{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}]}`,
		"another size":       `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}]}`,
		"no direction":       `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,0]}]}`,
		"one more than that": `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0]},{"index":1,"embedding":[1,0]}]}`,
	} {
		e := asking(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }, nil)
		if _, err := e.Embed(context.Background(), []string{"a", "b"}); agent.ErrorCode(err) != agent.CodeUnavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARefusalHasItsCodeAndNeverTheKey(t *testing.T) {
	for status, want := range map[int]agent.Code{401: agent.CodeKeyInvalid, 403: agent.CodeKeyInvalid, 404: agent.CodeInvalidInput, 400: agent.CodeInvalidInput,
		413: agent.CodeInvalidInput, 429: agent.CodeRateLimited, 500: agent.CodeUnavailable, 503: agent.CodeUnavailable, 504: agent.CodeTimeout, 302: agent.CodeUnavailable} {
		e := asking(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			fmt.Fprint(w, "no: "+r.Header.Get("Authorization"))
		}, nil)
		_, err := e.Embed(context.Background(), []string{"a"})
		var ours *agent.Error
		if agent.ErrorCode(err) != want || strings.Contains(fmt.Sprint(err), key) || !errors.As(err, &ours) {
			t.Errorf("%d: %v", status, err)
		}
		if want == agent.CodeRateLimited && ours.RetryAfter != 7*time.Second {
			t.Errorf("retry after %v", ours.RetryAfter)
		}
	}
}

func TestOneWhoGivesUpAndOneWhoIsLate(t *testing.T) {
	hold := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server hears of the end only behind the body
		<-r.Context().Done()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := asking(t, hold, nil).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := asking(t, hold, func(c *embed.Config) { c.Timeout = time.Millisecond }).Embed(context.Background(), []string{"a"}); agent.ErrorCode(err) != agent.CodeTimeout {
		t.Errorf("late: %v", err)
	}
	if _, err := asking(t, hold, nil).Embed(context.Background(), nil); agent.ErrorCode(err) != agent.CodeInvalidInput {
		t.Errorf("no text: %v", err)
	}
}

func TestAnEndpointMustBeDescribed(t *testing.T) {
	good := embed.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m", Dimensions: 8192, HTTP: http.DefaultClient}
	if _, err := embed.New(good); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*embed.Config){
		"no address": func(c *embed.Config) { c.BaseURL = "" }, "no model": func(c *embed.Config) { c.Model = "" }, "no client": func(c *embed.Config) { c.HTTP = nil },
		"no dimensions": func(c *embed.Config) { c.Dimensions = 0 }, "too many": func(c *embed.Config) { c.Dimensions = 8193 },
	} {
		bad := good
		change(&bad)
		if _, err := embed.New(bad); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
}
