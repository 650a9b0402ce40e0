package api

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// scene is one telling of the acceptance scenario.
type scene struct {
	words, query, slideID, style string
	slide                        string // path
	seed                         uint64
	options                      harness.Options
}

// rounds are what the model does in a scene: it searches, it makes the variant,
// it writes the slide, it closes.
func (sc scene) rounds() []scripted.Round {
	return []scripted.Round{
		calls(sc.words, call("corpus.search", map[string]any{"query": sc.query})),
		{When: &scripted.When{ResultOf: "corpus.search", Purpose: "step"}, Text: scripted.Text{"The notes help."},
			Calls: []scripted.Call{call("slide.variant", variant{DeckID: harness.Project, Slide: sc.slideID, Style: sc.style})}},
		draws(sc.seed),
		after("slide.variant", "The variant is in the deck now."),
	}
}

func TestALingeringClientBringsAKeyAndGetsAVariantOfASlide(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	deck := harness.MakeDeck(t, rng)
	slide := deck.Slides[rng.IntN(len(deck.Slides))]
	style := harness.Pick(rng, strings.Fields("letterpress neon watercolour brutalist herbarium blueprint"))
	words := harness.Pick(rng, []string{"Please try slide NN in a STYLE look", "Could slide NN be more STYLE?", "STYLE version of page NN, same facts"})
	words = strings.NewReplacer("NN", strings.TrimLeft(slide.ID, "0"), "STYLE", style).Replace(words)
	play(t, rng, scene{words: words, query: style + " aesthetic", slideID: slide.ID, style: style, slide: slide.Path, seed: rng.Uint64(),
		options: harness.Options{Deck: deck.Folder}})
}

func TestTheScenarioOfTheSpecificationRunsOnTheBuiltInDeck(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s, provider := play(t, rng, scene{words: "Give me a Chroma-style variant of slide 4.", query: "Chroma deck aesthetic", slideID: "04", style: "chroma",
		slide: "slides/04-value-proposition.html", seed: rng.Uint64()})
	found := false
	for _, seen := range provider.Requests("") {
		found = found || strings.Contains(seen.Raw, "chroma-deck-aesthetic.md")
	}
	if !found {
		t.Error("the house's note on the Chroma look never reached the model")
	}
	for _, org := range []string{"demo", "paying-client"} {
		if repo := s.Repo(org); len(repo.Merges()) != 0 || len(repo.Branches("chat/")) != 0 {
			t.Errorf("the deck of %s moved with another org's", org)
		}
	}
}

// play tells a scene from the login to the next turn.
func play(t *testing.T, rng *rand.Rand, sc scene) (*harness.Server, *harness.Provider) {
	t.Helper()
	s, provider := bare(t, sc.options, sc.rounds()...)
	lin := s.SignIn("lin")
	message := harness.Say(sc.words)
	message.Tools = []string{"slide.*", "deck.*"}

	key := bringKey(t, rng, lin, provider, message)
	repo := s.Repo("lingering-client")
	working := repo.Working()
	before, files := repo.Tip(working), repo.Files(working)

	stream := lin.Chat(message)
	preview := stream.Preview()
	turn := stream.Turn()
	checkAsked(t, lin, provider.Requests(key))
	checkPreview(t, lin, preview, sc, files[sc.slide])
	branch := checkSide(t, repo, sc, before, working)

	taken := lin.Accept(turn, preview)
	if len(taken.Results) != 1 || taken.Results[0].Outcome != agent.OutcomeTaken || taken.Results[0].Decision != agent.VerdictAccepted {
		t.Errorf("accepting gave %+v", taken)
	}
	if done := stream.Completed(); done.Text != "The variant is in the deck now." {
		t.Errorf("the answer is %q", done.Text)
	}
	checkMerged(t, repo, sc, turn, preview.CallID, before, branch, files)
	checkRow(t, s, turn, sc)

	next := lin.Chat(harness.Say("And what now?").In(stream.Thread()))
	next.Completed()
	row := s.Transcript(next.Turn())
	if row.CacheRead == nil || *row.CacheRead <= 0 || row.TurnIndex != 1 || row.Thread != stream.Thread() {
		t.Errorf("the second turn's row does not tell of the cache: %+v", row)
	}
	checkNight(t, s, lin, stream.Thread(), sc)
	return s, provider
}

