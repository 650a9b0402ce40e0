package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Egress is the record of one request: where it went, what for and how much.
// The principal on whose behalf it went is in the context handed along.
type Egress struct {
	Host     string // as the policy names it
	Purpose  string
	Status   int // 0 when no answer came
	BytesOut int64
	BytesIn  int64
	At       time.Time // when the request was sent
}

// ErrTooMuch is what reading a body past the policy's MaxResponse gives.
var ErrTooMuch = errors.New("outbound: the answer is larger than allowed")

type purposeKey struct{}

// WithPurpose says what the requests of a context are for, in a short word.
func WithPurpose(ctx context.Context, purpose string) context.Context {
	return context.WithValue(ctx, purposeKey{}, purpose)
}

// meter counts one request and records it once.
type meter struct {
	record  func(context.Context, Egress)
	ctx     context.Context
	egress  Egress
	out, in atomic.Int64
	once    sync.Once
}

func (g *gate) meter(req *http.Request) *meter {
	purpose, _ := req.Context().Value(purposeKey{}).(string)
	if purpose == "" {
		purpose = g.policy.Purpose
	}
	return &meter{
		record: g.policy.Record,
		ctx:    req.Context(),
		egress: Egress{Host: authority(req.URL), Purpose: purpose, At: g.policy.Now()},
	}
}

func (m *meter) finish(status int) {
	m.once.Do(func() {
		if m.record == nil {
			return
		}
		e := m.egress
		e.Status, e.BytesOut, e.BytesIn = status, m.out.Load(), m.in.Load()
		m.record(m.ctx, e)
	})
}

func (m *meter) request(body io.ReadCloser) io.ReadCloser {
	if body == nil || body == http.NoBody {
		return body
	}
	return &countedRequest{ReadCloser: body, n: &m.out}
}

func (m *meter) response(body io.ReadCloser, status int, limit int64) io.ReadCloser {
	return &countedResponse{ReadCloser: body, m: m, status: status, limit: limit}
}

type countedRequest struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c *countedRequest) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

type countedResponse struct {
	io.ReadCloser
	m      *meter
	status int
	limit  int64
}

func (c *countedResponse) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if total := c.m.in.Add(int64(n)); c.limit > 0 && total > c.limit {
		return 0, ErrTooMuch
	}
	if err != nil {
		c.m.finish(c.status)
	}
	return n, err
}

func (c *countedResponse) Close() error {
	err := c.ReadCloser.Close()
	c.m.finish(c.status)
	return err
}
