package api

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// canaries are the forms in which a key could be found, whole or in part. The
// beginning that tells the provider and the last four are shown on purpose.
func canaries(key string) (forms []string) {
	core := key[strings.LastIndex(key[:14], "-")+1 : len(key)-4]
	half := len(core) / 2
	for _, part := range []string{key, core, core[:half], core[half:]} {
		forms = append(forms, part, base64.StdEncoding.EncodeToString([]byte(part)), hex.EncodeToString([]byte(part)), url.QueryEscape(part))
	}
	return forms
}

func TestAKeysBytesAreNowhereButInItsProvidersRequests(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	fault := func(words string, f scripted.Fault) scripted.Round {
		return scripted.Round{When: &scripted.When{LastUser: exactly(words)}, Text: scripted.Text{"some words"}, Fault: &f}
	}
	rounds := append(variants("a variant", "02", "bold", rng.Uint64()),
		fault("refuse", scripted.Fault{Kind: scripted.FaultStatus, Status: 401}), fault("fail", scripted.Fault{Kind: scripted.FaultError, Status: 401, After: 1}),
		fault("break", scripted.Fault{Kind: scripted.FaultGarbage, After: 1}), fault("refuse the request", scripted.Fault{Kind: scripted.FaultStatus, Status: 400}))
	s, provider := bare(t, harness.Options{}, rounds...)
	lin := s.SignIn("lin")
	first, second := anthropicKey(rng), anthropicKey(rng)
	third := strings.Replace(anthropicKey(rng), "sk-ant-api03-", "sk-proj-", 1)
	wrong := "sk-ant-api03-invalid" + anthropicKey(rng)[13:]
	id := lin.StoreKey("anthropic", first).ID
	lin.StoreKey("openai", third)
	lin.Must(http.StatusPaymentRequired, "POST /keys", map[string]string{"provider": "anthropic", "label": "x", "key": wrong})
	lin.Must(http.StatusPaymentRequired, "POST /keys", map[string]string{"provider": "openai", "label": "x", "key": strings.Replace(wrong, "sk-ant-api03-", "sk-proj-", 1)})
	lin.Do("POST /keys", map[string]string{"provider": "anthropic", "key": third})
	lin.Do("POST /keys", map[string]string{"provider": "anthropic", "key": first + "\n"})
	lin.Do("POST /keys", map[string]string{"provider": "anthropic", "key": first, first: first})
	lin.Do("POST /keys", `{"provider":"anthropic","key":"`+first+`",}`)

	thread := tour(t, lin, id)
	var rotated agent.StoredKey
	lin.Must(http.StatusOK, "POST /keys/"+id+"/rotate", map[string]string{"key": second}).Into(t, &rotated)
	lin.Chat(harness.Say("and now?").In(thread)).Completed()
	lin.Must(http.StatusNoContent, "DELETE /keys/"+rotated.ID, nil)
	lin.Must(http.StatusPaymentRequired, "POST /chat", harness.Say("still there?"))
	for _, format := range []string{"md", "json"} {
		lin.Must(http.StatusOK, "GET /threads/"+string(thread)+"/export?format="+format, nil)
	}

	used := map[string]bool{}
	for _, key := range []string{first, second, third} {
		for _, seen := range provider.Requests(key) {
			used[key] = used[key] || *seen.Key.Equals
			if strings.Contains(seen.Raw, key[14:30]) {
				t.Error("a key stands in the body of a request")
			}
		}
	}
	if len(used) != 3 || !used[first] || !used[second] || !used[third] {
		t.Errorf("not every key reached its provider: %v", len(used))
	}
	places := map[string][]byte{"an answer or a stream": []byte(s.Heard()), "the log": []byte(s.Log())}
	s.Stop()
	files(t, s.Data, places)
	for place, data := range places {
		for _, key := range []string{first, second, third, wrong} {
			for _, form := range canaries(key) {
				if bytes.Contains(data, []byte(form)) {
					t.Errorf("a key stands in %s", place)
				}
			}
		}
	}
	if len(places) < 8 || !bytes.Contains(places["the log"], []byte("listening")) || len(places["an answer or a stream"]) < 10_000 {
		t.Errorf("only %d places were searched", len(places))
	}
}

// tour does what a user does, and what goes wrong on the way; it gives a thread.
func tour(t *testing.T, lin *harness.User, key string) agent.ThreadID {
	t.Helper()
	stream := lin.Chat(harness.Say("a variant"))
	lin.Accept(stream.Turn(), stream.Preview())
	stream.Completed()
	for _, words := range []string{"refuse", "fail", "break", "refuse the request"} {
		turn := lin.Begin(harness.Say(words))
		lin.Attach(turn.ID, "").Failed()
	}
	lin.Do("POST /chat", harness.Say("refuse"))
	openai := harness.Say("refuse")
	openai.Model = "gpt-5.2"
	lin.Attach(lin.Begin(openai).ID, "").Failed()
	lin.Must(http.StatusOK, "POST /keys/"+key+"/test", nil)
	for _, what := range []string{"GET /keys", "GET /settings", "GET /capabilities", "GET /threads", "GET /threads/" + string(stream.Thread())} {
		lin.Must(http.StatusOK, what, nil)
	}
	return stream.Thread()
}

// files adds every file of the data folder.
func files(t *testing.T, dir string, places map[string][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		places[path] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
