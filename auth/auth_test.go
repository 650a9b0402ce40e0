package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestALoginIsGoodAsCookieAndAsBearer(t *testing.T) {
	g := newGate(t)
	l := g.login(t, "adm")
	want := agent.Principal{UserID: "user_adm", UserName: "adm", OrgID: "org_paying", OrgSlug: "paying-client",
		Role: agent.RoleOrgAdmin, Tier: agent.TierAdmin, Billing: agent.BillingPaying, SessionID: "ses_1",
		Scopes: []agent.CredentialScope{agent.ScopeChat, agent.ScopeApprove, agent.ScopeAdmin}}
	withCookie := httptest.NewRequest("GET", "/", nil)
	withCookie.AddCookie(l.Cookie)
	both := bearer(l.Token)
	both.AddCookie(l.Cookie)
	for name, r := range map[string]*http.Request{"cookie": withCookie, "bearer": bearer(l.Token), "both, the same": both} {
		got, err := g.Authenticate(r)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if !reflect.DeepEqual(l.Principal, want) || l.ExpiresAt != g.now.Add(DefaultTTL).UnixMilli() {
		t.Errorf("the login says %+v", l)
	}
}

func TestOnlyAnAdminsSessionHasTheAdminScope(t *testing.T) {
	g := newGate(t)
	for _, u := range DevUsers {
		p, err := g.Verify(context.Background(), g.login(t, u.Name).Token)
		if err != nil || !p.Has(agent.ScopeChat) || !p.Has(agent.ScopeApprove) || p.Has(agent.ScopeAdmin) != (u.Name == "adm") {
			t.Errorf("%s: %+v, %v", u.Name, p, err)
		}
	}
}

func TestTheTokenIsWhatTheContractSays(t *testing.T) {
	g := newGate(t)
	parts := strings.Split(g.login(t, "demo").Token, ".")
	if len(parts) != 3 || parts[0] != "ses_1" || parts[1] != "1802592000000" {
		t.Fatalf("token %q", parts)
	}
	mac, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(mac) != 32 {
		t.Errorf("signature of %d bytes, %v", len(mac), err)
	}
}

func TestACredentialThatIsAmbiguousIsNone(t *testing.T) {
	g := newGate(t)
	one, two := g.login(t, "demo"), g.login(t, "adm")
	differ := bearer(one.Token)
	differ.AddCookie(two.Cookie)
	twoCookies := httptest.NewRequest("GET", "/", nil)
	twoCookies.AddCookie(one.Cookie)
	twoCookies.AddCookie(two.Cookie)
	basic := httptest.NewRequest("GET", "/", nil)
	basic.AddCookie(one.Cookie)
	basic.Header.Set("Authorization", "Basic YTpi")
	empty := bearer("")
	empty.AddCookie(one.Cookie)
	other := httptest.NewRequest("GET", "/?token="+one.Token, nil)
	other.Header.Set("X-Api-Key", one.Token)
	other.AddCookie(&http.Cookie{Name: "other", Value: one.Token})
	for why, r := range map[string]*http.Request{
		"bearer and cookie differ": differ, "two cookies": twoCookies, "two bearers": bearer(one.Token, two.Token),
		"another scheme beside a cookie": basic, "an empty bearer beside a cookie": empty, "none": bearer(),
		"another header, the address, another cookie": other,
	} {
		g.refused(t, why, r)
	}
}

func TestATokenThatWasTouchedIsRefused(t *testing.T) {
	g := newGate(t)
	token := g.login(t, "demo").Token
	parts := strings.Split(token, ".")
	forged := newSigner([]byte("another secret of 32 bytes......")).seal("ses_1", g.now.Add(time.Hour).UnixMilli())
	for why, bad := range map[string]string{
		"another secret": forged, "no signature": parts[0] + "." + parts[1], "an empty signature": parts[0] + "." + parts[1] + ".",
		"another id": "ses_2." + parts[1] + "." + parts[2], "a later end": parts[0] + ".9" + parts[1][1:] + "." + parts[2],
		"padding": token + "=", "a fourth part": token + ".x", "nothing": ".", "only dots": "..", "too long": token + strings.Repeat("A", 600),
		"a digit moved into the id": parts[0] + parts[1][:1] + "." + parts[1][1:] + "." + parts[2],
	} {
		g.refused(t, why, bearer(bad))
	}
	g.db.asked = nil
	g.refused(t, "another secret", bearer(forged))
	if len(g.db.asked) != 0 {
		t.Error("the database was asked about a forged token")
	}
	for i := range token { // every single character counts
		b := []byte(token)
		b[i] ^= 1
		if string(b) == token || b[i] == ' ' {
			continue
		}
		if _, err := g.Verify(context.Background(), string(b)); err == nil {
			t.Errorf("character %d of the token does not count", i)
		}
	}
}

func TestAnEndThatIsNotCanonicalIsRefused(t *testing.T) {
	s := newSigner(secret)
	for _, end := range []string{"", "0", "-5", "+5", "05", "5 ", "0x5", "99999999999999999999"} {
		token := "ses_1." + end + "." + base64.RawURLEncoding.EncodeToString(s.mac("ses_1", end))
		if _, _, ok := s.open(token); ok {
			t.Errorf("%q was taken", end)
		}
	}
}

func TestASessionEndsTwoMinutesAfterItsTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		want  bool
	}{{"under", Leeway - time.Millisecond, true}, {"at", Leeway, true}, {"over", Leeway + time.Millisecond, false}} {
		g := newGate(t)
		l := g.login(t, "demo")
		g.now = time.UnixMilli(l.ExpiresAt).Add(c.after)
		if _, err := g.Verify(context.Background(), l.Token); (err == nil) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTheEndInTheDatabaseCountsToo(t *testing.T) {
	g := newGate(t)
	l := g.login(t, "demo")
	s := g.db.sessions["ses_1"]
	s.ExpiresAt = g.now.Add(-time.Hour).UnixMilli()
	g.db.sessions["ses_1"] = s
	g.refused(t, "shortened in the database", bearer(l.Token))
}

func TestWhatIsTakenAwayCountsAtOnce(t *testing.T) {
	g := newGate(t)
	l := g.login(t, "pay")
	g.db.members["user_pay/org_paying"] = agent.Membership{UserID: "user_pay", OrgID: "org_paying", Role: agent.RoleViewer}
	if p, err := g.Verify(context.Background(), l.Token); err != nil || p.Tier != agent.TierViewer {
		t.Errorf("after the role was lowered: %+v, %v", p, err)
	}
	delete(g.db.members, "user_pay/org_paying")
	g.refused(t, "the membership is gone", bearer(l.Token))
	l = g.login(t, "demo")
	if err := g.Logout(httptest.NewRecorder(), bearer(l.Token)); err != nil {
		t.Fatal(err)
	}
	g.refused(t, "signed out", bearer(l.Token))
}

func TestADatabaseThatIsAwayIsNotANo(t *testing.T) {
	g := newGate(t)
	l := g.login(t, "demo")
	for _, err := range []error{errors.New("SELECT secret: disk gone"), agent.Errorf(agent.CodeStorageBusy, "x"), context.Canceled, context.DeadlineExceeded} {
		g.db.err = err
		_, got := g.Authenticate(bearer(l.Token))
		if agent.ErrorCode(got) != agent.CodeUnavailable || strings.Contains(agent.ErrorMessage(got), "SELECT") {
			t.Errorf("%v: %v", err, got)
		}
		if err := g.Logout(httptest.NewRecorder(), bearer(l.Token)); err == nil {
			t.Error("a sign-out that did not happen was told as one")
		}
	}
}

func TestTheCookieIsHardened(t *testing.T) {
	plain, secure := newGate(t), newGate(t, func(c *Config) { c.Secure = true })
	p, s := plain.login(t, "demo").Cookie, secure.login(t, "demo").Cookie
	for _, c := range []*http.Cookie{p, s} {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("%+v", c)
		}
	}
	if p.Secure || p.Name != "in_app_agent" || !s.Secure || s.Name != "__Host-in_app_agent" || secure.CookieName() != s.Name {
		t.Errorf("%+v, %+v", p, s)
	}
	rec := httptest.NewRecorder()
	if err := plain.Logout(rec, bearer()); err != nil {
		t.Fatal(err)
	}
	if c := rec.Result().Cookies()[0]; c.Name != p.Name || c.MaxAge >= 0 || c.Value != "" {
		t.Errorf("signing out leaves %+v", c)
	}
}