// bringKey goes from "a key is required" to a stored and tested key.
func bringKey(t *testing.T, rng *rand.Rand, lin *harness.User, provider *harness.Provider, message harness.Chat) string {
	t.Helper()
	var settings agent.SettingsView
	lin.Must(http.StatusOK, "GET /settings", nil).Into(t, &settings)
	if !settings.KeyRequired || settings.Billing != agent.BillingLingering || settings.Effective.Name != "claude-sonnet-4-6" || !slices.Contains(settings.Providers, "anthropic") {
		t.Errorf("the settings do not ask for a key: %+v", settings)
	}
	refused := lin.Must(http.StatusPaymentRequired, "POST /chat", message).Problem()
	if refused.Code != agent.CodeKeyRequired || refused.Panel != "byok" || refused.Provider != "anthropic" {
		t.Errorf("without a key: %+v", refused)
	}
	if n := len(provider.Requests("")); n != 0 {
		t.Errorf("%d model calls were made without a key", n)
	}
	key := anthropicKey(rng)
	stored := lin.StoreKey("anthropic", key)
	if !stored.Test.OK || stored.Label != "personal" || stored.LastFour != key[len(key)-4:] || strings.Contains(stored.Masked, key[10:20]) {
		t.Errorf("stored as %+v", stored)
	}
	tests := provider.Requests(key)
	if len(tests) != 1 || !*tests[0].Key.Equals || len(body(t, tests[0]).Tools) < 9 {
		t.Errorf("the key was not tested by one real call with the real tools: %d calls", len(tests))
	}
	lin.Must(http.StatusOK, "GET /settings", nil).Into(t, &settings)
	if settings.KeyRequired || settings.KeySource != agent.KeySourceUser {
		t.Errorf("with a key the settings say %+v", settings)
	}
	provider.Reset()
	return key
}

// asked is what a request to Anthropic holds, as far as we look.
type asked struct {
	Model    string
	Tools    []marked
	System   []marked
	Messages []struct {
		Role    string
		Content []marked
	}
}

type marked struct {
	Name  string
	Text  string
	Cache *struct{ Type string } `json:"cache_control"`
}

func body(t *testing.T, seen fake.Seen) (a asked) {
	t.Helper()
	if err := json.Unmarshal(seen.Body, &a); err != nil {
		t.Fatalf("a request with a body that does not read: %v", err)
	}
	return a
}

// checkAsked looks at the three model calls before the preview.
func checkAsked(t *testing.T, lin *harness.User, seen []fake.Seen) {
	t.Helper()
	if len(seen) != 3 {
		t.Fatalf("%d model calls before the preview, want 3", len(seen))
	}
	for i, s := range seen {
		if s.Refused != "" || s.Status != http.StatusOK || !*s.Key.Equals {
			t.Errorf("call %d: status %d %s, the user's key came: %v", i, s.Status, s.Refused, *s.Key.Equals)
		}
	}
	var have agent.Description
	lin.Must(http.StatusOK, "GET /capabilities", nil).Into(t, &have)
	var want []string
	for _, c := range have.Capabilities {
		if c.Shared || strings.HasPrefix(c.Name, "slide.") || strings.HasPrefix(c.Name, "deck.") {
			want = append(want, capability.WireName(c.Name))
		}
	}
	slices.Sort(want)
	if !slices.Contains(want, "corpus_search") || !slices.Contains(want, "slide_variant") || !slices.Contains(want, "deck_export") {
		t.Errorf("the capabilities are %v", want)
	}
	for _, step := range seen[:2] { // the third is the writing of the slide
		checkStep(t, body(t, step), want)
	}
	if len(body(t, seen[2]).Tools) != 0 {
		t.Error("the writing of the slide was given tools")
	}
}

