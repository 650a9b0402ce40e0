// Package openai is the socket of OpenAI's two APIs, Responses and Chat
// Completions, and of every server that speaks the latter (Groq, Ollama,
// llama.cpp, vLLM). It turns one step of ours into one streamed request and what
// comes back into deltas. It never retries, reads nothing from the environment
// and keeps nothing between two calls.
package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// ID is the provider id where Config names none.
const ID = "openai"

// The two APIs.
const (
	APIChat      = "chat"
	APIResponses = "responses"
)

// The address and the limits of a call where Config leaves them empty.
const (
	DefaultBaseURL = "https://api.openai.com/v1/"
	DefaultIdle    = 60 * time.Second // without content; comments are none
	DefaultTotal   = 10 * time.Minute
)

// Config says how to reach a server.
type Config struct {
	// ProviderID is what raw blocks and errors are marked with; "" means ID.
	ProviderID string
	// BaseURL is the address before /chat/completions; "" means OpenAI's own.
	BaseURL string
	// API is APIChat or APIResponses; "" means Responses at OpenAI itself and Chat
	// Completions anywhere else.
	API string
	// HTTP sends the requests; nil means http.DefaultClient. A server hands in a
	// client that may reach the allowed hosts only.
	HTTP *http.Client
	// Idle ends a call that brings no content for so long; Total ends every call.
	// Zero means the defaults; a negative limit is none.
	Idle, Total time.Duration
	// Now is the clock that dates in answers are compared with; nil means time.Now.
	Now func() time.Time
}

// Model is an agent.Model that any number of goroutines may use at once.
type Model struct {
	config    Config
	own       bool // the server is OpenAI's
	chat      sdk.ChatCompletionService
	responses responses.ResponseService
}

var _ agent.Model = (*Model)(nil)

// New makes the model. It opens no connection.
func New(c Config) *Model {
	if c.ProviderID == "" {
		c.ProviderID = ID
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultBaseURL
	}
	own := strings.HasPrefix(c.BaseURL+"/", "https://api.openai.com/")
	if c.API == "" {
		c.API = APIChat
		if own {
			c.API = APIResponses
		}
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	if c.Idle == 0 {
		c.Idle = DefaultIdle
	}
	if c.Total == 0 {
		c.Total = DefaultTotal
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	// The services are made one by one: the SDK's NewClient reads organisation,
	// project and headers from the environment into every user's calls.
	opts := []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0),
		option.WithMiddleware(outbound.Guard),
	}
	return &Model{
		config:    c,
		own:       own,
		chat:      sdk.NewChatCompletionService(opts...),
		responses: responses.NewResponseService(opts...),
	}
}

// Stream asks for one step; see agent.Model for what it yields and which errors.
func (m *Model) Stream(ctx context.Context, req agent.ModelRequest) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		watch := outbound.NewWatch(outbound.WithPurpose(ctx, req.Purpose), m.config.Idle, m.config.Total)
		defer watch.Stop()
		if err := m.run(watch, req, yield); err != nil {
			yield(agent.Delta{}, err)
		}
	}
}

// reader puts the events of one of the APIs together.
type reader interface {
	// apply takes one event and leaves what is to be told in the assembly.
	apply(ssestream.Event) error
	// end is asked when the stream is over: the answer, where it is complete.
	end() (*agent.Answer, error)
}

// run yields the deltas of one call. The error that it gives is still to be
// yielded; none is left when the consumer stopped or the answer is complete.
func (m *Model) run(watch *outbound.Watch, req agent.ModelRequest, yield func(agent.Delta, error) bool) error {
	failure := outbound.Failure{Provider: m.config.ProviderID, Key: req.Key, Model: req.Model}
	res, err := m.send(watch.Context(), req)
	if res != nil && res.Body != nil {
		defer func() { watch.Stop(); _ = res.Body.Close() }()
	}
	if refusal := m.refused(watch, failure, res, err); refusal != nil {
		return refusal
	}
	failure.RequestID = res.Header.Get("x-request-id")
	events := ssestream.NewDecoder(res)
	a := &assembly{failure: failure}
	var read reader = &chatReader{assembly: a}
	if m.config.API == APIResponses {
		read = &responsesReader{assembly: a}
	}
	for !a.over && events.Next() {
		if err := read.apply(events.Event()); err != nil {
			return err
		}
		if a.worth {
			watch.Progress()
			a.worth = false
		}
		if !a.tell(watch, yield) {
			return nil
		}
	}
	if watch.Canceled() != nil {
		return failure.Broken(watch, events.Err())
	}
	answer, err := read.end()
	switch {
	case err != nil:
		return err
	case answer == nil:
		return failure.Broken(watch, cut(events.Err()))
	case !a.tell(watch, yield):
		return nil
	}
	watch.Drain(res.Body)
	yield(agent.Delta{Kind: agent.DeltaDone, Answer: answer}, nil)
	return nil
}

// send makes the request. The body replaces what the SDK would write, so that
// the same step is always the same bytes; the SDK's own stream is not read, its
// decoder is.
func (m *Model) send(ctx context.Context, req agent.ModelRequest) (*http.Response, error) {
	var res *http.Response
	opts := []option.RequestOption{option.WithResponseInto(&res)}
	if !req.Key.Empty() {
		opts = append(opts, option.WithAPIKey(req.Key.Reveal()))
	}
	var err error
	if m.config.API == APIResponses {
		opts = append(opts, option.WithRequestBody("application/json", m.responsesBody(req)))
		err = m.responses.NewStreaming(ctx, responses.ResponseNewParams{}, opts...).Err()
	} else {
		opts = append(opts, option.WithRequestBody("application/json", m.chatBody(req)))
		err = m.chat.NewStreaming(ctx, sdk.ChatCompletionNewParams{}, opts...).Err()
	}
	return res, err
}
