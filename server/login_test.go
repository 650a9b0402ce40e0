package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestASessionThatTheHostsOwnLoginStartsCountsUntilItIsEnded(t *testing.T) {
	c := config(t.TempDir())
	c.Dev, c.Secure, c.Origins = false, true, nil
	s := open(t, c)
	ctx := context.Background()
	for _, err := range []error{
		s.Directory().PutOrg(ctx, agent.Org{ID: "org_1", Slug: "one", Name: "One", Billing: agent.BillingPaying}),
		s.Directory().PutUser(ctx, agent.User{ID: "user_1", Name: "Ann", Email: "ann@example.test"}),
		s.Directory().PutMembership(ctx, agent.Membership{UserID: "user_1", OrgID: "org_1", Role: agent.RoleEditor}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if w := ask(s, "POST", "/api/dev/login", `{"user":"demo"}`, "Content-Type", "application/json", "Origin", "http://example.test"); w.Code == http.StatusOK {
		t.Error("the development login is there")
	}
	if _, err := s.Auth().Issue(ctx, "user_1", "org_2"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("a session in an org without a membership: %v", err)
	}
	login, err := s.Auth().Issue(ctx, "user_1", "org_1")
	if err != nil {
		t.Fatal(err)
	}
	if login.Cookie.Name != "__Host-in_app_agent" || !login.Cookie.Secure || !login.Cookie.HttpOnly {
		t.Errorf("the cookie is %+v", login.Cookie)
	}
	for name, header := range map[string][]string{
		"as a cookie": {"Cookie", login.Cookie.Name + "=" + login.Cookie.Value}, "as a bearer": {"Authorization", "Bearer " + login.Token},
	} {
		if w := ask(s, "GET", "/page", "", header...); w.Code != http.StatusOK || w.Body.String() != "page of one" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	out := httptest.NewRequestWithContext(ctx, http.MethodPost, "/logout", nil)
	out.AddCookie(login.Cookie)
	if err := s.Auth().Logout(httptest.NewRecorder(), out); err != nil {
		t.Fatal(err)
	}
	if w := ask(s, "GET", "/page", "", "Authorization", "Bearer "+login.Token); w.Code != http.StatusUnauthorized {
		t.Errorf("after the end: %d", w.Code)
	}
}
