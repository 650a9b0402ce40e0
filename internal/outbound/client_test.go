package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// reach makes a client that may reach the servers given, and the records of it.
func reach(t *testing.T, p Policy, servers ...*httptest.Server) (*http.Client, *[]Egress) {
	t.Helper()
	var records []Egress
	p.Record = func(_ context.Context, e Egress) { records = append(records, e) }
	for _, s := range servers {
		host, err := HostOf(s.URL, true)
		if err != nil {
			t.Fatal(err)
		}
		p.Hosts = append(p.Hosts, host)
	}
	client := NewClient(p)
	t.Cleanup(client.CloseIdleConnections)
	return client, &records
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

func TestARecordSaysWhatWentWhereAndWhatFor(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "12345")
	})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	client, records := reach(t, Policy{Purpose: "other", Now: func() time.Time { return at }}, server)
	for _, purpose := range []string{"step", ""} {
		req, err := http.NewRequestWithContext(WithPurpose(t.Context(), purpose), http.MethodPost, server.URL, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(res.Body); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
	want := Egress{Host: strings.TrimPrefix(server.URL, "http://"), Purpose: "step", Status: http.StatusTeapot, BytesOut: 5, BytesIn: 5, At: at}
	if len(*records) != 2 || (*records)[0] != want {
		t.Fatalf("the records are %+v, want %+v first", *records, want)
	}
	if got := (*records)[1].Purpose; got != "other" {
		t.Errorf("the purpose is %q, want the policy's", got)
	}
}

func TestARequestThatFailsIsRecordedOnce(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	client, records := reach(t, Policy{}, server)
	if _, err := client.Post(server.URL, "text/plain", strings.NewReader("hello")); err == nil {
		t.Fatal("the call succeeded")
	}
	if len(*records) != 1 || (*records)[0].Status != 0 {
		t.Errorf("the records are %+v", *records)
	}
}

func TestAnAnswerThatIsNotReadToItsEndIsRecordedWhenItIsClosed(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "12345") })
	client, records := reach(t, Policy{}, server)
	res, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Body.Read(make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	if len(*records) != 0 {
		t.Errorf("the record came before the end: %+v", *records)
	}
	_ = res.Body.Close()
	_ = res.Body.Close()
	if len(*records) != 1 || (*records)[0].BytesIn != 2 {
		t.Errorf("the records are %+v, want one of 2 bytes", *records)
	}
}

func TestARedirectToAnotherHostIsRefusedAndCarriesNoKey(t *testing.T) {
	reached := false
	thief := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	})
	client, _ := reach(t, Policy{}, server, thief)
	_, err := client.Post(server.URL, "text/plain", strings.NewReader("hello"))
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("the error is %v", err)
	}
	if reached {
		t.Error("the other host was reached")
	}
}

func TestRedirectsOnTheSameHostAreFollowedUpToALimit(t *testing.T) {
	hops := 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if hops > 0 {
			hops--
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "there")
	})
	client, _ := reach(t, Policy{}, server)
	for n, works := range map[int]bool{1: true, MaxRedirects: true, MaxRedirects + 1: false} {
		hops = n
		res, err := client.Get(server.URL)
		if (err == nil) != works {
			t.Errorf("%d redirects: %v, want success %v", n, err, works)
		}
		if err == nil {
			_ = res.Body.Close()
		}
	}
}

func TestAnAnswerIsBoundedWhereThePolicySaysSo(t *testing.T) {
	for size, fits := range map[int]bool{9: true, 10: true, 11: false} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", size)) })
		client, _ := reach(t, Policy{MaxResponse: 10}, server)
		res, err := client.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
		if (err == nil) != fits || (err != nil && !errors.Is(err, ErrTooMuch)) {
			t.Errorf("%d bytes: %v, want success %v", size, err, fits)
		}
	}
}

func TestHeadersThatDoNotComeEndTheCall(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	client, _ := reach(t, Policy{HeaderTimeout: 20 * time.Millisecond}, server)
	if _, err := client.Get(server.URL); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("the error is %v, want a timeout", err)
	}
}

func TestNothingOfTheEnvironmentAndNoCompressionIsUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	var encoding string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { encoding = r.Header.Get("Accept-Encoding") })
	client, _ := reach(t, Policy{}, server)
	res, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if encoding != "" {
		t.Errorf("the client asks for %q", encoding)
	}
}

func TestAPrivateHostMustBeNamedAsOne(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	host, err := HostOf(server.URL, false)
	if err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if _, err := NewClient(Policy{Hosts: []Host{host}}).Get(server.URL); !errors.As(err, &refused) {
		t.Errorf("the error is %v, want a refusal", err)
	}
}

func TestAHostEntryIsMadeFromABaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.anthropic.com":           "api.anthropic.com",
		"https://API.OpenAI.com:443/v1/":      "api.openai.com",
		"http://localhost:11434/v1":           "localhost:11434",
		"http://[::1]:8080/":                  "[::1]:8080",
		"https://[2606:4700:4700::1111]/path": "[2606:4700:4700::1111]",
	} {
		if got, err := HostOf(base, true); err != nil || got.Name != want {
			t.Errorf("%s becomes %+v, %v; want %s", base, got, err, want)
		}
	}
	for _, base := range []string{"", "api.anthropic.com", "ftp://x/", "https://user:pw@x.test/", "https://0x7f.1/", "://", "https://x.test./"} {
		if got, err := HostOf(base, true); err == nil {
			t.Errorf("%q becomes %+v, want a refusal", base, got)
		}
	}
}
