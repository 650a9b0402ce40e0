package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// Base is the path that every operation of the API is under.
const Base = "/api/agent"

// User is a browser's session with a server: a cookie, and the headers that a
// browser adds. It outlives restarts of the server.
type User struct {
	Name   string
	server *Server
	cookie string
	tb     testing.TB
	http   *http.Client
}

// SignIn signs a user of the development login in.
func (s *Server) SignIn(name string) *User {
	s.tb.Helper()
	u := s.Anonymous()
	u.Name = name
	a := u.Must(http.StatusOK, "POST /api/dev/login", map[string]string{"user": name})
	u.cookie, _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if u.cookie == "" {
		s.tb.Fatalf("signing %s in set no cookie", name)
	}
	return u
}

// Anonymous gives a browser without a session.
func (s *Server) Anonymous() *User {
	s.tb.Helper()
	t := &http.Transport{MaxIdleConnsPerHost: 100}
	s.tb.Cleanup(t.CloseIdleConnections)
	return &User{server: s, tb: s.tb, http: &http.Client{Transport: t}}
}

// For gives the same user for a subtest.
func (u *User) For(tb testing.TB) *User {
	other := *u
	other.tb = tb
	return &other
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Problem is what an error answer tells.
type Problem struct {
	Status                                                    int
	Code                                                      agent.Code
	Message, Hint, Pointer, RequestID, KeyID, Provider, Panel string
	TurnID                                                    agent.TurnID
}

// Problem reads an error answer; the zero value where it is none.
func (a *Answer) Problem() (p Problem) {
	_ = json.Unmarshal(a.Body, &p)
	return p
}

// Into reads the body as JSON.
func (a *Answer) Into(tb testing.TB, into any) {
	tb.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil {
		tb.Fatalf("%v in %s", err, clip(a.Body))
	}
}

func (a *Answer) String() string { return fmt.Sprintf("%d %s", a.Status, clip(a.Body)) }

func clip(b []byte) string {
	if len(b) > 600 {
		return string(b[:600]) + "…"
	}
	return string(b)
}

// Change changes a request before it is sent.
type Change func(*http.Request)

// Set gives a change that sets a header; Host sets the request's host.
func Set(name, value string) Change {
	return func(r *http.Request) {
		if name == "Host" {
			r.Host = value
			return
		}
		r.Header.Set(name, value)
	}
}

// Drop gives a change that removes a header.
func Drop(name string) Change { return func(r *http.Request) { r.Header.Del(name) } }

// Send sends a request such as "POST /chat", a path below Base unless it begins
// with /api/ or is a health route. A body of bytes or a string goes as it is,
// anything else as JSON, nil is none.
func (u *User) Send(ctx context.Context, what string, body any, changes ...Change) (*Answer, error) {
	res, err := u.Open(ctx, what, body, changes...)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return &Answer{Status: res.StatusCode, Header: res.Header, Body: data}, err
}

// Open is Send for an answer that is read as it comes.
func (u *User) Open(ctx context.Context, what string, body any, changes ...Change) (*http.Response, error) {
	method, path, _ := strings.Cut(what, " ")
	if !strings.HasPrefix(path, "/api/") && path != "/healthz" && path != "/readyz" && path != "/" {
		path = Base + path
	}
	data, err := encode(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.server.URL+path, data)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Origin", u.server.URL)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if u.cookie != "" {
		req.Header.Set("Cookie", u.cookie)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, change := range changes {
		change(req)
	}
	res, err := u.http.Do(req)
	if err != nil {
		return nil, err
	}
	if !u.server.opts.Deaf {
		res.Body = &overheard{ReadCloser: res.Body, copy: u.server.heard}
	}
	return res, nil
}

func encode(body any) (io.Reader, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case string:
		return strings.NewReader(b), nil
	case []byte:
		return bytes.NewReader(b), nil
	}
	data, err := json.Marshal(body)
	return bytes.NewReader(data), err
}

// overheard copies what is read of a body.
type overheard struct {
	io.ReadCloser
	copy io.Writer
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	_, _ = o.copy.Write(p[:n])
	return n, err
}

// Do is Send that ends the test on an error of the connection.
func (u *User) Do(what string, body any, changes ...Change) *Answer {
	u.tb.Helper()
	a, err := u.Send(u.tb.Context(), what, body, changes...)
	if err != nil {
		u.tb.Fatalf("%s: %v", what, err)
	}
	return a
}

// Must is Do that ends the test on another status.
func (u *User) Must(status int, what string, body any, changes ...Change) *Answer {
	u.tb.Helper()
	a := u.Do(what, body, changes...)
	if a.Status != status {
		u.tb.Fatalf("%s answered %s, want %d", what, a, status)
	}
	return a
}

// Cookie gives the session as a Cookie header holds it; "" for nobody.
func (u *User) Cookie() string { return u.cookie }
