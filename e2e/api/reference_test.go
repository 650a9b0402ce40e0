package api

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// referencePage gives docs/reference/http.md.
func referencePage(t *testing.T) string {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/reference/http.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheExampleOfTheReferenceRunsAsItStandsThere(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the example needs %s", tool)
		}
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(referencePage(t), -1)
	if len(blocks) != 1 {
		t.Fatalf("the page has %d blocks of shell, want one", len(blocks))
	}
	s := harness.Start(t, harness.Options{Programs: programs})
	tree := func() string { return s.Repo("demo").Git("rev-parse", "HEAD^{tree}") }
	before := tree()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", "-c", blocks[0][1])
	cmd.Dir, cmd.WaitDelay = t.TempDir(), time.Second
	cmd.Env = append(os.Environ(), "BASE="+s.URL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{`"org":"demo"`, `"outcome":"taken"`, "event: preview", "event: decision", "event: turn.completed", `"phase":"undo"`, `"state":"undone"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %s:\n%s", want, out)
		}
	}
	if merges := s.Repo("demo").Merges(); len(merges) != 1 || tree() != before {
		t.Errorf("the deck has %d merges, and was %s and is %s", len(merges), before, tree())
	}
}

func TestTheUsersOfTheDevelopmentLoginAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| `([a-z-]+)` \\| `([a-z]+)` \\| `([a-z]+)` \\|").FindAllStringSubmatch(referencePage(t), -1)
	s := harness.Start(t, harness.Options{Programs: programs})
	u := s.Anonymous()
	hint := u.Must(http.StatusUnprocessableEntity, "POST /api/dev/login", map[string]string{"user": "nobody"}).Problem().Hint
	if named := regexp.MustCompile(`\b(demo|lin|pay|adm|view)\b`).FindAllString(hint, -1); len(rows) != len(named) {
		t.Errorf("the page has %d users, the server says %q", len(rows), hint)
	}
	for _, row := range rows {
		a := u.Must(http.StatusOK, "POST /api/dev/login", map[string]string{"user": row[1]})
		var answer struct{ User agent.UserInfo }
		a.Into(t, &answer)
		if got := answer.User; got.Org != row[2] || string(got.Tier) != row[3] || string(got.Billing) != row[4] {
			t.Errorf("%s is %+v, and on the page %v", row[1], got, row[2:])
		}
		cookie := a.Header.Get("Set-Cookie")
		for _, want := range []string{"in_app_agent=", "HttpOnly", "SameSite=Lax", "Path=/"} {
			if !strings.Contains(cookie, want) {
				t.Errorf("the cookie of %s lacks %s", row[1], want)
			}
		}
	}
}
