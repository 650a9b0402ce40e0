package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/vault"
)

type anyHost struct{}

func (anyHost) OpenProject(_ context.Context, kind, id string) (agent.Project, error) {
	if id != "p" {
		return agent.Project{}, agent.NotFound("project")
	}
	return agent.Project{ID: id, Kind: kind, Title: "P"}, nil
}
func (anyHost) ResolveNoun(context.Context, agent.Project, string, string) (agent.Noun, error) {
	return agent.Noun{}, agent.NotFound("noun")
}
func (anyHost) Facts(context.Context, agent.Project) ([]agent.Fact, error) { return nil, nil }
func (anyHost) Suggestions(context.Context, agent.Project, string) ([]agent.Suggestion, error) {
	return nil, nil
}

func config(dir string) Config {
	return Config{App: "Test", Data: dir, Registry: capability.NewRegistry(), Host: anyHost{}, Dev: true,
		Scripted: scripted.New(scripted.NewScript(scripted.Round{Text: scripted.Text{"Hello."}}), scripted.Options{}),
		Hosts:    []string{"example.test"}, Origins: []string{"http://example.test"},
		Routes: func(signedIn func(http.Handler) http.Handler) http.Handler {
			return signedIn(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				p, _ := agent.PrincipalFrom(r.Context())
				_, _ = io.WriteString(w, "page of "+p.OrgSlug)
			}))
		}}
}

