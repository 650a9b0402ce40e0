package vault

import (
	"context"
	"path/filepath"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// one row, enough for a vault that opens and reseals it.
type oneRow struct {
	agent.KeyRows
	row agent.KeyRow
}

func (o *oneRow) PutKey(_ context.Context, row agent.KeyRow) error  { o.row = row; return nil }
func (o *oneRow) Key(context.Context, string) (agent.KeyRow, error) { return o.row, nil }
func (o *oneRow) EachKey(_ context.Context, reseal func(agent.KeyRow) (agent.KeyRow, error)) (int, error) {
	row, err := reseal(o.row)
	o.row = row
	return 1, err
}

func TestARotationBesideARunningServerNeedsNoRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	first, err := LoadOrCreateMaster(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := &oneRow{}
	running, err := New(Config{Rows: rows, Master: first, Reload: func() (MasterKeys, error) { return LoadMaster(path) }})
	if err != nil {
		t.Fatal(err)
	}
	stubborn, err := New(Config{Rows: rows, Master: first})
	if err != nil {
		t.Fatal(err)
	}
	ctx := agent.WithPrincipal(context.Background(), agent.Principal{UserID: "u", OrgID: "o"})
	info, err := running.Put(ctx, "anthropic", "personal", agent.NewSecret("sk-ant-0123456789"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := AddMaster(path)
	if err != nil {
		t.Fatal(err)
	}
	rotating, err := New(Config{Rows: rows, Master: second})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := rotating.Reseal(ctx); n != 1 || err != nil || rows.row.KeyVersion != 2 {
		t.Fatalf("%d, %v, version %d", n, err, rows.row.KeyVersion)
	}
	ref, err := running.Open(ctx, info.ID)
	if err != nil || ref.Secret.Reveal() != "sk-ant-0123456789" {
		t.Fatalf("%v", err)
	}
	if _, err := stubborn.Open(ctx, info.ID); agent.ErrorCode(err) != agent.CodeInternal {
		t.Fatalf("without Reload: %v", err)
	}
}
