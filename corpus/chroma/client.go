package chroma

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// DefaultDatabase is the database of a scope that names none.
const DefaultDatabase = "in-app-agent"

// MinVersion is the oldest version of the server's API that is spoken to: before it,
// answers do not name the tenant and the database of a collection reliably.
const MinVersion = 1

// maxAnswer bounds the bytes of one answer.
const maxAnswer = 64 << 20

// Config says where the server is.
type Config struct {
	// URL is the server's address, without /api/v2.
	URL string
	// Tenant, when set, is the only tenant that is reached: another one is empty.
	Tenant string
	// Database is the one of scopes that name none; "" means DefaultDatabase.
	Database string
	// Token, when it has a value, is sent as a bearer token.
	Token agent.Secret
	// Embedder makes the vectors; without it words alone rank, and nothing can be put.
	Embedder agent.Embedder
	// HTTP reaches the server and nothing else.
	HTTP *http.Client
}

// Corpus is a Chroma server. It is safe for concurrent use.
type Corpus struct {
	cfg     Config
	base    string
	checked atomic.Bool // that the version is new enough
}

var _ agent.Finder = (*Corpus)(nil)

// New makes a corpus and asks the server nothing yet. Errors: invalid_input (the
// configuration).
func New(cfg Config) (*Corpus, error) {
	if cfg.Database == "" {
		cfg.Database = DefaultDatabase
	}
	u, err := url.Parse(cfg.URL)
	probe := agent.Scope{Tenant: orElse(cfg.Tenant, agent.GlobalTenant), Database: cfg.Database, Collection: agent.CollectionSessions}
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil:
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "The address of the Chroma server is not usable.",
			Hint: "corpus.url must look like http://127.0.0.1:8000."}
	case probe.Check() != nil || len(cfg.Database) < 3:
		return nil, &agent.Error{Code: agent.CodeInvalidInput, Message: "corpus.tenant or corpus.database is no name that can be used.",
			Hint: "A tenant is client__SLUG or a plain word, a database a plain word of three letters or more."}
	case cfg.HTTP == nil:
		return nil, agent.Errorf(agent.CodeInvalidInput, "The corpus has no HTTP client.")
	}
	return &Corpus{cfg: cfg, base: strings.TrimSuffix(cfg.URL, "/") + "/api/v2"}, nil
}

// Check asks the server for its version. Errors: unavailable.
func (c *Corpus) Check(ctx context.Context) error {
	if c.checked.Load() {
		return nil
	}
	var version string
	if err := c.call(ctx, http.MethodGet, "/version", nil, &version); err != nil {
		return trouble(err)
	}
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < MinVersion {
		return &agent.Error{Code: agent.CodeUnavailable, Message: "The Chroma server is too old.",
			Hint:  fmt.Sprintf("Version %d of its API is needed: chromadb 1.0 or newer.", MinVersion),
			Cause: fmt.Errorf("chroma: the server says version %q", outbound.Scrub(version, c.cfg.Token))}
	}
	c.checked.Store(true)
	return nil
}

// statusError is an answer that is no success.
type statusError struct {
	status int
	words  string
}

func (e *statusError) Error() string { return fmt.Sprintf("chroma: status %d: %s", e.status, e.words) }

func hasStatus(err error, status int) bool {
	var s *statusError
	return errors.As(err, &s) && s.status == status
}

// call sends one request; an out that is nil leaves the answer unread.
func (c *Corpus) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if token := c.cfg.Token.Reveal(); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.cfg.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // the answer was read or is not needed
	if res.StatusCode >= http.StatusMultipleChoices {
		words, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
		return &statusError{res.StatusCode, outbound.Scrub(string(words), c.cfg.Token)}
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(raw) > maxAnswer {
		return errors.New("chroma: the answer is larger than allowed")
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("chroma: the answer to %s %s cannot be read: %w", method, path, err)
	}
	return nil
}

// trouble turns an error into ours. The end of the caller's context stays what it is.
func trouble(err error) error {
	var ours *agent.Error
	switch {
	case err == nil || errors.As(err, &ours) || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return agent.Wrap(agent.CodeTimeout, err, "The corpus took too long.")
	}
	return &agent.Error{Code: agent.CodeUnavailable, Message: "The corpus cannot be reached right now.",
		Hint: "The operator can look whether the Chroma server runs; the log has its answer.", Cause: err}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
