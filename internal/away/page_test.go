package away

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestWhoFollowsALinkWithoutSigningInLearnsAndChangesNothing(t *testing.T) {
	g := newGate(t, func(c *Config) { c.LoginURL = "https://login.example/in?x=1" })
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for range 3 { // scanners come back
			rec := g.do("", httptest.NewRequest(method, "https://"+testHost+g.path(), nil))
			body := rec.Body.String()
			if rec.Code != http.StatusUnauthorized || strings.Contains(body, "slide 4") || strings.Contains(body, "<form") {
				t.Fatalf("%s: %d %s", method, rec.Code, body)
			}
			if !strings.Contains(body, "https://login.example/in?next=%2Fapprove%2F") {
				t.Fatalf("no way to sign in: %s", body)
			}
		}
	}
	if g.touched != 0 || g.link.SpentAt != 0 || len(g.decided) != 0 {
		t.Fatalf("touched %d times, spent at %d", g.touched, g.link.SpentAt)
	}
}

func TestItsOwnUserSeesThePreviewAndOnlyTheirFormDecides(t *testing.T) {
	for _, decision := range []string{agent.AnswerAccept, agent.AnswerDiscard} {
		g := newGate(t)
		for range 2 {
			rec := g.get("alice", g.path())
			body := rec.Body.String()
			if rec.Code != http.StatusOK || !strings.Contains(body, "Change slide 4") || !strings.Contains(body, "&lt;script&gt;b&lt;/script&gt;") || strings.Contains(body, "<script") {
				t.Fatalf("%d %s", rec.Code, body)
			}
		}
		if g.link.SpentAt != 0 || len(g.decided) != 0 {
			t.Fatal("looking decided")
		}
		token := g.token()
		if rec := g.form("alice", decision, token); rec.Code != http.StatusOK {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
		if len(g.decided) != 1 || g.decided[0].TurnID != "tn1" || !reflect.DeepEqual(g.decided[0].Decisions, []agent.Decision{{CallID: "cl1", ReceiptID: "rc1", Decision: decision}}) {
			t.Fatalf("%+v", g.decided)
		}
		// The link is spent: neither looking nor answering works again.
		for _, rec := range []*httptest.ResponseRecorder{g.form("alice", decision, token), g.form("alice", agent.AnswerDiscard, token), g.get("alice", g.path())} {
			if rec.Code != http.StatusGone || !strings.Contains(rec.Body.String(), "used already") {
				t.Fatalf("%d %s", rec.Code, rec.Body)
			}
		}
		if len(g.decided) != 1 {
			t.Fatalf("decided %d times", len(g.decided))
		}
	}
}

func TestALinkIsNobodyElses(t *testing.T) {
	g := newGate(t)
	token := g.token()
	none := g.get("bob", Path+g.seal("link_none", g.link.ExpiresAt)).Body.String()
	for _, who := range []string{"bob", "evil"} {
		for what, rec := range map[string]*httptest.ResponseRecorder{"looks": g.get(who, g.path()), "answers": g.form(who, "accept", token)} {
			if rec.Code != http.StatusNotFound || rec.Body.String() != none {
				t.Errorf("%s %s: %d %s", who, what, rec.Code, rec.Body)
			}
		}
	}
	if g.link.SpentAt != 0 || len(g.decided) != 0 {
		t.Fatal("a stranger spent the link")
	}
}

func TestAForgedOrAlteredLinkIsNone(t *testing.T) {
	g := newGate(t)
	good := strings.TrimPrefix(g.path(), Path)
	parts := strings.Split(good, ".")
	other := newGate(t, func(c *Config) { c.Key = []byte(strings.Repeat("K", 32)) })
	for name, token := range map[string]string{
		"nothing": "", "another key's": other.seal(linkID, g.link.ExpiresAt), "another id": "link_2." + parts[1] + "." + parts[2],
		"a later end": parts[0] + "." + parts[1] + "0." + parts[2], "no signature": parts[0] + "." + parts[1] + ".", "cut": good[:len(good)-1],
		"longer": good + "A", "a part more": good + ".x", "a form's signature": parts[0] + "." + parts[1] + "." + g.formToken(parts[0], parts[1]),
		"upper case": strings.ToUpper(good), "very long": strings.Repeat("a", 5000), "a path": good + "/x", "split elsewhere": parts[0] + parts[1] + ".." + parts[2],
	} {
		r := httptest.NewRequest(http.MethodGet, "https://"+testHost+Path, nil)
		r.URL.Path = Path + token
		if rec := g.do("alice", r); rec.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
	}
	if g.touched != 0 {
		t.Errorf("a forged link was looked up %d times", g.touched)
	}
}

func TestALinkEnds(t *testing.T) {
	for over, want := range map[time.Duration]int{-time.Millisecond: 200, 0: 410, time.Hour: 410} {
		g := newGate(t)
		path := g.path()
		g.clock = g.clock.Add(DefaultLife + over)
		if rec := g.get("alice", path); rec.Code != want {
			t.Errorf("%v: %d %s", over, rec.Code, rec.Body)
		}
	}
}

func TestAnAnswerFromElsewhereIsRefused(t *testing.T) {
	g := newGate(t)
	token := g.token()
	const good = "application/x-www-form-urlencoded"
	for name, c := range map[string]struct {
		origin, site, media, token, decision string
		status                               int
	}{
		"another origin":        {"https://evil.example", "", good, token, "accept", 403},
		"the origin null":       {"null", "", good, token, "accept", 403},
		"no origin at all":      {"", "", good, token, "accept", 403},
		"another site":          {"https://" + testHost, "cross-site", good, token, "accept", 403},
		"a sibling site":        {"https://" + testHost, "same-site", good, token, "accept", 403},
		"no form token":         {"https://" + testHost, "", good, "", "accept", 403},
		"another session's":     {"https://" + testHost, "", good, g.formToken("ses_b", linkID), "accept", 403},
		"another link's":        {"https://" + testHost, "", good, g.formToken("ses_a", "link_2"), "accept", 403},
		"json":                  {"https://" + testHost, "", "application/json", token, "accept", 415},
		"no decision":           {"https://" + testHost, "", good, token, "", 422},
		"an edit":               {"https://" + testHost, "", good, token, "edit", 422},
		"an accept in capitals": {"https://" + testHost, "", good, token, "ACCEPT", 422},
		"too much":              {"https://" + testHost, "", good, token, strings.Repeat("x", maxForm), 400},
	} {
		r := httptest.NewRequest(http.MethodPost, "https://"+testHost+g.path(), strings.NewReader("form="+c.token+"&decision="+c.decision))
		r.Header.Set("Content-Type", c.media)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if rec := g.do("alice", r); rec.Code != c.status {
			t.Errorf("%s: %d, want %d", name, rec.Code, c.status)
		}
	}
	if g.link.SpentAt != 0 || len(g.decided) != 0 {
		t.Fatal("one of them decided")
	}
	if rec := g.do("alice", httptest.NewRequest(http.MethodGet, "https://"+testHost+g.path()+"?decision=accept&form="+token, nil)); rec.Code != 200 || len(g.decided) != 0 {
		t.Fatal("an address decided")
	}
}

func TestWhatTheAgentSaysIsToldAndSpendsOnlyWhereItIsFinal(t *testing.T) {
	for name, c := range map[string]struct {
		fails   error
		outcome []agent.Outcome
		status  int
		spent   bool
		says    string
	}{
		"stale":               {nil, []agent.Outcome{{Outcome: agent.OutcomeStale}}, 200, true, "Nothing was applied"},
		"a tier that is lost": {agent.Errorf(agent.CodeForbidden, "No right."), nil, 403, true, "No right."},
		"policy":              {agent.Errorf(agent.CodePolicyDenied, "Not here."), nil, 403, true, "Not here."},
		"decided elsewhere":   {agent.Errorf(agent.CodeConflict, "The other way."), nil, 409, true, "The other way."},
		"busy":                {agent.Errorf(agent.CodeStorageBusy, "Busy."), nil, 503, false, "Busy."},
		"a fault of ours":     {errors.New("secret sql"), nil, 500, false, "went wrong on our side"},
	} {
		g := newGate(t)
		token := g.token()
		g.fails, g.outcome = c.fails, c.outcome
		rec := g.form("alice", "accept", token)
		if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.says) || (g.link.SpentAt != 0) != c.spent || strings.Contains(rec.Body.String(), "sql") {
			t.Errorf("%s: %d, spent %v, %s", name, rec.Code, g.link.SpentAt != 0, rec.Body)
		}
	}
}

