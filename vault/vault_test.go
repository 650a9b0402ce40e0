package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func put(tb testing.TB, v *Vault, ctx context.Context, provider, label, key string) agent.KeyInfo {
	tb.Helper()
	info, err := v.Put(ctx, provider, label, agent.NewSecret(key))
	if err != nil {
		tb.Fatal(err)
	}
	return info
}

func TestAKeyOpensForItsOwnerAndForNobodyElse(t *testing.T) {
	v := safe(t, newFakeRows(), master1)
	info := put(t, v, alice, "anthropic", "personal", canary)
	want := agent.KeyInfo{ID: "key_1", Provider: "anthropic", Label: "personal", Masked: "sk-ant-…••••AB12", LastFour: "AB12", CreatedAt: 1000}
	if info != want {
		t.Errorf("told %+v", info)
	}
	for name, find := range map[string]func(context.Context) (agent.KeyRef, error){
		"find": func(ctx context.Context) (agent.KeyRef, error) { return v.Find(ctx, "anthropic") },
		"open": func(ctx context.Context) (agent.KeyRef, error) { return v.Open(ctx, "key_1") },
	} {
		ref, err := find(alice)
		if err != nil || ref.Secret.Reveal() != canary || ref.Source != agent.KeySourceUser || ref.ID != "key_1" || ref.Provider != "anthropic" {
			t.Errorf("%s: %+v, %v", name, ref, err)
		}
		if _, err := find(bob); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%s by another user: %v", name, err)
		}
		if _, err := find(context.Background()); err == nil {
			t.Errorf("%s by nobody", name)
		}
	}
	if _, err := v.Find(alice, "openai"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("another provider: %v", err)
	}
}

func TestTheNewestKeyIsFoundAndTheSameLabelReplaces(t *testing.T) {
	rows := newFakeRows()
	v := safe(t, rows, master1)
	put(t, v, alice, "anthropic", "personal", canary+"1")
	put(t, v, alice, "anthropic", "work", canary+"2")
	put(t, v, alice, "anthropic", "personal", canary+"3")
	list, err := v.List(alice)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if ref, err := v.Find(alice, "anthropic"); err != nil || ref.Secret.Reveal() != canary+"3" {
		t.Errorf("%+v, %v", ref, err)
	}
	if err := v.Revoke(alice, "key_3"); err != nil {
		t.Fatal(err)
	}
	if ref, err := v.Find(alice, "anthropic"); err != nil || ref.Secret.Reveal() != canary+"2" {
		t.Errorf("after revoking: %+v, %v", ref, err)
	}
	if err := v.Revoke(bob, "key_2"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("revoked by another: %v", err)
	}
}

func TestTheOrgsKeyIsForItsMembersAndTheEnvironmentsForPayingOrgs(t *testing.T) {
	v := safe(t, newFakeRows(), master1)
	if err := v.PutOrg(alice, "anthropic", agent.NewSecret(canary)); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, provider string
		ctx            context.Context
		want, id       string
	}{
		{"a member", "anthropic", bob, canary, "key_1"},
		{"another org", "anthropic", paying, "", ""},
		{"a paying org without a key", "openai", paying, envCanary, "env:openai"},
		{"a lingering org without a key", "openai", alice, "", ""},
		{"an empty key of the environment", "empty", paying, "", ""},
	}
	for _, c := range cases {
		ref, err := v.FindOrg(c.ctx, c.provider)
		if c.want == "" {
			if agent.ErrorCode(err) != agent.CodeNotFound {
				t.Errorf("%s: %+v, %v", c.name, ref, err)
			}
			continue
		}
		if err != nil || ref.Secret.Reveal() != c.want || ref.Source != agent.KeySourceOrg || ref.ID != c.id {
			t.Errorf("%s: %+v, %v", c.name, ref, err)
		}
	}
	if _, err := v.Find(alice, "anthropic"); agent.ErrorCode(err) != agent.CodeNotFound {
		t.Errorf("the org's key was found as the user's: %v", err)
	}
}

