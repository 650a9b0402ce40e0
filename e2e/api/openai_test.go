package api

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// story is the acceptance scenario as another provider plays it.
func story(seed uint64) []scripted.Round {
	return scene{words: "a bold variant of slide 6", query: "bold", slideID: "06", style: "bold", seed: seed}.rounds()
}

// live plays the story as a user of a model and checks what does not depend on the
// provider; it gives the turn.
func live(t *testing.T, s *harness.Server, u *harness.User, org, model string, seed uint64) agent.TurnID {
	t.Helper()
	message := harness.Say("a bold variant of slide 6")
	message.Model, message.Tools = model, []string{"slide.*", "deck.*"}
	stream := u.Chat(message)
	u.Accept(stream.Turn(), stream.Preview())
	if done := stream.Completed(); done.Text != "The variant is in the deck now." {
		t.Errorf("the answer is %q", done.Text)
	}
	repo := s.Repo(org)
	if merges := mergesOf(repo, stream.Turn()); len(merges) != 1 || repo.Files("HEAD")["slides/06-voices.html"] != drawn(seed) {
		t.Errorf("merged %+v", merges)
	}
	if row := s.Transcript(stream.Turn()); row.Model != model || sum(row.TokensIn, row.CacheRead, row.CacheCreation) <= 0 || sum(row.TokensOut) <= 0 {
		t.Errorf("the transcript row is %+v", row)
	}
	return stream.Turn()
}

func sum(counts ...*int64) (total int64) {
	for _, n := range counts {
		if n != nil {
			total += *n
		}
	}
	return total
}

// toolNames gives the tools of a request to OpenAI, of either wire.
func toolNames(t *testing.T, seen fake.Seen) (names []string) {
	t.Helper()
	var a struct {
		Tools []struct {
			Name     string
			Function struct{ Name string }
		}
	}
	if err := json.Unmarshal(seen.Body, &a); err != nil {
		t.Fatal(err)
	}
	for _, tool := range a.Tools {
		names = append(names, tool.Name+tool.Function.Name)
	}
	return names
}

func TestTheScenarioRunsOnOpenAIWithTheUsersOwnKey(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	seed := rng.Uint64()
	s, provider := bare(t, harness.Options{}, story(seed)...)
	lin := s.SignIn("lin")
	message := harness.Say("hello")
	message.Model = "gpt-5.2"
	if p := lin.Must(http.StatusPaymentRequired, "POST /chat", message).Problem(); p.Code != agent.CodeKeyRequired || p.Provider != "openai" {
		t.Errorf("without a key: %+v", p)
	}
	key := strings.Replace(anthropicKey(rng), "sk-ant-api03-", "sk-proj-", 1)
	if stored := lin.StoreKey("openai", key); !stored.Test.OK || stored.Test.Model != "gpt-5.2" {
		t.Errorf("the test of the key: %+v", stored)
	}
	provider.Reset()
	turn := live(t, s, lin, "lingering-client", "gpt-5.2", seed)
	if row := s.Transcript(turn); row.KeySource != agent.KeySourceUser {
		t.Errorf("the key source is %s", row.KeySource)
	}
	seen := provider.Requests(key)
	if len(seen) != 4 {
		t.Fatalf("%d model calls, want 4", len(seen))
	}
	for _, one := range seen {
		if one.Path != "/v1/responses" || one.Refused != "" || !*one.Key.Equals || one.Key.Header != "authorization" {
			t.Errorf("a call to %s: %s, the key in %q, equal: %v", one.Path, one.Refused, one.Key.Header, *one.Key.Equals)
		}
	}
	if names := toolNames(t, seen[0]); !slices.Contains(names, capability.WireName("deck.og_image")) || !slices.Contains(names, "corpus_search") {
		t.Errorf("the tools are %v", names)
	}
	// The default is Anthropic's model still, and for that there is no key.
	if p := lin.Must(http.StatusPaymentRequired, "POST /chat", harness.Say("hello")).Problem(); p.Provider != "anthropic" {
		t.Errorf("on the default model: %+v", p)
	}
}

func TestTheScenarioRunsOnAnOperatorsKeylessEndpoint(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	seed := rng.Uint64()
	provider := harness.StartProvider(t, programs, "--keyless")
	provider.Play(append(story(seed), ok())...)
	config := filepath.Join(t.TempDir(), "in-app-agent.yaml")
	text := "model:\n  default: house-model\nproviders:\n  - id: house\n    kind: openai\n    api: chat\n    keyless: true\n    baseUrl: " +
		provider.URL + "/v1/\n    models: [house-model]\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := harness.Start(t, harness.Options{Programs: programs, Provider: provider, Args: []string{"--config", config}})
	lin := s.SignIn("lin")
	var settings agent.SettingsView
	lin.Must(http.StatusOK, "GET /settings", nil).Into(t, &settings)
	if settings.KeyRequired || settings.Effective.Name != "house-model" || settings.KeySource != agent.KeySourceNone || slices.Contains(settings.Providers, "house") {
		t.Errorf("the settings are %+v", settings)
	}
	turn := live(t, s, lin, "lingering-client", "house-model", seed)
	if row := s.Transcript(turn); row.KeySource != agent.KeySourceNone {
		t.Errorf("the key source is %s", row.KeySource)
	}
	for _, one := range provider.Requests("") {
		if one.Path != "/v1/chat/completions" || one.Key.Header != "" {
			t.Errorf("a call to %s with a key in %q", one.Path, one.Key.Header)
		}
	}
}

func TestAPayingOrgUsesTheServersKey(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	key := anthropicKey(rng)
	s, provider := bare(t, harness.Options{Env: []string{"ANTHROPIC_API_KEY=" + key}})
	pay := s.SignIn("pay")
	stream := pay.Chat(harness.Say("hello"))
	stream.Completed()
	if row := s.Transcript(stream.Turn()); row.KeySource != agent.KeySourceOrg || row.Model != "claude-sonnet-4-6" {
		t.Errorf("the transcript row is %+v", row)
	}
	seen := provider.Requests(key)
	if len(seen) != 1 || !*seen[0].Key.Equals {
		t.Errorf("%d model calls, not all with the server's key", len(seen))
	}
	if p := s.SignIn("lin").Must(http.StatusPaymentRequired, "POST /chat", harness.Say("hello")).Problem(); p.Code != agent.CodeKeyRequired {
		t.Errorf("a lingering client on the server's key: %+v", p)
	}
	if strings.Contains(s.Heard()+s.Log(), key[12:40]) {
		t.Error("the server's key was told")
	}
}