func TestWhatWasAnsweredInTheAppIsNotAskedAgain(t *testing.T) {
	for _, state := range []agent.ReceiptState{agent.ReceiptAccepted, agent.ReceiptDiscarded, agent.ReceiptStale, agent.ReceiptExpired} {
		g := newGate(t)
		token := g.token()
		g.view.State = state
		for _, rec := range []*httptest.ResponseRecorder{g.get("alice", g.path()), g.form("alice", "accept", token)} {
			if rec.Code != http.StatusGone || strings.Contains(rec.Body.String(), "<form") {
				t.Errorf("%s: %d", state, rec.Code)
			}
		}
		if len(g.decided) != 0 {
			t.Errorf("%s was decided", state)
		}
	}
}

func TestEveryPageIsHardened(t *testing.T) {
	g := newGate(t)
	for _, rec := range []*httptest.ResponseRecorder{g.get("alice", g.path()), g.get("", g.path()), g.get("alice", Path+"x")} {
		h := rec.Header()
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "script") {
			t.Error(csp)
		}
		if h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "same-origin" || h.Get("X-Frame-Options") != "DENY" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Error(h)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "https://rebound.example"+g.path(), nil)
	if rec := g.do("alice", r); rec.Code != http.StatusMisdirectedRequest {
		t.Errorf("another host: %d", rec.Code)
	}
	if rec := g.do("alice", httptest.NewRequest(http.MethodDelete, "https://"+testHost+g.path(), nil)); rec.Code != 405 {
		t.Errorf("DELETE: %d", rec.Code)
	}
}