func TestACiphertextThatWasMovedDoesNotOpen(t *testing.T) {
	moves := map[string]func(from agent.KeyRow, to *agent.KeyRow){
		"to another row":      func(from agent.KeyRow, to *agent.KeyRow) { to.Ciphertext, to.IV = from.Ciphertext, from.IV },
		"to another user":     func(from agent.KeyRow, to *agent.KeyRow) { id := to.UserID; *to = from; to.UserID = id },
		"to another provider": func(from agent.KeyRow, to *agent.KeyRow) { *to = from; to.UserID = "bob"; to.Provider = "anthropic" },
	}
	for name, move := range moves {
		rows := newFakeRows()
		v := safe(t, rows, master1)
		put(t, v, alice, "openai", "personal", canary)
		put(t, v, bob, "openai", "personal", "sk-bobs-own-key-0123456789")
		to := rows.rows["key_2"]
		move(rows.rows["key_1"], &to)
		to.ID = "key_2"
		rows.rows["key_2"] = to
		ref, err := v.Open(bob, "key_2")
		if err == nil || agent.ErrorCode(err) != agent.CodeInternal || !ref.Secret.Empty() {
			t.Errorf("%s: %+v, %v", name, ref, err)
		}
	}
}

func TestARowOfAUserIsNotTheOrgs(t *testing.T) {
	rows := newFakeRows()
	v := safe(t, rows, master1)
	put(t, v, alice, "anthropic", "personal", canary)
	r := rows.rows["key_1"]
	r.UserID, r.OrgID = "", "acme"
	rows.rows["key_1"] = r
	if _, err := v.FindOrg(bob, "anthropic"); agent.ErrorCode(err) != agent.CodeInternal {
		t.Errorf("%v", err)
	}
}

