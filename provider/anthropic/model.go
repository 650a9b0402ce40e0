// Package anthropic is the socket of Anthropic's Messages API: it turns one
// step of ours into one streamed request and what comes back into deltas. It
// never retries, reads nothing from the environment and keeps nothing between
// two calls.
package anthropic

import (
	"context"
	"iter"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/ssestream"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// ID is the provider id that this adapter marks its raw blocks and errors with.
const ID = "anthropic"

// The limits of a call where Config leaves them at zero.
const (
	DefaultIdle      = 60 * time.Second // without content; pings are none
	DefaultTotal     = 10 * time.Minute
	DefaultMaxTokens = 8192 // the API wants a number
)

// Config says how to reach the API.
type Config struct {
	// BaseURL is the address before /v1/messages; "" means Anthropic's own.
	BaseURL string
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
	config Config
	client sdk.Client
}

var _ agent.Model = (*Model)(nil)

// New makes the model. It opens no connection.
func New(c Config) *Model {
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
	opts := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithHTTPClient(c.HTTP),
		option.WithMaxRetries(0),
		option.WithMiddleware(outbound.Guard),
	}
	if c.BaseURL != "" {
		opts = append(opts, option.WithBaseURL(c.BaseURL))
	}
	return &Model{config: c, client: sdk.NewClient(opts...)}
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

// run yields the deltas of one call. The error that it gives is still to be
// yielded; none is left when the consumer stopped or the answer is complete.
func (m *Model) run(watch *outbound.Watch, req agent.ModelRequest, yield func(agent.Delta, error) bool) error {
	failure := outbound.Failure{Provider: ID, Key: req.Key, Model: req.Model}
	res, err := m.send(watch.Context(), req)
	if err != nil {
		return m.refused(watch, failure, err)
	}
	defer func() { watch.Stop(); _ = res.Body.Close() }()
	failure.RequestID = res.Header.Get("request-id")
	if isJSON(res.Header) {
		return insteadOfStream(failure, res.Body)
	}
	events := ssestream.NewDecoder(res)
	var answer assembly
	for events.Next() {
		delta, worth, err := answer.apply(events.Event(), failure)
		if err != nil {
			return err
		}
		if worth {
			watch.Progress()
		}
		if delta.Kind == "" {
			continue
		}
		if delta.Kind == agent.DeltaDone {
			watch.Drain(res.Body)
			yield(delta, nil)
			return nil
		}
		watch.Pause()
		if !yield(delta, nil) {
			return nil
		}
		watch.Progress()
	}
	return failure.Broken(watch, cut(events.Err()))
}

func (m *Model) send(ctx context.Context, req agent.ModelRequest) (*http.Response, error) {
	var opts []option.RequestOption
	if !req.Key.Empty() {
		opts = append(opts, option.WithAPIKey(req.Key.Reveal()))
	}
	var res *http.Response
	err := m.client.Post(ctx, "v1/messages", body(req), &res, opts...)
	return res, err
}
