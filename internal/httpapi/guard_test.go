package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestOnlyTheConfiguredHostsAreAnswered(t *testing.T) {
	d := newDesk(t, func(c *Config) { c.Hosts = []string{"127.0.0.1:8787", "localhost:8787"} })
	for h, want := range map[string]int{
		"127.0.0.1:8787": 200, "localhost:8787": 200, "LOCALHOST:8787": 200,
		"localhost": 421, "127.0.0.1": 421, "127.0.0.1:8788": 421, "evil.example": 421, "localhost.:8787": 421,
		"evil.localhost:8787": 421, "": 421, "127.0.0.1:8787,evil": 421, "[::1]:8787": 421,
	} {
		r := request("GET", "/capabilities", "")
		r.Host = h
		rec := d.do(r)
		if rec.Code != want {
			t.Errorf("%q: %d", h, rec.Code)
		}
		if want == 421 {
			problem(t, rec)
		}
	}
}

func TestAServerWithoutHostsAnswersNobody(t *testing.T) {
	d := newDesk(t, func(c *Config) { c.Hosts = nil })
	if rec := d.do(request("GET", "/capabilities", "")); rec.Code != 421 {
		t.Errorf("%d", rec.Code)
	}
}

func TestAChangeMustComeFromOurOwnOrigin(t *testing.T) {
	cases := []struct {
		name   string
		header map[string]string
		cookie bool
		want   int
	}{
		{"a page of ours", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://" + host}, true, 202},
		{"a page of ours over TLS at a proxy", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "https://" + host}, true, 202},
		{"an older browser", map[string]string{"Origin": "http://" + host}, true, 202},
		{"the address bar", map[string]string{"Sec-Fetch-Site": "none"}, true, 202},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, true, 403},
		{"another site with a bearer", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false, 403},
		{"a sibling host", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://" + host}, true, 403},
		{"another origin in an older browser", map[string]string{"Origin": "https://evil.example"}, true, 403},
		{"another port", map[string]string{"Origin": "http://" + host + ":81"}, true, 403},
		{"our name in front of theirs", map[string]string{"Origin": "http://" + host + ".evil.example"}, true, 403},
		{"another scheme", map[string]string{"Origin": "app://" + host}, true, 403},
		{"an opaque origin", map[string]string{"Origin": "null"}, true, 403},
		{"an origin that lies about the site", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"}, true, 403},
		{"a word that no browser says", map[string]string{"Sec-Fetch-Site": "Same-Origin"}, true, 403},
		{"a cookie of no browser", nil, true, 403},
		{"a program with a bearer", nil, false, 202},
		{"a named origin", map[string]string{"Origin": "http://localhost:5173"}, true, 202},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, func(c *Config) { c.Origins = []string{"http://localhost:5173"} })
			d.agent.put("tn1", agent.TurnRunning)
			r := request("POST", "/turns/tn1/cancel", "")
			if c.cookie {
				r.Header.Del("Authorization")
				r.AddCookie(&http.Cookie{Name: "session", Value: "alice"})
			}
			for k, v := range c.header {
				r.Header.Set(k, v)
			}
			rec := d.do(r)
			if rec.Code != c.want || (len(d.agent.stopped) == 1) != (c.want == 202) {
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
			if c.want == 403 && problem(t, rec).Code != agent.CodeForbidden {
				t.Errorf("%s", rec.Body)
			}
		})
	}
}

func TestAForeignPageCannotReadOrEmbed(t *testing.T) {
	for _, c := range []struct {
		site, mode string
		want       int
	}{{"same-origin", "cors", 200}, {"", "", 200}, {"none", "navigate", 200}, {"cross-site", "navigate", 200},
		{"cross-site", "no-cors", 403}, {"same-site", "cors", 403}, {"cross-site", "", 403}} {
		r := request("GET", "/capabilities", "")
		r.Header.Set("Sec-Fetch-Site", c.site)
		r.Header.Set("Sec-Fetch-Mode", c.mode)
		rec := newDesk(t).do(r)
		if rec.Code != c.want {
			t.Errorf("%+v: %d", c, rec.Code)
		}
		if rec.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Error("an answer opens itself to another origin")
		}
	}
}

func TestEveryAnswerIsHardened(t *testing.T) {
	d := newDesk(t)
	for _, r := range []*http.Request{
		request("GET", "/capabilities", ""), request("GET", "/nothing", ""), as("", request("GET", "/keys", "")),
		request("PUT", "/keys", ""), request("OPTIONS", "/chat", ""),
	} {
		h := d.do(r).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "X-Request-Id": "req_1",
		} {
			if h.Get(name) != want {
				t.Errorf("%s %s: %s is %q", r.Method, r.URL.Path, name, h.Get(name))
			}
		}
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("CSP %q", csp)
		}
	}
}

func TestAPanicEndsWithItsRequest(t *testing.T) {
	d := newDesk(t)
	d.ports.sawPanic = true
	rec := d.do(request("GET", "/threads", ""))
	p := problem(t, rec)
	if p.Status != 500 || p.Code != agent.CodeInternal || strings.Contains(rec.Body.String(), "fault") {
		t.Errorf("%s", rec.Body)
	}
	if log := d.log.String(); !strings.Contains(log, "a port with a fault") || !strings.Contains(log, "req_1") {
		t.Errorf("log %q", log)
	}
	d.ports.sawPanic = false
	if rec := d.do(request("GET", "/threads", "")); rec.Code != 200 {
		t.Errorf("the next request: %d", rec.Code)
	}
}

func TestAPanicInAnAnswerThatHasBegunCutsTheConnection(t *testing.T) {
	a := &api{log: newDesk(t).discard(), Config: Config{Hosts: []string{host}, IDs: func(string) string { return "req_1" }}}
	h := a.guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("half"))
		panic(errors.New("late"))
	}))
	defer func() {
		if v := recover(); v != http.ErrAbortHandler { //nolint:errorlint // the very value
			t.Errorf("the server was told %v", v)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), request("GET", "/x", ""))
	t.Error("the panic was swallowed")
}

func TestWhoIsNotClearlySomebodyIsNobody(t *testing.T) {
	d := newDesk(t)
	for name, check := range map[string]func(agent.Principal) (agent.Principal, error){
		"no user":  func(p agent.Principal) (agent.Principal, error) { p.UserID = ""; return p, nil },
		"no org":   func(p agent.Principal) (agent.Principal, error) { p.OrgID = ""; return p, nil },
		"an error": func(p agent.Principal) (agent.Principal, error) { return p, errors.New("secret reason") },
		"our error": func(p agent.Principal) (agent.Principal, error) {
			return p, agent.Errorf(agent.CodeUnauthenticated, "No.")
		},
	} {
		d.rule(check)
		rec := d.do(request("GET", "/capabilities", ""))
		p := problem(t, rec)
		if p.Status != 401 || rec.Header().Get("WWW-Authenticate") == "" || strings.Contains(rec.Body.String(), "secret") {
			t.Errorf("%s: %s", name, rec.Body)
		}
	}
	d.rule(func(p agent.Principal) (agent.Principal, error) {
		return p, agent.Errorf(agent.CodeUnavailable, "Away.")
	})
	if p := problem(t, d.do(request("GET", "/capabilities", ""))); p.Status != 503 {
		t.Errorf("a store that is away: %+v", p)
	}
}