func TestARowThatTheStoreShouldNotHaveGivenDoesNotExist(t *testing.T) {
	v := safe(t, newFakeRows(), master1)
	row := agent.KeyRow{ID: "key_1", UserID: "alice", Provider: "anthropic"}
	revoked, orgs := row, row
	revoked.RevokedAt, orgs.OrgID = 1, "acme"
	for _, r := range []agent.KeyRow{{ID: "x", UserID: "bob"}, revoked, orgs, {ID: "x"}} {
		if _, err := v.ref(alice, r, agent.KeySourceUser); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, r := range []agent.KeyRow{{ID: "x", OrgID: "payco"}, {ID: "x", OrgID: "acme", UserID: "alice"}} {
		if _, err := v.ref(alice, r, agent.KeySourceOrg); agent.ErrorCode(err) != agent.CodeNotFound {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestAKeyThatWouldNotOpenAgainIsNotKept(t *testing.T) {
	spoils := map[string]func(*agent.KeyRow){
		"the store cut it":     func(r *agent.KeyRow) { r.Ciphertext = r.Ciphertext[:len(r.Ciphertext)-1] },
		"the store changed it": func(r *agent.KeyRow) { r.Ciphertext = append([]byte{r.Ciphertext[0] ^ 1}, r.Ciphertext[1:]...) },
		"the nonce is gone":    func(r *agent.KeyRow) { r.IV = nil },
		"another version":      func(r *agent.KeyRow) { r.KeyVersion = 9 },
	}
	for name, spoil := range spoils {
		rows := newFakeRows()
		rows.spoil = spoil
		v := safe(t, rows, master1)
		if _, err := v.Put(alice, "anthropic", "personal", agent.NewSecret(canary)); agent.ErrorCode(err) != agent.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
		if list, _ := v.List(alice); len(list) != 0 {
			t.Errorf("%s: it is still there: %+v", name, list)
		}
		if err := v.PutOrg(alice, "anthropic", agent.NewSecret(canary)); agent.ErrorCode(err) != agent.CodeInternal {
			t.Errorf("%s, the org's: %v", name, err)
		}
	}
}

func TestEachRowHasANonceOfItsOwn(t *testing.T) {
	rows := newFakeRows()
	v := safe(t, rows, master1)
	seen := make(map[string]bool)
	for i := range 200 {
		put(t, v, alice, "anthropic", fmt.Sprint(i), canary)
	}
	for _, r := range rows.rows {
		if len(r.IV) != 12 || seen[string(r.IV)] || bytes.Contains(r.Ciphertext, []byte("CANARY")) {
			t.Fatalf("row %s: nonce %x", r.ID, r.IV)
		}
		seen[string(r.IV)] = true
	}
}

func TestUseIsNotedWhereThereIsARow(t *testing.T) {
	rows := newFakeRows()
	v := safe(t, rows, master1)
	put(t, v, alice, "anthropic", "personal", canary)
	for _, id := range []string{"key_1", "", "env:openai", "key_9"} {
		if err := v.Touch(alice, id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	if list, err := v.List(alice); err != nil || list[0].LastUsedAt != 1000 {
		t.Errorf("%+v, %v", list, err)
	}
	rows.err = agent.Errorf(agent.CodeStorageBusy, "Busy.")
	if err := v.Touch(alice, "key_1"); agent.ErrorCode(err) != agent.CodeStorageBusy {
		t.Errorf("%v", err)
	}
}

func TestAStoreThatFailsIsTold(t *testing.T) {
	rows := newFakeRows()
	v := safe(t, rows, master1)
	put(t, v, alice, "anthropic", "personal", canary)
	rows.err = agent.Errorf(agent.CodeStorageFull, "Full.")
	_, put := v.Put(alice, "openai", "personal", agent.NewSecret(canary))
	_, find := v.Find(alice, "anthropic")
	_, list := v.List(alice)
	for name, err := range map[string]error{"put": put, "put org": v.PutOrg(alice, "x", agent.NewSecret(canary)), "find": find, "list": list} {
		if agent.ErrorCode(err) != agent.CodeStorageFull {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// stranger holds secrets where a careless program could: in fields of its own.
type stranger struct {
	Vault  *Vault
	Config Config
	Ref    agent.KeyRef
	Infos  []agent.KeyInfo
	Rows   map[string]agent.KeyRow
	v      *Vault
	m      MasterKeys
	value  Vault
}

func TestKeyBytesAreNowhereInWhatIsPrinted(t *testing.T) {
	rows := newFakeRows()
	v := safe(t, rows, master2)
	info := put(t, v, alice, "anthropic", "personal", canary)
	ref, err := v.Find(alice, "anthropic")
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Rows: rows, Master: v.master.current(), Env: map[string]agent.Secret{"openai": agent.NewSecret(envCanary)}}
	s := stranger{Vault: v, Config: config, Ref: ref, Infos: []agent.KeyInfo{info}, Rows: rows.rows, v: v, m: v.master.current(), value: *v}
	moved := rows.rows["key_1"]
	moved.UserID = "bob"
	_, opened := v.master.open(moved)
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("all", "vault", v, "master", v.master, "config", config, "ref", ref, "row", moved, "err", opened, "s", s)
	}
	for _, x := range []any{v, *v, &v.master, v.master, config, &config, ref, &ref, s, &s, doesNotOpen(opened), errors.Join(opened), ref.Secret} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&log, verb+"\n", x)
		}
		if data, err := json.Marshal(x); err == nil {
			log.Write(data)
		}
	}
	raw := "another master key of 32 bytes.."
	for what, secret := range map[string]string{"key": canary, "environment's key": envCanary, "master key": raw} {
		for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%d", []byte(secret)), fmt.Sprintf("%#v", []byte(secret)), master2} {
			// a part of it is as bad as the whole
			if part := form[len(form)/4 : 3*len(form)/4]; strings.Contains(log.String(), part) {
				t.Errorf("the %s is printed as %s", what, part)
			}
		}
	}
}

func TestAVaultWithoutStoreOrMasterDoesNotStart(t *testing.T) {
	m, err := ParseMaster(master1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{Master: m}, {Rows: newFakeRows()}} {
		if _, err := New(c); agent.ErrorCode(err) != agent.CodeInvalidInput {
			t.Errorf("%v", err)
		}
	}
	v, err := New(Config{Rows: newFakeRows(), Master: m})
	if err != nil {
		t.Fatal(err)
	}
	if first := v.ids("key"); v.now().IsZero() || first == v.ids("key") {
		t.Errorf("the defaults do not hold: %v", err)
	}
}

func TestOnlyAPublicBeginningIsShown(t *testing.T) {
	for key, want := range map[string]string{
		"sk-ant-api03-0123456789ABCD": "sk-ant-…••••ABCD", "sk-proj-0123456789ABCD": "sk-proj-…••••ABCD", "sk-0123456789abcdefABCD": "sk-…••••ABCD",
		"gsk_0123456789abcdefABCD": "gsk_…••••ABCD", "0123456789abcdefABCD": "••••ABCD", "sk-ant-01234": "••••1234", "sk-ant-0123": "••••",
		"sk-ant-0123456789AB": "••••89AB",
	} {
		s := agent.NewSecret(key)
		if got := info(agent.KeyRow{Prefix: prefix(s), LastFour: s.LastFour()}).Masked; got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

func TestResealingMovesEveryRowToTheNewestMaster(t *testing.T) {
	rows := newFakeRows()
	old := safe(t, rows, "v1:"+master1)
	put(t, old, alice, "anthropic", "personal", canary)
	if err := old.PutOrg(alice, "openai", agent.NewSecret(canary)); err != nil {
		t.Fatal(err)
	}
	if err := old.Revoke(alice, "key_1"); err != nil {
		t.Fatal(err)
	}
	put(t, old, bob, "anthropic", "personal", canary)
	both := safe(t, rows, "v1:"+master1+",v2:"+master2)
	for run := range 2 { // again changes nothing
		before := fmt.Sprint(rows.rows)
		if n, err := both.Reseal(context.Background()); n != 3 || err != nil {
			t.Fatalf("%d rows, %v", n, err)
		}
		if run == 1 && before != fmt.Sprint(rows.rows) {
			t.Error("the second run sealed again")
		}
	}
	alone := safe(t, rows, "v2:"+master2)
	for _, ctx := range []context.Context{alice, bob} {
		if ref, err := alone.FindOrg(ctx, "openai"); err != nil || ref.Secret.Reveal() != canary {
			t.Errorf("the org's key: %v", err)
		}
	}
	if ref, err := alone.Find(bob, "anthropic"); err != nil || ref.Secret.Reveal() != canary {
		t.Errorf("the user's key: %v", err)
	}
	if _, err := old.Find(bob, "anthropic"); agent.ErrorCode(err) != agent.CodeInternal || !strings.Contains(err.Error(), "v2") {
		t.Errorf("without the new master: %v", err)
	}
	lost := safe(t, rows, "v3:"+master1)
	if n, err := lost.Reseal(context.Background()); n != 0 || agent.ErrorCode(err) != agent.CodeInternal {
		t.Errorf("%d, %v", n, err)
	}
}

func TestBindingsOfDifferentRowsDiffer(t *testing.T) {
	rows := []agent.KeyRow{{ID: "ab", UserID: "c"}, {ID: "a", UserID: "bc"}, {ID: "ab", OrgID: "c"}, {ID: "ab", Provider: "c"}, {UserID: "ab", OrgID: "c"}}
	for i, a := range rows {
		for j, b := range rows {
			if (i == j) != reflect.DeepEqual(binding(a), binding(b)) {
				t.Errorf("rows %d and %d", i, j)
			}
		}
	}
}