func open(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ask(s *Server, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://example.test"+path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

func signIn(t *testing.T, s *Server, user string) string {
	t.Helper()
	w := ask(s, "POST", "/api/dev/login", `{"user":"`+user+`"}`, "Content-Type", "application/json", "Origin", "http://example.test")
	if w.Code != 200 {
		t.Fatalf("login: %d %s", w.Code, w.Body)
	}
	return strings.SplitN(w.Header().Get("Set-Cookie"), ";", 2)[0]
}

func TestTheServerAnswersForItsOwnNamesOnlyAndToWhoIsSignedIn(t *testing.T) {
	s := open(t, config(t.TempDir()))
	cookie := signIn(t, s, "demo")
	for _, c := range []struct {
		name, path string
		headers    []string
		status     int
		body       string
	}{
		{"alive", "/healthz", nil, 200, "ok"},
		{"ready", "/readyz", nil, 200, "ready"},
		{"a page without a sign-in", "/page", nil, 401, "sign in"},
		{"a page", "/page", []string{"Cookie", cookie}, 200, "page of demo"},
		{"the API without a sign-in", "/api/agent/capabilities", nil, 401, "unauthenticated"},
		{"the API", "/api/agent/capabilities", []string{"Cookie", cookie}, 200, `"app":"Test"`},
		{"a rebound name", "/page", []string{"Host", "evil.test", "Cookie", cookie}, 421, "host name"},
		{"alive, asked by address", "/healthz", []string{"Host", "10.0.0.7:8787"}, 200, "ok"},
		{"ready, asked by address", "/readyz", []string{"Host", "10.0.0.7:8787"}, 200, "ready"},
		{"a path that begins like health", "/healthz/x", []string{"Host", "10.0.0.7:8787"}, 421, "host name"},
		{"a rebound name on the API", "/api/agent/capabilities", []string{"Host", "evil.test", "Cookie", cookie}, 421, ""},
		{"a forged cookie", "/page", []string{"Cookie", cookie + "x"}, 401, ""},
	} {
		if w := ask(s, "GET", c.path, "", c.headers...); w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
}

func TestEveryErrorIsAProblemWithItsRequestsIDAndIsKeptByNobody(t *testing.T) {
	s := open(t, config(t.TempDir()))
	bare := config(t.TempDir())
	bare.Routes = nil
	pageless := open(t, bare)
	cookie := signIn(t, s, "demo")
	type call struct {
		s            *Server
		method, path string
		headers      []string
		status       int
	}
	calls := []call{
		{s, "GET", "/page", nil, 401},
		{s, "GET", "/page", []string{"Host", "evil.test"}, 421},
		{s, "GET", "/api/agent/nothing", []string{"Cookie", cookie}, 404},
		{s, "POST", "/healthz", nil, 405},
		{s, "DELETE", "/readyz", nil, 405},
		{pageless, "GET", "/", nil, 404},
		{s, "GET", "/api/dev/login", nil, 405},
		{s, "POST", "/api/dev/login", nil, 403},
		{s, "POST", "/api/dev/login", []string{"Origin", "http://example.test"}, 415},
		{s, "POST", "/api/dev/login", []string{"Origin", "http://example.test", "Content-Type", "application/json"}, 400},
	}
	for _, op := range httpapi.Operations {
		path := strings.NewReplacer("{id}", "none", "{digest}", strings.Repeat("a", 64)).Replace(httpapi.Base + op.Path)
		calls = append(calls, call{s, op.Method, path, nil, 401}, call{s, op.Method, path, []string{"Host", "evil.test"}, 421},
			call{s, "TRACE", path, []string{"Authorization", "Bearer x"}, 405})
		if strings.Contains(path, "none") {
			calls = append(calls, call{s, op.Method, path, []string{"Cookie", cookie, "Origin", "http://example.test"}, 0})
		}
	}
	for _, c := range calls {
		w := ask(c.s, c.method, c.path, "", c.headers...)
		var p httpapi.Problem
		err := json.Unmarshal(w.Body.Bytes(), &p)
		h := w.Header()
		if err != nil || c.status != 0 && w.Code != c.status || w.Code < 400 || h.Get("Content-Type") != "application/problem+json" || p.Status != w.Code ||
			p.Code == "" || p.Message == "" || p.RequestID == "" || p.RequestID != h.Get("X-Request-Id") || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s %v: %d %v %s", c.method, c.path, c.headers, w.Code, h, w.Body)
		}
	}
}

func TestATurnThroughTheWholeServer(t *testing.T) {
	s := open(t, config(t.TempDir()))
	w := ask(s, "POST", "/api/agent/chat", `{"projectId":"p","text":"Hi"}`, "Content-Type", "application/json", "Cookie", signIn(t, s, "demo"), "Origin", "http://example.test")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "event: turn.completed") || !strings.Contains(w.Body.String(), `"text":"Hello."`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w = ask(s, "POST", "/api/agent/chat", `{"projectId":"p","text":"Hi"}`, "Content-Type", "application/json", "Cookie", signIn(t, s, "lin"), "Origin", "http://example.test")
	if w.Code != 402 || !strings.Contains(w.Body.String(), "key_required") {
		t.Fatalf("without a key: %d %s", w.Code, w.Body)
	}
}

func TestAServerWithoutAScriptedModelAsksItsDevelopmentUsersForAKey(t *testing.T) {
	c := config(t.TempDir())
	c.Scripted = nil
	s := open(t, c)
	for _, user := range []string{"demo", "lin", "pay", "adm"} {
		cookie := signIn(t, s, user)
		settings := ask(s, "GET", "/api/agent/settings", "", "Cookie", cookie)
		w := ask(s, "POST", "/api/agent/chat", `{"projectId":"p","text":"Hi"}`, "Content-Type", "application/json", "Cookie", cookie, "Origin", "http://example.test")
		if w.Code != 402 || !strings.Contains(settings.Body.String(), `"keyRequired":true`) {
			t.Errorf("%s: %d %s; settings %s", user, w.Code, w.Body, settings.Body)
		}
	}
}

func TestADefaultModelThatTakesNoKeyIsWhatTheDevelopmentUsersAsk(t *testing.T) {
	for name, c := range map[string]struct {
		model string
		key   bool
		want  map[string]string // by user
	}{
		"a default that needs a key":         {"", false, map[string]string{"demo": "scripted", "pay": "scripted"}},
		"a keyless default":                  {"qwen3", false, map[string]string{"demo": "qwen3", "pay": "qwen3", "adm": "qwen3", "lin": "qwen3"}},
		"a keyless default and a paid key":   {"qwen3", true, map[string]string{"demo": "qwen3", "pay": DefaultModel, "lin": "qwen3"}},
		"a keyless model that is no default": {DefaultModel, false, map[string]string{"demo": "scripted", "pay": "scripted"}},
	} {
		cfg := config(t.TempDir())
		cfg.DefaultModel = c.model
		cfg.Providers = append([]Provider{{ID: "local", Kind: "openai", BaseURL: "http://127.0.0.1:1/v1/", Models: []string{"qwen3"}, Keyless: true}}, DefaultProviders(nil)...)
		if c.key {
			cfg.OrgKeys = map[string]agent.Secret{"anthropic": agent.NewSecret("sk-ant-0123456789")}
		}
		s := open(t, cfg)
		for user, want := range c.want {
			if got := ask(s, "GET", "/api/agent/settings", "", "Cookie", signIn(t, s, user)).Body.String(); !strings.Contains(got, `"effective":{"name":"`+want+`"`) {
				t.Errorf("%s: %s asks %s", name, user, got)
			}
		}
	}
}

func TestAPayingOrgWithAStoredKeyAsksARealModelByDefaultFromTheNextStart(t *testing.T) {
	dir := t.TempDir()
	settings := func() string {
		s, err := New(context.Background(), config(dir))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(context.Background()) }()
		return ask(s, "GET", "/api/agent/settings", "", "Cookie", signIn(t, s, "pay")).Body.String()
	}
	if got := settings(); !strings.Contains(got, `"effective":{"name":"scripted"`) {
		t.Fatalf("without a key: %s", got)
	}
	k, err := OpenKeys(context.Background(), Databases{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	org, err := k.Directory.OrgBySlug(context.Background(), "paying-client")
	if err != nil {
		t.Fatal(err)
	}
	paying := agent.WithPrincipal(context.Background(), agent.Principal{UserID: "operator", OrgID: org.ID})
	if err := errors.Join(k.Vault.PutOrg(paying, "openai", agent.NewSecret("sk-proj-0123456789")), k.Close()); err != nil {
		t.Fatal(err)
	}
	if got := settings(); !strings.Contains(got, `"effective":{"name":"gpt-5.2","provider":"openai"`) || !strings.Contains(got, `"keySource":"org"`) {
		t.Fatalf("with a key: %s", got)
	}
}

func TestALostMasterKeyStopsTheStartWhereKeysAreStored(t *testing.T) {
	dir := t.TempDir()
	s, err := New(context.Background(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	ctx := agent.WithPrincipal(context.Background(), agent.Principal{UserID: "user_lin", OrgID: "org_lingering"})
	if _, err := s.Vault().Put(ctx, "anthropic", "personal", agent.NewSecret("sk-ant-0123456789")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, masterFile)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := New(context.Background(), config(dir)); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Fatalf("started without its master key: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatal("a new master key was made")
	}
	t.Setenv(vault.MasterEnv, "too short")
	if _, err := New(context.Background(), config(dir)); err == nil {
		t.Fatal("started with a malformed master key")
	}
	t.Setenv(vault.MasterEnv, "")
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	open(t, config(dir))
}

func TestRotatingTheMasterKeyBesideARunningServer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, config(dir))
	ctx := agent.WithPrincipal(context.Background(), agent.Principal{UserID: "user_lin", OrgID: "org_lingering"})
	info, err := s.Vault().Put(ctx, "anthropic", "personal", agent.NewSecret("sk-ant-0123456789"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := RotateMaster(context.Background(), Databases{Data: dir}); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if ref, err := s.Vault().Open(ctx, info.ID); err != nil || ref.Secret.Reveal() != "sk-ant-0123456789" {
		t.Fatalf("the running server: %v", err)
	}
}

func TestASecondServerOnTheSameDataIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, config(dir))
	if _, err := New(context.Background(), config(dir)); agent.ErrorCode(err) != agent.CodeUnavailable {
		t.Fatalf("%v", err)
	}
}

func TestACapabilityThatAProviderWouldRefuseStopsTheStart(t *testing.T) {
	for name, schema := range map[string]string{
		"a root oneOf": `{"type":"object","oneOf":[{"type":"object"}]}`,
		"no object":    `{"type":"string"}`,
	} {
		c := config(t.TempDir())
		c.Registry.Add(agent.Capability{Name: "slide.edit", Title: "T", Description: "D", Input: []byte(schema), Kind: agent.KindRead, RequiredTier: agent.TierUser,
			Handler: func(context.Context, *agent.Call) (agent.Result, error) { return agent.Result{OK: true}, nil }})
		if _, err := New(context.Background(), c); err == nil || !strings.Contains(err.Error(), "slide.edit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatNewNeeds(t *testing.T) {
	if _, err := New(context.Background(), Config{}); err == nil || !strings.Contains(err.Error(), "needs App, Data, Registry and Host") {
		t.Fatal(err)
	}
}
