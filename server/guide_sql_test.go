package server

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheGuidesStatementSetsWhatMembersMayHaveRememberedBesideARunningServer(t *testing.T) {
	guide, err := os.ReadFile("../docs/guides/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```sql\n(.*?)```").FindSubmatch(guide)
	if shown == nil {
		t.Fatal("the guide shows no statement")
	}
	dir := t.TempDir()
	s := open(t, config(dir))
	db, err := sql.Open("sqlite", filepath.Join(dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), strings.Replace(string(shown[1]), "SLUG", "paying-client", 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.store.RefreshPolicies(t.Context()); err != nil { // as the server does every 5 s
		t.Fatal(err)
	}
	ctx := agent.WithPrincipal(context.Background(), agent.Principal{UserID: "user_pay", OrgID: "org_paying"})
	p, err := s.store.Policy(ctx)
	if err != nil || p.Remember != agent.RememberMutate || p.RememberDays != 14 {
		t.Errorf("%+v, %v", p, err)
	}
}
