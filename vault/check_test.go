package vault

import (
	"context"
	"errors"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func mustParse(tb testing.TB, text string) MasterKeys {
	tb.Helper()
	m, err := ParseMaster(text)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestAMasterKeyIsProvedByWhatIsStored(t *testing.T) {
	ours, other := "v1:"+master1, "v1:"+master2
	for name, c := range map[string]struct {
		fill    func(tb testing.TB, rows *fakeRows)
		master  string
		says    string // "" where it is the right one
		damaged int
	}{
		"nothing is stored":                  {func(testing.TB, *fakeRows) {}, other, "", 0},
		"the right one":                      {func(tb testing.TB, r *fakeRows) { put(tb, safe(tb, r, ours), alice, "anthropic", "a", canary) }, ours, "", 0},
		"another one, over a user's key":     {func(tb testing.TB, r *fakeRows) { put(tb, safe(tb, r, ours), alice, "anthropic", "a", canary) }, other, "v1 is not the one", 0},
		"another one, over an org's key":     {putOrg(ours), other, "v1 is not the one", 0},
		"a version that is not there":        {putOrg("v2:" + master1), ours, "v2 is missing", 0},
		"a new version beside the right one": {putOrg(ours), ours + ",v2:" + master2, "", 0},
		"the old version is another key": {func(tb testing.TB, r *fakeRows) {
			putOrg(ours)(tb, r)
			put(tb, safe(tb, r, "v2:"+master2), alice, "anthropic", "a", canary)
		}, "v1:" + master2 + ",v2:" + master2, "v1 is not the one", 0},
		"one key that was stored under another one": {func(tb testing.TB, r *fakeRows) {
			put(tb, safe(tb, r, ours), alice, "anthropic", "a", canary)
			put(tb, safe(tb, r, other), bob, "anthropic", "a", canary)
		}, ours, "", 1},
		"the only key of it was ended": {func(tb testing.TB, r *fakeRows) {
			v := safe(tb, r, ours)
			put(tb, v, alice, "anthropic", "a", canary)
			if err := v.Revoke(alice, "key_1"); err != nil {
				tb.Fatal(err)
			}
		}, other, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			rows := newFakeRows()
			c.fill(t, rows)
			damaged, err := Check(context.Background(), rows, mustParse(t, c.master))
			if damaged != c.damaged {
				t.Errorf("%d damaged, want %d", damaged, c.damaged)
			}
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *agent.Error
			if !errors.As(err, &e) || e.Code != agent.CodeUnavailable || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, "backup") || strings.Contains(e.Hint, "rand") {
				t.Errorf("%v", err)
			}
		})
	}
}

func putOrg(master string) func(testing.TB, *fakeRows) {
	return func(tb testing.TB, rows *fakeRows) {
		tb.Helper()
		if err := safe(tb, rows, master).PutOrg(alice, "openai", agent.NewSecret(canary)); err != nil {
			tb.Fatal(err)
		}
	}
}

func TestAStoreThatFailsIsNoWrongMasterKey(t *testing.T) {
	rows := newFakeRows()
	rows.err = agent.Errorf(agent.CodeStorageBusy, "busy")
	if _, err := Check(context.Background(), rows, mustParse(t, master1)); agent.ErrorCode(err) != agent.CodeStorageBusy {
		t.Errorf("%v", err)
	}
}

func TestResealingLeavesWhatDoesNotOpenAndSealsTheRest(t *testing.T) {
	rows := newFakeRows()
	put(t, safe(t, rows, "v1:"+master1), alice, "anthropic", "a", canary)
	put(t, safe(t, rows, "v1:"+master2), bob, "anthropic", "a", canary) // under another key that is called v1 as well
	put(t, safe(t, rows, "v1:"+master1), paying, "anthropic", "a", canary)
	both := safe(t, rows, "v1:"+master1+",v2:"+master2)
	n, err := both.Reseal(context.Background())
	var e *agent.Error
	if n != 2 || !errors.As(err, &e) || !strings.Contains(e.Message, "One stored key") || !strings.Contains(e.Hint, "keys remove") || !strings.Contains(e.Error(), "key_2") {
		t.Fatalf("%d sealed, %v", n, err)
	}
	for id, want := range map[string]int{"key_1": 2, "key_2": 1, "key_3": 2} {
		if got := rows.rows[id].KeyVersion; got != want {
			t.Errorf("%s is sealed with v%d, want v%d", id, got, want)
		}
	}
	if err := both.Revoke(bob, "key_2"); err != nil {
		t.Fatal(err)
	}
	if n, err := both.Reseal(context.Background()); n != 2 || err != nil {
		t.Errorf("once it is ended: %d, %v", n, err)
	}
}

func TestAMaskedVaultListsAndEndsKeysAndOpensNone(t *testing.T) {
	rows := newFakeRows()
	put(t, safe(t, rows, master1), alice, "anthropic", "a", canary)
	v, err := Masked(rows)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := v.List(alice); err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if _, err := v.Open(alice, "key_1"); agent.ErrorCode(err) != agent.CodeInternal {
		t.Errorf("opened: %v", err)
	}
	if _, err := v.Put(alice, "anthropic", "b", agent.NewSecret(canary)); err == nil {
		t.Error("stored a key that nobody can open")
	}
	if err := v.Revoke(alice, "key_1"); err != nil {
		t.Error(err)
	}
}
