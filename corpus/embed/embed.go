// Package embed makes vectors at any endpoint that speaks OpenAI's embeddings API:
// OpenAI itself, Ollama, llama.cpp, vLLM, text-embeddings-inference.
package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

const (
	maxAnswer      = 16 << 20
	defaultTimeout = 30 * time.Second
)

// Config says which model is asked and where.
type Config struct {
	// BaseURL is the address up to /v1; the texts go to BaseURL/embeddings.
	BaseURL string
	Model   string
	// Dimensions is what the model gives; an answer of another size is refused.
	Dimensions int
	// Shorten asks the endpoint for Dimensions members, where the model can give fewer
	// than it has.
	Shorten bool
	Key     agent.Secret
	HTTP    *http.Client
	// Timeout bounds one batch; 0 means 30 s.
	Timeout time.Duration
}

// Embedder asks an endpoint. It is safe for concurrent use.
type Embedder struct {
	cfg Config
	url string
}

var _ agent.Embedder = (*Embedder)(nil)

// New makes an embedder and asks nothing yet. Errors: invalid_input.
func New(cfg Config) (*Embedder, error) {
	if cfg.BaseURL == "" || cfg.Model == "" || cfg.Dimensions < 1 || cfg.Dimensions > 8192 || cfg.HTTP == nil {
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The embedding endpoint is not fully described.",
			Hint: "embed needs baseUrl, model and dimensions (1 to 8192), or a folder."}
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	return &Embedder{cfg: cfg, url: strings.TrimSuffix(cfg.BaseURL, "/") + "/embeddings"}, nil
}

// Model names the model and the size of its vectors.
func (e *Embedder) Model() agent.EmbeddingModel {
	return agent.EmbeddingModel{Name: e.cfg.Model, Dimensions: e.cfg.Dimensions}
}

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

type answer struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

// Embed asks for one batch and brings the vectors to length one.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := agent.CheckEmbed(texts); err != nil {
		return nil, err
	}
	ask := request{Model: e.cfg.Model, Input: make([]string, len(texts)), Format: "float"}
	for i, text := range texts {
		if ask.Input[i] = text; strings.TrimSpace(text) == "" {
			ask.Input[i] = "-" // an empty input is refused by most
		}
	}
	if e.cfg.Shorten {
		ask.Dimensions = e.cfg.Dimensions
	}
	limited, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	var a answer
	if err := e.post(limited, ask, &a); err != nil {
		return nil, e.trouble(ctx, err)
	}
	return e.vectors(a, len(texts))
}

func (e *Embedder) post(ctx context.Context, ask request, a *answer) error {
	raw, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if key := e.cfg.Key.Reveal(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := e.cfg.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // the answer was read or is not needed
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode >= http.StatusMultipleChoices:
		return e.failure(res, string(body))
	case err != nil:
		return err
	}
	if err := json.Unmarshal(body, a); err != nil {
		return fmt.Errorf("embed: the answer cannot be read: %w", err)
	}
	return nil
}

// failure words a refusal by its status.
func (e *Embedder) failure(res *http.Response, words string) error {
	code := outbound.StatusCode(res.StatusCode)
	out := agent.Wrap(code, fmt.Errorf("embed: status %d: %s", res.StatusCode, outbound.Scrub(words, e.cfg.Key)), "The embedding endpoint refused the request.")
	switch code {
	case agent.CodeKeyInvalid:
		out.Message, out.Hint = "The embedding endpoint did not accept the key.", "The operator can set IN_APP_AGENT_EMBED_KEY."
	case agent.CodeRateLimited:
		out.Message, out.RetryAfter = "The embedding endpoint limits how fast it is asked.", outbound.RetryAfter(res.Header, time.Now())
	case agent.CodeTimeout:
		out.Message = "The embedding endpoint did not answer in time."
	case agent.CodeInvalidInput, agent.CodeTooLarge:
		out.Code, out.Hint = agent.CodeInvalidInput, "The log has the endpoint's reason: often the name of the model."
	default:
		out.Code = agent.CodeUnavailable
	}
	return out
}

// trouble words what was no answer. A caller who gave up gets the own context's error.
func (e *Embedder) trouble(ctx context.Context, err error) error {
	var ours *agent.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ours):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return agent.Wrap(agent.CodeTimeout, err, "The embedding endpoint did not answer in time.")
	}
	return agent.Wrap(agent.CodeUnavailable, errors.New(outbound.Scrub(err.Error(), e.cfg.Key)), "The embedding endpoint cannot be reached.")
}

// vectors puts the answer into the order of the texts.
func (e *Embedder) vectors(a answer, n int) ([][]float32, error) {
	out := make([][]float32, n)
	for _, d := range a.Data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil || len(d.Embedding) != e.cfg.Dimensions || !unit(d.Embedding) {
			return nil, e.odd(fmt.Errorf("embed: a vector of %d members for text %d of %d", len(d.Embedding), d.Index, n))
		}
		out[d.Index] = d.Embedding
	}
	if len(a.Data) != n {
		return nil, e.odd(fmt.Errorf("embed: %d vectors for %d texts", len(a.Data), n))
	}
	return out, nil
}

func (e *Embedder) odd(cause error) error {
	out := agent.Wrap(agent.CodeUnavailable, cause, "The embedding endpoint answered in another form.")
	out.Hint = "Compare embed.dimensions with what the model gives."
	return out
}

// unit brings a vector to length one; false where it has none.
func unit(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}
