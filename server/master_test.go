package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/vault"
)

var (
	lin       = agent.Principal{UserID: "user_lin", OrgID: "org_lingering"}
	payingOrg = agent.Principal{UserID: "operator", OrgID: "org_paying", Billing: agent.BillingPaying}
)

// sealedFolder is a data folder in which somebody's key is stored, or the org's.
func sealedFolder(t *testing.T, org bool) string {
	t.Helper()
	dir := t.TempDir()
	s, err := New(context.Background(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if org {
		err = s.Vault().PutOrg(agent.WithPrincipal(context.Background(), payingOrg), "anthropic", agent.NewSecret("sk-ant-0123456789"))
	} else {
		_, err = s.Vault().Put(agent.WithPrincipal(context.Background(), lin), "anthropic", "personal", agent.NewSecret("sk-ant-0123456789"))
	}
	if err := errors.Join(err, s.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAWrongMasterKeyStopsWhateverWouldUseIt(t *testing.T) {
	const wrong = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for name, org := range map[string]bool{"over a personal key": false, "over an org's key": true} {
		t.Run(name, func(t *testing.T) {
			dir := sealedFolder(t, org)
			path := filepath.Join(dir, masterFile)
			right, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("v1:"+wrong+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			at := Databases{Data: dir}
			uses := map[string]func() error{
				"the start": func() error { _, err := New(context.Background(), config(dir)); return err },
				"keys set":  func() error { _, err := OpenKeys(context.Background(), at); return err },
				"rotation":  func() error { _, err := RotateMaster(context.Background(), at); return err },
			}
			refused := func(from string) {
				t.Helper()
				for use, f := range uses {
					if use == "rotation" && from != path {
						continue // the environment's is not rotated at all
					}
					var e *agent.Error
					if err := f(); !errors.As(err, &e) || !strings.Contains(e.Message, "not the one that the stored keys were sealed with") ||
						!strings.Contains(e.Hint, from) || !strings.Contains(e.Hint, "keys remove") || strings.Contains(e.Error()+e.Hint, wrong) {
						t.Errorf("%s: %v", use, err)
					}
				}
			}
			refused(path)
			if now, _ := os.ReadFile(path); !strings.Contains(string(now), wrong) || strings.Contains(string(now), "v2") {
				t.Error("the file was written")
			}
			if err := os.WriteFile(path, right, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv(vault.MasterEnv, wrong)
			refused(vault.MasterEnv)
			t.Setenv(vault.MasterEnv, "")
			open(t, config(dir))
			if n, err := RotateMaster(context.Background(), at); n != 1 || err != nil {
				t.Errorf("rotation under the right key: %d, %v", n, err)
			}
		})
	}
}

func TestAHintOverStoredKeysNeverLeadsToANewMasterKey(t *testing.T) {
	dir := sealedFolder(t, false)
	path := filepath.Join(dir, masterFile)
	for name, set := range map[string]func(){
		"malformed in the environment": func() { t.Setenv(vault.MasterEnv, "too short") },
		"malformed in the file":        func() { t.Setenv(vault.MasterEnv, ""); _ = os.WriteFile(path, []byte("no key"), 0o600) },
		"missing":                      func() { t.Setenv(vault.MasterEnv, ""); _ = os.Remove(path) },
	} {
		set()
		_, err := New(context.Background(), config(dir))
		var e *agent.Error
		if !errors.As(err, &e) || strings.Contains(e.Hint, "openssl") || !strings.Contains(e.Hint, "backup") || !strings.Contains(e.Hint, "opens nothing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnEmptiedDatabaseIsNotTakenForANewOne(t *testing.T) {
	dir := sealedFolder(t, false)
	path := filepath.Join(dir, databaseFile)
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := New(context.Background(), config(dir))
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.CodeUnavailable || !strings.Contains(e.Message, "is empty") || !strings.Contains(e.Hint, "backup") {
		t.Fatalf("%v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("it was written: %v, %v", info, err)
	}
	fresh := t.TempDir() // a first start that died early leaves this
	if err := os.WriteFile(filepath.Join(fresh, databaseFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, config(fresh))
}

func TestAMasterKeyThatIsGoneForGoodIsLeftBehindByEndingItsKeys(t *testing.T) {
	dir := sealedFolder(t, false)
	if err := os.Remove(filepath.Join(dir, masterFile)); err != nil {
		t.Fatal(err)
	}
	k, err := ListKeys(context.Background(), Databases{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx := agent.WithPrincipal(context.Background(), lin)
	list, err := k.Vault.List(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if err := errors.Join(k.Vault.Revoke(ctx, list[0].ID), k.Close()); err != nil {
		t.Fatal(err)
	}
	s := open(t, config(dir))
	if _, err := s.Vault().Put(ctx, "anthropic", "personal", agent.NewSecret("sk-ant-0123456789")); err != nil {
		t.Error(err)
	}
}
