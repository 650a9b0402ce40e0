package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/corpus/ingest"
)

// manyFiles writes Markdown files with front matter and a few sections each, the same
// ones for the same seed, and gives how many sections they have.
func manyFiles(tb testing.TB, dir string, n int) (sections int) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	words := strings.Fields("deck slide margin heron budget memo board round price market partner churn quarter letter colour grid type draft review source")
	say := func(n int) string {
		said := make([]string, n)
		for i := range said {
			said[i] = words[rng.IntN(len(words))]
		}
		return strings.Join(said, " ")
	}
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntitle: %s %d\ncreated_at: 2026-%02d-%02d\nsource_repo_slug: notes\ntags: [%s, %s]\n---\n", say(2), i, 1+i%12, 1+i%28, say(1), say(1))
		for s := range 1 + rng.IntN(8) {
			fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n\n", say(3), say(40), say(30+s))
			sections++
		}
		path := filepath.Join(dir, fmt.Sprintf("part-%02d", i%20), fmt.Sprintf("note-%04d.md", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return sections
}

// dataFolder makes a folder as a first start of the server leaves it.
func dataFolder(tb testing.TB) string {
	tb.Helper()
	data := filepath.Join(tb.TempDir(), "data")
	d, err := openDeck(context.Background(), common{Data: data}, "", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	if err := d.Close(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return data
}

// holds draws all that a tenant's corpus holds of a collection, without its own ids.
func holds(tb testing.TB, data, tenant, collection string) (rows []string) {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(data, "corpus", "tenant-"+tenant+".db"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	list, err := db.QueryContext(tb.Context(), `SELECT source_path || '#' || position || ' ' || title || ' ' || hash || ' ' || date || tags || source_repo
		FROM section WHERE collection = ? ORDER BY source_path, position`, collection)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	for list.Next() {
		var row string
		if err := list.Scan(&row); err != nil {
			tb.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := list.Err(); err != nil {
		tb.Fatal(err)
	}
	return rows
}

func buildProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in-app-agent")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

// TestTwoThousandFilesSurviveKillsInTheMiddle kills the real program at three places,
// and compares what it leaves with what one run without a kill does.
func TestTwoThousandFilesSurviveKillsInTheMiddle(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("it links the program and ingests 2,000 files twice")
	}
	const files = 2_000
	docs := filepath.Join(t.TempDir(), "docs")
	sections := manyFiles(t, docs, files)
	program := buildProgram(t)
	args := func(data string) []string {
		return []string{"ingest", "--data", data, "--tenant", agent.GlobalTenant, "--collection", agent.CollectionContextVigilance, docs}
	}
	smooth := dataFolder(t)
	code, stdout, stderr := out(t, "", args(smooth)...)
	if code != exitOK || !strings.HasPrefix(stdout, fmt.Sprintf("%d files: %d ingested (%d sections, %d of them changed), 0 unchanged, 0 not", files, files, sections, sections)) {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if n := strings.Count(stderr, "\n"); n != plainParts+1 || !strings.HasSuffix(stderr, fmt.Sprintf("%d of %d files, %d sections\n", files, files, sections)) {
		t.Errorf("%d lines of progress: %s", n, stderr)
	}
	whole := holds(t, smooth, agent.GlobalTenant, agent.CollectionContextVigilance)
	if code, stdout, _ = out(t, "", args(smooth)...); code != exitOK || !strings.HasPrefix(stdout, fmt.Sprintf("%d files: 0 ingested (0 sections, 0 of them changed), %d unchanged, 0 not", files, files)) {
		t.Errorf("the second run: exit %d %s", code, stdout)
	}
	if again := holds(t, smooth, agent.GlobalTenant, agent.CollectionContextVigilance); strings.Join(again, "\n") != strings.Join(whole, "\n") {
		t.Error("the second run changed what the corpus holds")
	}
	killed := dataFolder(t)
	for _, at := range []string{"200 of", "800 of", "1400 of"} {
		cmd := exec.CommandContext(t.Context(), program, args(killed)...)
		progress, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(progress); lines.Scan() && !strings.HasPrefix(lines.Text(), at); {
		}
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatalf("it ended before it was killed at %q", at)
		}
	}
	code, stdout, stderr = out(t, "", args(killed)...)
	numbers := regexp.MustCompile(`^2000 files: (\d+) ingested .*, (\d+) unchanged, 0 not`).FindStringSubmatch(stdout)
	if code != exitOK || numbers == nil {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	put, _ := strconv.Atoi(numbers[1])
	left, _ := strconv.Atoi(numbers[2])
	if put+left != files || left < 1_400 || put == 0 {
		t.Errorf("after the kills at 1,400 files %d were put and %d unchanged", put, left)
	}
	if got := holds(t, killed, agent.GlobalTenant, agent.CollectionContextVigilance); strings.Join(got, "\n") != strings.Join(whole, "\n") {
		t.Errorf("after three kills the corpus holds %d sections, without %d, or others", len(got), len(whole))
	}
}

func TestIngestRefusesAPlaceWhereNoSearchLooks(t *testing.T) {
	data, docs := dataFolder(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(docs, "a.md"), []byte("# One\n\nheron\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, tenant, collection string
		code                     int
		says                     string
	}{
		{"an unknown tenant", "somebody", agent.CollectionSessions, exitUsage, "client__SLUG"},
		{"an unknown org", "client__nobody", agent.CollectionSessions, exitFailed, "There are: "},
		{"a path for a slug", "client__../x", agent.CollectionSessions, exitFailed, "There are: "},
		{"a collection of the global tenant", "client__demo", agent.CollectionChangelog, exitUsage, agent.CollectionSessions},
		{"a client's collection", agent.GlobalTenant, agent.CollectionSessions, exitUsage, agent.CollectionChangelog},
		{"one that is never shown", agent.GlobalTenant, "claude-code-sessions", exitUsage, agent.CollectionChangelog},
	} {
		code, _, stderr := out(t, "", "ingest", "--data", data, "--tenant", c.tenant, "--collection", c.collection, docs)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit %d %s", c.what, code, stderr)
		}
	}
	if code, _, stderr := out(t, "", "ingest", "--data", data+"-typo", "--tenant", agent.GlobalTenant, "--collection", agent.CollectionChangelog, docs); code != exitFailed || !strings.Contains(stderr, "--data") {
		t.Errorf("a typo in --data: exit %d %s", code, stderr)
	}
	if code, stdout, stderr := out(t, "", "ingest", "--data", data, "--tenant", "client__demo", "--collection", agent.CollectionSessions, docs); code != exitOK || !strings.Contains(stdout, "1 ingested") {
		t.Errorf("a client's own: exit %d %s", code, stderr)
	}
}

func TestIngestTellsWhatItLeftOutAndFails(t *testing.T) {
	data, docs := dataFolder(t), t.TempDir()
	for name, text := range map[string]string{"good.md": "# One\n\nheron\n", "bad.md": "caf\xe9\n"} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"ingest", "--data", data, "--tenant", agent.GlobalTenant, "--collection", agent.CollectionChangelog, docs}
	code, stdout, stderr := out(t, "", args...)
	if code != exitFailed || !strings.Contains(stdout, "2 files: 1 ingested") || !strings.Contains(stdout, "1 not ingested") ||
		!strings.Contains(stderr, "bad.md: It is not written in UTF-8: line 1") || !strings.Contains(stderr, "Save it as UTF-8.") {
		t.Errorf("exit %d %s%s", code, stdout, stderr)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var o, e strings.Builder
	if code := run(ctx, append(args, "--again"), strings.NewReader(""), &o, &e); code != exitFailed || !strings.Contains(e.String(), "goes on where it was") {
		t.Errorf("stopped: exit %d %s", code, e.String())
	}
}

func TestABarIsDrawnOverAndOverOnATerminal(t *testing.T) {
	var b strings.Builder
	draw := &bar{out: &b, terminal: true, shown: -1}
	for done := 1; done <= 1000; done++ {
		draw.tell(ingest.Progress{Done: done, Total: 1000, Sections: 3 * done})
	}
	draw.end()
	lines := strings.Split(b.String(), "\r")
	if len(lines) != 102 || !strings.HasPrefix(lines[51], "[###############...............]  50% 500 of 1000 files, 1500 sections") || !strings.HasSuffix(b.String(), "\n") {
		t.Errorf("%d drawings, %q", len(lines), lines[51])
	}
	b.Reset()
	none := newBar(&b)
	none.end()
	if b.Len() != 0 {
		t.Errorf("nothing to do draws %q", b.String())
	}
}

// BenchmarkIngest reports how many sections a second are cut and put, without vectors.
func BenchmarkIngest(b *testing.B) {
	docs := filepath.Join(b.TempDir(), "docs")
	sections := manyFiles(b, docs, 2_000)
	for b.Loop() {
		b.StopTimer()
		corpus, err := embedded.Open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		sum, err := ingest.Run(b.Context(), ingest.Config{Corpus: corpus, Scope: agent.Scope{Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog},
			Cut: embedded.Sections, Memory: filepath.Join(b.TempDir(), "m.jsonl")}, []string{docs})
		b.StopTimer()
		if err != nil || sum.Sections != sections {
			b.Fatalf("%+v, %v", sum, err)
		}
		_ = corpus.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(sections*b.N)/b.Elapsed().Seconds(), "sections/s")
}
