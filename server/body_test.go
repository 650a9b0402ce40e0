package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestABodyThatDoesNotComeHoldsNoConnection(t *testing.T) {
	const limit = 100 * time.Millisecond
	for name, handler := range map[string]http.HandlerFunc{
		"nobody reads it": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"somebody reads it": func(w http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			if err == nil {
				t.Error("half a body was read without an error")
			}
		},
		"the answer begins before it": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "early")
			_ = http.NewResponseController(w).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(inTime(limit, handler))
			defer server.Close()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf"); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			begun := time.Now()
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("after %s the connection is not closed: %v", time.Since(begun), err)
			}
		})
	}
}

func TestABodyThatCameInTimeIsWorkedOnForAsLongAsItTakes(t *testing.T) {
	const limit = 50 * time.Millisecond
	server := httptest.NewServer(inTime(limit, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		timer := time.NewTimer(4 * limit)
		defer timer.Stop()
		select {
		case <-r.Context().Done():
			t.Error("the request was given up after its body had come")
		case <-timer.C:
		}
		_, _ = w.Write(body)
	})))
	defer server.Close()
	for range 2 { // the same connection serves the next request
		res, err := server.Client().Post(server.URL, "text/plain", strings.NewReader("all of it"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || string(got) != "all of it" {
			t.Errorf("answered %q, %v", got, err)
		}
	}
}
