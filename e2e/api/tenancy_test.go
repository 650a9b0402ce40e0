package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// operation is one row of the table that the clients are generated from.
type operation struct{ client, method, path string }

// operations reads the generated table, so that a new route is in the matrix by
// itself.
func operations(t *testing.T) (all []operation) {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "ui/src/lib/protocol.gen.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+): \{ method: "(\w+)", path: "([^"]+)", stream: `).FindAllStringSubmatch(string(text), -1) {
		all = append(all, operation{m[1], m[2], m[3]})
	}
	if len(all) < 20 {
		t.Fatalf("the generated table has %d operations", len(all))
	}
	return all
}

// owned is what pay has, and what everybody else must not find.
type owned struct {
	thread    agent.ThreadID
	turn      agent.TurnID // waits for pay
	preview   agent.PreviewShown
	key       string
	rule      string
	digest    string
	lastEvent string
}

// ids gives the value of each id parameter, by the name that a route or a body has
// for it.
func (o owned) ids() map[string]string {
	return map[string]string{
		"turn": string(o.turn), "thread": string(o.thread), "key": o.key, "call": string(o.preview.CallID),
		"receipt": string(o.preview.ReceiptID), "digest": o.digest, "permission": o.rule,
	}
}

// missing changes one id so that it is nobody's and looks the same.
func missing(ids map[string]string, name string) map[string]string {
	out := maps.Clone(ids)
	id := []byte(out[name])
	last := len(id) - 1
	if id[last]++; id[last] == ':' || id[last] == '{' || id[last] == 'g' && name == "digest" {
		id[last] -= 2
	}
	out[name] = string(id)
	return out
}

// probe is one operation with one id parameter.
type probe struct {
	op   string
	id   string // which one is varied
	make func(ids map[string]string) (what string, body any)
}

// probes turn the table into requests; an operation with an id in its path that
// nobody has written down here fails the test.
func probes(t *testing.T) (all []probe) {
	t.Helper()
	nouns := map[string]string{"turns": "turn", "threads": "thread", "keys": "key", "calls": "call", "permissions": "permission"}
	bodies := map[string]any{
		"cancel": nil, "undo": nil, "patchThread": map[string]any{"title": "mine now"}, "deleteThread": nil, "revokeKey": nil, "testKey": nil, "revokePermission": nil,
		"rotateKey": map[string]any{"key": "sk-ant-0123456789abcdef"},
	}
	for _, op := range operations(t) {
		if !strings.Contains(op.path, "{") || strings.Contains(op.path, "{file}") {
			continue // a reminder file has the same name in every org: see reminderHides
		}
		noun := nouns[strings.Split(op.path, "/")[1]]
		body, known := bodies[op.client]
		if noun == "" || !known && op.method != "GET" {
			t.Fatalf("the matrix does not know how to ask %s %s", op.method, op.path)
		}
		at := func(ids map[string]string) (string, any) {
			return op.method + " " + strings.NewReplacer("{id}", ids[noun], "{digest}", ids["digest"]).Replace(op.path), body
		}
		all = append(all, probe{op.client, noun, at})
		if strings.Contains(op.path, "{digest}") {
			all = append(all, probe{op.client, "digest", at})
		}
	}
	confirm := func(ids map[string]string) (string, any) {
		return "POST /confirm", harness.Decision(agent.TurnID(ids["turn"]), agent.AnswerDiscard,
			agent.PreviewShown{CallID: agent.CallID(ids["call"]), ReceiptID: agent.ReceiptID(ids["receipt"])})
	}
	say := func(ids map[string]string) (string, any) {
		return "POST /chat", harness.Chat{ProjectID: harness.Project, Text: "hello", Model: "scripted", ThreadID: agent.ThreadID(ids["thread"]), ParentID: agent.TurnID(ids["turn"])}
	}
	thumb := func(ids map[string]string) (string, any) {
		return "POST /feedback", map[string]any{"turnId": ids["turn"], "thumb": "up"}
	}
	all = append(all, probe{"transparency", "thread", func(ids map[string]string) (string, any) { return "GET /transparency?threadId=" + ids["thread"], nil }})
	for _, name := range []string{"turn", "call", "receipt"} {
		all = append(all, probe{"confirm", name, confirm})
	}
	for _, name := range []string{"thread", "turn"} {
		all = append(all, probe{"chat", name, say})
	}
	return append(all, probe{"feedback", "turn", thumb})
}

// possess lets pay have a thread with a waiting preview, a big artifact and a key.
func possess(t *testing.T, s *harness.Server, pay *harness.User, key string) (o owned) {
	t.Helper()
	o.key = pay.StoreKey("anthropic", key).ID
	drawing := pay.Chat(harness.Say("a drawing of the deck"))
	o.rule = remember(t, pay, drawing.Turn(), drawing.Preview()).PermissionID
	drawing.Completed()
	stream := pay.Chat(harness.Say("a picture of the deck"))
	o.preview = stream.Preview()
	o.turn, o.thread, o.lastEvent = stream.Turn(), stream.Thread(), stream.LastID
	stream.Close()
	for _, a := range o.preview.Artifacts {
		if a.Digest != "" {
			o.digest = a.Digest
		}
	}
	if o.digest == "" {
		t.Fatal("the preview has no artifact that is stored apart")
	}
	return o
}

// shape is what an answer shows to somebody who compares answers: everything but
// what is different in every answer.
func shape(a *harness.Answer) string {
	var members map[string]any
	if json.Unmarshal(a.Body, &members) == nil {
		delete(members, "requestId")
		text, _ := json.Marshal(members)
		return fmt.Sprintf("%d %s %s", a.Status, a.Header.Get("Content-Type"), text)
	}
	return fmt.Sprintf("%d %s %s", a.Status, a.Header.Get("Content-Type"), a.Body)
}

func TestWhatBelongsToAnotherCannotBeToldFromWhatIsNot(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	big := draws(rng.Uint64())
	big.HTML, big.Text = nil, scripted.Text{"<section><h1>Big</h1><p>" + strings.Repeat("words and more words ", 2000) + "</p></section>"}
	s, _ := bare(t, harness.Options{Env: []string{"ANTHROPIC_API_KEY=" + anthropicKey(rng)}},
		calls("a picture of the deck", call("slide.variant", variant{Slide: "04", Style: "bold"})),
		calls("a drawing of the deck", call("slide.variant", variant{Slide: "03", Style: "calm"})), big)
	pay := s.SignIn("pay")
	mine := possess(t, s, pay, anthropicKey(rng))
	ids := mine.ids()
	others := map[string]*harness.User{"nobody": s.Anonymous()}
	for _, name := range []string{"adm", "view", "lin", "demo"} {
		others[name] = s.SignIn(name)
	}
	list := probes(t)
	for _, p := range list {
		for who, u := range others {
			compare(t, u, who, p, ids)
		}
		// For the owner as well, what is not is not.
		what, body := p.make(missing(ids, p.id))
		if a := pay.Do(what, body); a.Status != http.StatusNotFound {
			t.Errorf("pay, %s without its %s: answered %s", p.op, p.id, a)
		}
	}
	t.Logf("%d probes by %d strangers", len(list), len(others))
	listsHideIt(t, others, ids)
	reminderHides(t, pay, others)
	ownerStillHasIt(t, pay, mine)
}

// compare asks for what pay has and for what nobody has; the answers must be alike.
func compare(t *testing.T, u *harness.User, who string, p probe, ids map[string]string) {
	t.Helper()
	what, body := p.make(ids)
	none, noBody := p.make(missing(ids, p.id))
	foreign, absent := u.Do(what, body), u.Do(none, noBody)
	want := http.StatusNotFound
	if who == "nobody" {
		want = http.StatusUnauthorized
	}
	if foreign.Status != want || shape(foreign) != shape(absent) {
		t.Errorf("%s, %s by %s: what is pay's answers %s, what is not %s", who, p.op, p.id, shape(foreign), shape(absent))
	}
}

// reminderHides shows that a file is the org's own, although its name is everybody's.
func reminderHides(t *testing.T, pay *harness.User, others map[string]*harness.User) {
	t.Helper()
	const words, file = "our lighthouse is in Ebermannstadt", "/reminders/client_profile"
	var now agent.Reminder
	pay.Must(http.StatusOK, "GET "+file, nil).Into(t, &now)
	pay.Must(http.StatusOK, "PUT "+file, map[string]any{"text": words, "version": now.Version}).Into(t, &now)
	for _, who := range []string{"nobody", "lin", "demo"} {
		for _, what := range []string{"GET " + file, "GET " + file + "/history", fmt.Sprintf("GET %s?version=%d", file, now.Version), fmt.Sprintf("GET %s/history?from=0&to=%d", file, now.Version)} {
			if a := others[who].Do(what, nil); strings.Contains(string(a.Body), "lighthouse") {
				t.Errorf("%s, %s shows pay's reminder", who, what)
			}
		}
	}
	if a := others["adm"].Must(http.StatusOK, "GET "+file, nil); !strings.Contains(string(a.Body), "lighthouse") {
		t.Error("a colleague does not see the org's reminder")
	}
}

func listsHideIt(t *testing.T, others map[string]*harness.User, ids map[string]string) {
	t.Helper()
	for who, u := range others {
		for _, what := range []string{"GET /threads", "GET /threads?q=picture", "GET /threads?archived=true", "GET /approvals", "GET /permissions", "GET /keys", "GET /settings", "GET /capabilities", "GET /usage"} {
			a := u.Do(what, nil)
			for name, id := range ids {
				if strings.Contains(string(a.Body), id) {
					t.Errorf("%s, %s shows pay's %s", who, what, name)
				}
			}
		}
	}
	own := others["adm"].Chat(harness.Say("hello"))
	own.Completed()
	for _, what := range []string{"GET /threads/" + string(own.Thread()) + "?before=" + ids["turn"], "GET /threads/" + string(own.Thread()) + "/events?after=" + ids["turn"] + ":1:1"} {
		ctx, cancel := context.WithCancel(t.Context())
		a, err := others["adm"].Send(ctx, what, nil)
		cancel()
		if err != nil || a.Status != http.StatusNotFound || strings.Contains(string(a.Body), "picture") {
			t.Errorf("adm, %s answered %v, %v", what, a, err)
		}
	}
}

// ownerStillHasIt shows that the refused requests changed nothing, and that each
// operation works for its owner: a matrix of nothing but 404s proves little.
func ownerStillHasIt(t *testing.T, pay *harness.User, mine owned) {
	t.Helper()
	turn, thread, call := "/turns/"+string(mine.turn), "/threads/"+string(mine.thread), "/calls/"+string(mine.preview.CallID)
	if got := pay.Turn(mine.turn); got.State != agent.TurnAwaiting || len(got.Open) != 1 {
		t.Errorf("after the probes the turn is %+v", got)
	}
	var view agent.ThreadView
	pay.Must(http.StatusOK, "GET "+thread, nil).Into(t, &view)
	if view.Thread.Title != "a picture of the deck" || len(view.Turns) != 1 {
		t.Errorf("after the probes the thread is %+v", view.Thread)
	}
	var inbox agent.Page[agent.Approval]
	pay.Must(http.StatusOK, "GET /approvals", nil).Into(t, &inbox)
	if len(inbox.Items) != 1 || inbox.Items[0].ReceiptID != mine.preview.ReceiptID || inbox.Items[0].Title == "" {
		t.Errorf("after the probes the inbox is %+v", inbox.Items)
	}
	pay.Must(http.StatusOK, "GET "+call+"/artifacts/"+mine.digest, nil)
	pay.Must(http.StatusOK, "GET "+thread+"/export", nil)
	pay.Must(http.StatusOK, "PATCH "+thread, map[string]any{"title": "renamed"})
	pay.Must(http.StatusNoContent, "POST /feedback", map[string]any{"turnId": mine.turn, "thumb": "up"})
	pay.Must(http.StatusOK, "POST /keys/"+mine.key+"/test", nil)
	stream := pay.Attach(mine.turn, mine.lastEvent)
	pay.Discard(mine.turn, mine.preview)
	stream.Completed()
	pay.Must(http.StatusAccepted, "POST "+turn+"/cancel", nil)
	pay.Must(http.StatusNoContent, "DELETE /keys/"+mine.key, nil)
	pay.Must(http.StatusNoContent, "DELETE /permissions/"+mine.rule, nil)
	pay.Must(http.StatusNoContent, "DELETE "+thread, nil)
	for _, what := range []string{"GET " + thread, "GET " + turn, "GET " + call + "/artifacts/" + mine.digest} {
		if a := pay.Do(what, nil); a.Status != http.StatusNotFound {
			t.Errorf("after the deletion %s answered %s", what, a)
		}
	}
}

func TestEachOrgHasACopyOfTheDemosDeckAndChangesThatOneOnly(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Programs: programs})
	orgs := map[string]string{"demo": "demo", "pay": "paying-client", "lin": "lingering-client"}
	before := map[string]string{}
	for _, org := range orgs {
		before[org] = s.Repo(org).Tip("HEAD")
	}
	demo := s.SignIn("demo")
	stream := demo.Chat(harness.Say("Give me a Chroma-style variant of slide 4."))
	demo.Accept(stream.Turn(), stream.Preview())
	stream.Completed()
	for user, org := range orgs {
		if moved := s.Repo(org).Tip("HEAD") != before[org]; moved != (org == "demo") {
			t.Errorf("the deck of %s moved: %v", org, moved)
		}
		var deck struct{ HeadCommit string }
		s.SignIn(user).Must(http.StatusOK, "GET /api/decks/demo-deck", nil).Into(t, &deck)
		if deck.HeadCommit != s.Repo(org).Tip("HEAD") {
			t.Errorf("%s sees the deck at %s", user, deck.HeadCommit)
		}
	}
	if a := s.Anonymous().Do("GET /api/decks/demo-deck", nil); a.Status != http.StatusUnauthorized {
		t.Errorf("nobody sees %s", a)
	}
	view := s.SignIn("view")
	var may agent.Description
	view.Must(http.StatusOK, "GET /capabilities", nil).Into(t, &may)
	if slices.ContainsFunc(may.Capabilities, func(c agent.CapabilityInfo) bool { return c.RequiredTier != agent.TierViewer }) {
		t.Errorf("a viewer is offered %+v", may.Capabilities)
	}
}