func checkStep(t *testing.T, a asked, want []string) {
	t.Helper()
	var names []string
	for i, tool := range a.Tools {
		names = append(names, tool.Name)
		if (tool.Cache != nil) != (i == len(a.Tools)-1) {
			t.Errorf("tool %d of %d: cache_control %v", i, len(a.Tools), tool.Cache)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the tools sent (-want +got):\n%s", diff)
	}
	if len(a.System) != 2 || a.System[0].Cache == nil || a.System[1].Cache == nil || !strings.Contains(a.System[0].Text, "Dididecks") {
		t.Errorf("the system slabs are %+v", a.System)
	}
	for i, m := range a.Messages {
		for j, b := range m.Content {
			last := i == len(a.Messages)-1 && j == len(m.Content)-1
			if (b.Cache != nil) != last || b.Cache != nil && b.Cache.Type != "ephemeral" {
				t.Errorf("message %d of %d, block %d: cache_control %v", i, len(a.Messages), j, b.Cache)
			}
		}
	}
	if a.Model != "claude-sonnet-4-6" {
		t.Errorf("asked %s", a.Model)
	}
}

// checkPreview looks for the rendered slide and the diff, which holds what the
// model wrote line by line.
func checkPreview(t *testing.T, lin *harness.User, p agent.PreviewShown, sc scene, old string) {
	t.Helper()
	texts := map[agent.ArtifactKind]string{}
	for _, a := range p.Artifacts {
		text := a.Text
		if a.Digest != "" {
			text = string(lin.Must(http.StatusOK, "GET /calls/"+string(p.CallID)+"/artifacts/"+a.Digest, nil).Body)
		}
		texts[a.Kind] += text
	}
	if !strings.Contains(texts[agent.ArtifactHTML], "<h1>") || strings.Contains(texts[agent.ArtifactHTML], "<script") {
		t.Errorf("the rendered slide is %.300q", texts[agent.ArtifactHTML])
	}
	diff := texts[agent.ArtifactDiff]
	for line := range strings.Lines(drawn(sc.seed)) {
		if !strings.Contains(diff, "\n+"+line) && !strings.Contains(old, line) {
			t.Errorf("the diff lacks the line %q:\n%s", line, diff)
		}
	}
	if !strings.Contains(diff, "+++ b/"+sc.slide) || p.Name != "slide.variant" || p.Summary == "" || p.ExpiresAt == 0 {
		t.Errorf("the preview is %+v", p)
	}
}

// checkSide looks for the side branch; the working branch stands where it stood.
func checkSide(t *testing.T, repo harness.Repo, sc scene, before, working string) (branch string) {
	t.Helper()
	branches := repo.Branches("chat/")
	form := regexp.MustCompile(`^chat/slide-` + sc.slideID + `-` + sc.style + `-\d{8}-\d{6}$`)
	if len(branches) != 1 || !form.MatchString(branches[0]) {
		t.Fatalf("the side branches are %v, want one like %s", branches, form)
	}
	if got := repo.Files(branches[0])[sc.slide]; got != drawn(sc.seed) {
		t.Errorf("the side branch holds %q", got)
	}
	if repo.Tip(working) != before {
		t.Error("the working branch moved before the accept")
	}
	return branches[0]
}

func checkMerged(t *testing.T, repo harness.Repo, sc scene, turn agent.TurnID, id agent.CallID, before, branch string, files map[string]string) {
	t.Helper()
	merges := repo.Merges()
	if len(merges) != 1 || merges[0].Key != agent.LedgerKey(turn, id, agent.PhaseApply) {
		t.Fatalf("the merge commits are %+v", merges)
	}
	tip := repo.Tip(repo.Working())
	if tip != merges[0].Commit || repo.Tip(tip+"^1") != before {
		t.Errorf("the working branch is at %s, the merge at %s over %s", tip, merges[0].Commit, before)
	}
	want := map[string]string{}
	for path, text := range files {
		want[path] = text
	}
	want[sc.slide] = drawn(sc.seed)
	if diff := cmp.Diff(want, repo.Files(tip)); diff != "" {
		t.Errorf("the deck after the accept (-want +got):\n%s", diff)
	}
	if left := repo.Branches("chat/"); len(left) != 0 {
		t.Errorf("the side branch %s stayed: %v", branch, left)
	}
}

func checkRow(t *testing.T, s *harness.Server, turn agent.TurnID, sc scene) {
	t.Helper()
	row := s.Transcript(turn)
	if row.KeySource != agent.KeySourceUser || row.Model != "claude-sonnet-4-6" || row.UserMessage != sc.words || row.Project != harness.Project {
		t.Errorf("the transcript row is %+v", row)
	}
	for name, n := range map[string]*int64{"tokens_in": row.TokensIn, "tokens_out": row.TokensOut, "cache_creation_tokens": row.CacheCreation, "latency_ms": row.LatencyMS} {
		if n == nil || *n <= 0 {
			t.Errorf("%s is not told", name)
		}
	}
	all := results(t, row)
	if len(all) != 2 || all[0].Name != "corpus.search" || !all[0].OK || all[1].Name != "slide.variant" || !all[1].OK || all[1].Decision != agent.ReceiptAccepted {
		t.Errorf("tool_results: %+v", all)
	}
}

func TestTheRequestBodyOfTheSpecificationIsAccepted(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng)
	answer := s.lin.Must(http.StatusOK, "POST /chat", `{
  "projectId": "demo-deck",
  "messages": [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Give me a Chroma-style variant of slide 4."}],
  "model": "claude-sonnet-4-6",
  "tools": ["slide.read", "slide.edit"]
}`)
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") || !strings.Contains(string(answer.Body), "event: turn.completed\n") {
		t.Errorf("answered %s: %s", kind, answer)
	}
	seen := s.provider.Requests("")
	if len(seen) != 1 {
		t.Fatalf("%d model calls", len(seen))
	}
	a := body(t, seen[0])
	var names []string
	for _, tool := range a.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"cache_note", "cache_recall", "capability_help", "corpus_search", "facts_list", "reminders_read", "reminders_suggest", "slide_edit", "slide_read"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}
	if len(a.Messages) != 1 || strings.Contains(seen[0].Raw, "Hello.") {
		t.Error("words that the client put into the assistant's mouth reached the model")
	}
}
