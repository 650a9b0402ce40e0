package vault

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// fakeRows keeps key rows as a store does: tenants from the context.
type fakeRows struct {
	rows  map[string]agent.KeyRow
	order []string
	spoil func(*agent.KeyRow) // applied to what is stored
	err   error
}

func newFakeRows() *fakeRows { return &fakeRows{rows: make(map[string]agent.KeyRow)} }

func (f *fakeRows) put(row agent.KeyRow) error {
	if f.err != nil {
		return f.err
	}
	if f.spoil != nil {
		f.spoil(&row)
	}
	f.rows[row.ID] = row
	f.order = append([]string{row.ID}, f.order...)
	return nil
}

func (f *fakeRows) PutKey(_ context.Context, row agent.KeyRow) error {
	for id, r := range f.rows {
		if r.UserID == row.UserID && r.Provider == row.Provider && r.Label == row.Label && r.UserID != "" {
			r.RevokedAt = row.CreatedAt
			f.rows[id] = r
		}
	}
	return f.put(row)
}

func (f *fakeRows) Keys(ctx context.Context, provider string) ([]agent.KeyRow, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	var list []agent.KeyRow
	for _, id := range f.order {
		r := f.rows[id]
		if r.UserID == p.UserID && r.RevokedAt == 0 && (provider == "" || r.Provider == provider) {
			list = append(list, r)
		}
	}
	return list, f.err
}

func (f *fakeRows) Key(ctx context.Context, id string) (agent.KeyRow, error) {
	list, err := f.Keys(ctx, "")
	if err != nil {
		return agent.KeyRow{}, err
	}
	for _, r := range list {
		if r.ID == id {
			return r, nil
		}
	}
	return agent.KeyRow{}, agent.NotFound("key")
}

func (f *fakeRows) RevokeKey(ctx context.Context, id string, at int64) error {
	r, err := f.Key(ctx, id)
	if err == nil {
		r.RevokedAt = at
		f.rows[id] = r
	}
	return err
}

func (f *fakeRows) TouchKey(ctx context.Context, id string, at int64) error {
	r, err := f.Key(ctx, id)
	if err == nil {
		r.LastUsedAt = at
		f.rows[id] = r
	}
	return err
}

func (f *fakeRows) PutOrgKey(_ context.Context, row agent.KeyRow) error {
	for id, r := range f.rows {
		if r.OrgID == row.OrgID && r.Provider == row.Provider {
			delete(f.rows, id)
		}
	}
	return f.put(row)
}

func (f *fakeRows) OrgKey(ctx context.Context, provider string) (agent.KeyRow, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.KeyRow{}, err
	}
	for _, r := range f.rows {
		if r.OrgID == p.OrgID && r.UserID == "" && r.Provider == provider && r.RevokedAt == 0 {
			return r, f.err
		}
	}
	return agent.KeyRow{}, agent.NotFound("key")
}

func (f *fakeRows) OrgKeys(ctx context.Context) ([]agent.KeyRow, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	var list []agent.KeyRow
	for _, id := range f.order {
		if r, ok := f.rows[id]; ok && r.OrgID == p.OrgID && r.RevokedAt == 0 {
			list = append(list, r)
		}
	}
	return list, f.err
}

func (f *fakeRows) RevokeOrgKey(ctx context.Context, id string, at int64) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	r, ok := f.rows[id]
	if !ok || r.OrgID != p.OrgID || r.RevokedAt != 0 {
		return agent.NotFound("key")
	}
	r.RevokedAt = at
	f.rows[id] = r
	return f.err
}

func (f *fakeRows) EachKey(_ context.Context, reseal func(agent.KeyRow) (agent.KeyRow, error)) (int, error) {
	n := 0
	for _, id := range f.order {
		r, err := reseal(f.rows[id])
		if err != nil {
			return n, err
		}
		f.rows[id] = r
		n++
	}
	return n, f.err
}

func (f *fakeRows) SampleKeys(_ context.Context, n int) ([]agent.KeyRow, error) {
	var list []agent.KeyRow
	seen := map[string]int{}
	for _, id := range f.order {
		r := f.rows[id]
		table := fmt.Sprint(r.KeyVersion, r.OrgID == "")
		if seen[table]++; r.RevokedAt == 0 && seen[table] <= n {
			list = append(list, r)
		}
	}
	return list, f.err
}

// The people of the tests.
var (
	alice  = signed("alice", "acme", agent.BillingLingering)
	bob    = signed("bob", "acme", agent.BillingPaying)
	paying = signed("pia", "payco", agent.BillingPaying)
)

func signed(user, org string, b agent.Billing) context.Context {
	return agent.WithPrincipal(context.Background(), agent.Principal{UserID: user, OrgID: org, Billing: b, Tier: agent.TierUser})
}

// The canary must not come out anywhere; envCanary is the environment's.
const (
	canary    = "sk-ant-CANARY-0123456789-AB12"
	envCanary = "sk-proj-ENVCANARY-0123456789"
)

var master1, master2 = strings.Repeat("A", 43) + "=", base64.StdEncoding.EncodeToString([]byte("another master key of 32 bytes.."))

// safe is a vault over fakes with a clock and ids that count.
func safe(tb testing.TB, rows *fakeRows, master string) *Vault {
	tb.Helper()
	m, err := ParseMaster(master)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := New(Config{Rows: rows, Master: m, Env: map[string]agent.Secret{"openai": agent.NewSecret(envCanary), "empty": {}},
		Now: func() time.Time { return time.UnixMilli(1000) },
		IDs: func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, len(rows.order)+1) }})
	if err != nil {
		tb.Fatal(err)
	}
	return v
}