func TestArtifactsAreShownWithoutRunningOrLoadingAnything(t *testing.T) {
	g := newGate(t)
	g.blob = agent.Blob{MIME: "image/png", Data: []byte("\x89PNG")}
	g.view.Title = `<img src=x onerror=alert(1)>`
	g.view.Preview.Artifacts = []agent.Artifact{
		{Kind: agent.ArtifactHTML, Title: "Page", Text: `<h1 onclick="x">"Hi"</h1><script>1</script>`},
		{Kind: agent.ArtifactImage, Title: "Stored", Digest: "d", Bytes: 4},
		{Kind: agent.ArtifactImage, Title: "SVG", MIME: "image/svg+xml", Text: "PHN2Zz4="},
		{Kind: agent.ArtifactImage, Title: "Trick", MIME: "image/png", Text: `"><script>`},
		{Kind: agent.ArtifactFile, Title: "Bytes", Data: []byte{0xff, 0xfe}},
		{Kind: agent.ArtifactFile, Title: "Huge", Digest: "e", Bytes: maxImage + 1},
		{Kind: agent.ArtifactMarkdown, Title: "Long", Text: strings.Repeat("é", maxText/2) + "é"},
		{Kind: "hologram", Title: "Unknown", Text: "as text"},
	}
	body := g.get("alice", g.path()).Body.String()
	for _, want := range []string{
		`srcdoc="&lt;h1 onclick=`, `<iframe sandbox title="Page"`, `src="data:image/png;base64,iVBORw=="`, "This picture cannot be shown here",
		"This picture cannot be read", "It is not text", "It is too big", "There is more of it in the app", "as text", "&lt;img src=x onerror",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, never := range []string{"<script", "<img src=x", `onclick="x"`, "svg+xml", "src=\"http"} {
		if strings.Contains(body, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if strings.Count(body, "é") != maxText/2 {
		t.Errorf("the long text has %d characters", strings.Count(body, "é"))
	}
}

func FuzzNoTokenButOursOpens(f *testing.F) {
	a := &Away{Config: Config{Key: []byte(strings.Repeat("k", 32))}}
	f.Add("link_1.abc.xyz")
	f.Add(a.seal("link_1", 1_800_000_000_000))
	f.Fuzz(func(t *testing.T, token string) {
		id, expires, ok := a.open(token)
		if ok && a.seal(id, expires) != token {
			t.Errorf("%q opens as %q until %d", token, id, expires)
		}
	})
}