func TestAShortSecretOrNoStoreDoesNotStart(t *testing.T) {
	for _, c := range []Config{{Sessions: newFakeDB(), Secret: secret[:31]}, {Secret: secret}} {
		if _, err := New(c); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%v", err)
		}
	}
	if _, err := New(Config{Sessions: newFakeDB(), Secret: secret}); err != nil {
		t.Errorf("a secret at the limit: %v", err)
	}
}

func TestTheSecretIsNeverPrinted(t *testing.T) {
	g := newGate(t)
	out := fmt.Sprintf("%v %+v %#v", g.Auth, g.Auth, g.Auth) + fmt.Sprintf("%v %+v", *g.Auth, g.sign)
	for _, form := range []string{string(secret), base64.StdEncoding.EncodeToString(secret), fmt.Sprintf("%v", secret), fmt.Sprintf("%#v", secret)} {
		if strings.Contains(out, form[1:len(form)-1]) {
			t.Errorf("printed %s", out)
		}
	}
}

func TestIDsOfSessionsAreRandomByDefault(t *testing.T) {
	if a, b := randomID("ses"), randomID("ses"); a == b || len(a) != len("ses_")+32 {
		t.Errorf("%s, %s", a, b)
	}
}

// FuzzNoTokenButOursOpens looks for a text that opens without having been sealed.
func FuzzNoTokenButOursOpens(f *testing.F) {
	s := newSigner(secret)
	f.Add(s.seal("ses_1", 1_800_000_000_000))
	f.Add("ses_1.1800000000000.")
	f.Fuzz(func(t *testing.T, token string) {
		id, end, ok := s.open(token)
		if ok && s.seal(id, end) != token {
			t.Fatalf("%q opens as %q, %d", token, id, end)
		}
	})
}
