package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestACommitHasAtMostItsLimitOfFiles(t *testing.T) {
	ctx := t.Context()
	r, err := Init(ctx, t.TempDir(), "work")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for i := range MaxEntries {
		files[fmt.Sprintf("%03d/%d", i%200, i)] = []byte("same")
	}
	m := Message{Subject: "s", When: time.Unix(1_800_000_000, 0)}
	commit, err := r.Write(ctx, "", files, m)
	if err != nil {
		t.Fatal(err)
	}
	if tree, err := r.Tree(ctx, commit); err != nil || len(tree) != MaxEntries {
		t.Fatalf("at the limit: %d files, %v", len(tree), err)
	}
	if commit, err = r.Write(ctx, commit, map[string][]byte{"more": []byte("x")}, m); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tree(ctx, commit); agent.ErrorCode(err) != agent.CodeTooLarge {
		t.Fatalf("over the limit: %v, want too_large", err)
	}
}

func TestTheCacheForgetsBeforeItGrowsOverItsLimit(t *testing.T) {
	c := newBlobCache(100)
	c.put("too big", make([]byte, 26))
	if _, ok := c.get("too big"); ok {
		t.Error("a blob of more than a quarter of the cache was kept")
	}
	for i := range 5 {
		c.put(fmt.Sprint(i), make([]byte, 25))
		c.put(fmt.Sprint(i), make([]byte, 25)) // again: counted once
		if c.size > 100 {
			t.Fatalf("it holds %d bytes", c.size)
		}
	}
	if _, ok := c.get("4"); !ok || len(c.data) != 1 {
		t.Errorf("after it was full it holds %d blobs", len(c.data))
	}
}

func TestOutputStopsAtItsLimit(t *testing.T) {
	var out bytes.Buffer
	w := &limited{w: &out, left: 5}
	if n, err := w.Write([]byte("12345")); n != 5 || err != nil {
		t.Errorf("at the limit: %d, %v", n, err)
	}
	if _, err := w.Write([]byte("6")); !errors.Is(err, errTooMuch) {
		t.Errorf("over the limit: %v", err)
	}
	out.Reset()
	quiet := &limited{w: &out, left: 5, quiet: true}
	if n, err := quiet.Write([]byte("1234567")); n != 7 || err != nil || out.String() != "12345" {
		t.Errorf("a quiet one: %d, %v, %q", n, err, out.String())
	}
}
