package auth

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

const origin = "http://127.0.0.1:8787"

func devLogin(g *gate, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	h := Dev(DevConfig{Auth: g.Auth, Origins: []string{origin, "http://localhost:8787"}, Log: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest("POST", origin+DevPath, strings.NewReader(body))
	r.Header.Set("Origin", origin)
	r.Header.Set("Content-Type", "application/json")
	for _, f := range change {
		f(r)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

func TestTheFivePeopleSignInAsTheProtocolSays(t *testing.T) {
	want := map[string]agent.UserInfo{
		"demo": {ID: "user_demo", Name: "demo", Org: "demo", Tier: agent.TierUser, Billing: agent.BillingPaying},
		"lin":  {ID: "user_lin", Name: "lin", Org: "lingering-client", Tier: agent.TierUser, Billing: agent.BillingLingering},
		"pay":  {ID: "user_pay", Name: "pay", Org: "paying-client", Tier: agent.TierUser, Billing: agent.BillingPaying},
		"adm":  {ID: "user_adm", Name: "adm", Org: "paying-client", Tier: agent.TierAdmin, Billing: agent.BillingPaying},
		"view": {ID: "user_view", Name: "view", Org: "paying-client", Tier: agent.TierViewer, Billing: agent.BillingPaying},
	}
	for name, info := range want {
		g := newGate(t)
		rec := devLogin(g, `{"user":"`+name+`"}`)
		var body struct{ User agent.UserInfo }
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || rec.Code != 200 || body.User != info {
			t.Fatalf("%s: %d %s", name, rec.Code, rec.Body)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(rec.Result().Cookies()[0])
		if p, err := g.Authenticate(r); err != nil || p.UserID != info.ID {
			t.Errorf("%s: the cookie gives %+v, %v", name, p, err)
		}
	}
}

func TestTheDevelopmentLoginNeedsTheExactOrigin(t *testing.T) {
	for o, want := range map[string]int{
		origin: 200, "http://localhost:8787": 200, "": 403, "null": 403, "http://evil.example": 403, "http://127.0.0.1:8788": 403,
		"https://127.0.0.1:8787": 403, "http://127.0.0.1:8787/": 403, "http://127.0.0.1:8787.evil.example": 403, "HTTP://127.0.0.1:8787": 403,
	} {
		rec := devLogin(newGate(t), `{"user":"demo"}`, func(r *http.Request) {
			r.Header.Set("Origin", o)
			r.Host = "evil.example:8787" // a rebound name agrees with itself
		})
		if rec.Code != want || (len(rec.Result().Cookies()) == 1) != (want == 200) {
			t.Errorf("%q: %d %s", o, rec.Code, rec.Body)
		}
	}
}

func TestTheDevelopmentLoginTakesItsBodyAndNothingElse(t *testing.T) {
	plain := func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }
	get := func(r *http.Request) { r.Method = "GET" }
	for _, c := range []struct {
		body   string
		change func(*http.Request)
		want   int
	}{
		{`{"user":"nobody"}`, nil, 422}, {`{}`, nil, 400}, {``, nil, 400}, {`{"user":7}`, nil, 400}, {`{"user":"demo","org":"x"}`, nil, 400},
		{`{"user":"demo"}{}`, nil, 400}, {`{"user":"` + strings.Repeat("x", 1<<10) + `"}`, nil, 413}, {`{"user":"demo"}`, plain, 415}, {``, get, 405},
	} {
		change := c.change
		if change == nil {
			change = func(*http.Request) {}
		}
		rec := devLogin(newGate(t), c.body, change)
		if rec.Code != c.want || len(rec.Result().Cookies()) != 0 || rec.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%.40s: %d %s", c.body, rec.Code, rec.Body)
		}
	}
}

func TestALoginThatFailsInsideSaysNothingMore(t *testing.T) {
	g := newGate(t)
	delete(g.db.members, "user_demo/org_demo")
	if rec := devLogin(g, `{"user":"demo"}`); rec.Code != 404 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

func TestSeedingAgainChangesNothing(t *testing.T) {
	db := newFakeDB()
	for range 2 {
		if err := SeedDev(context.Background(), db, SeedOptions{PayingModel: ScriptedModel, DemoModel: ScriptedModel}); err != nil {
			t.Fatal(err)
		}
	}
	if len(db.users) != 5 || len(db.orgs) != 3 || len(db.members) != 5 {
		t.Errorf("%d users, %d orgs, %d memberships", len(db.users), len(db.orgs), len(db.members))
	}
	demo, err := db.OrgBySlug(context.Background(), "demo")
	if err != nil || demo.DefaultModel != ScriptedModel || db.orgs["org_paying"].DefaultModel != ScriptedModel || db.orgs["org_lingering"].DefaultModel != "" {
		t.Errorf("%+v, %v", db.orgs, err)
	}
	db.err = errors.New("full")
	if err := SeedDev(context.Background(), db, SeedOptions{}); err == nil || !strings.Contains(err.Error(), "demo") {
		t.Errorf("%v", err)
	}
}
