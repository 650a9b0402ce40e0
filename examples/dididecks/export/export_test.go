package export_test

import (
	"context"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bytes"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/examples/dididecks/export"
	"github.com/lossless-group/in-app-agent/examples/dididecks/look"
)

func TestHTMLBecomesMarkdown(t *testing.T) {
	for src, want := range map[string]string{
		"<h1>A <em>b</em></h1><p>one\n two</p>":                                    "## A *b*\n\none two",
		"<ul><li>a<li>b <b>c</b><ul><li>d</ul></ul>":                               "- a\n- b **c**\n  \n  - d",
		"<ol><li>x</li><li>y</li></ol>":                                            "1. x\n2. y",
		"<blockquote>q<footer>who</footer></blockquote>":                           "> q\n\n> who",
		"<table><tr><th>a<th>b|c</tr><tr><td>1<td>2</table>":                       "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |",
		`<img src=x alt="A map"><style>p{}</style><script>x</script>`:              "[image: A map]",
		"<p>a<br>b</p><aside class=notes>say it</aside><svg><text>no</text></svg>": "a b\n\n> say it",
		"": "", "plain": "plain", "<p><code>x</code> <a href=y>z</a></p>": "`x` z",
	} {
		if got := export.ToMarkdown([]byte(src)); got != want {
			t.Errorf("%s\n gives %q\n want  %q", src, got, want)
		}
	}
}

func TestAMissingBrowserSaysWhatToInstall(t *testing.T) {
	_, err := export.Chromium{Path: filepath.Join(t.TempDir(), "none")}.PDF(t.Context(), []byte("x"))
	var e *agent.Error
	if !errors.As(err, &e) || e.Code != agent.CodeUnavailable || !strings.Contains(e.Hint, "apt install chromium") {
		t.Fatalf("got %v", err)
	}
}

// program makes a browser that does what a script says; $1… are its flags.
func program(t *testing.T, script string) export.Chromium {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return export.Chromium{Path: path}
}

func TestABrowserThatFailsIsNotTakenAtItsWord(t *testing.T) {
	for name, script := range map[string]string{"it fails": "exit 1", "it writes nothing": "exit 0", "it writes and fails": `for a; do case $a in --screenshot=*) echo x > "${a#--screenshot=}";; esac; done; exit 1`} {
		data, err := program(t, script).PNG(t.Context(), []byte("x"), 10, 10)
		if agent.ErrorCode(err) != agent.CodeToolError || data != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := program(t, "exec sleep 60").PDF(ctx, []byte("x")); agent.ErrorCode(err) != agent.CodeTimeout {
		t.Errorf("a browser that hangs: %v", err)
	}
}

func TestTheBrowserHasNoNetworkAndAProfileOfItsOwn(t *testing.T) {
	args := filepath.Join(t.TempDir(), "args")
	_, err := program(t, `printf '%s\n' "$@" > `+args+`; for a; do case $a in --print-to-pdf=*) echo PDF > "${a#--print-to-pdf=}";; esac; done`).PDF(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(args)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--headless", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--user-data-dir=", "file://"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is missing in %s", want, raw)
		}
	}
}

func TestCardsDifferAndHoldWhatTheyAreGiven(t *testing.T) {
	seen := map[string]bool{}
	for i := range export.MaxCards {
		doc := string(export.Card{Title: `A <b> "c"`, Subtitle: "sub", Foot: "foot", Look: look.Of("chroma"), Layout: i}.Document())
		if seen[doc] || !strings.Contains(doc, "A &lt;b&gt; &#34;c&#34;") || !strings.Contains(doc, "Content-Security-Policy") || strings.Contains(doc, "%!") {
			t.Errorf("layout %d:\n%s", i, doc)
		}
		seen[doc] = true
	}
}

func TestARealBrowserDrawsTheSizeThatIsAsked(t *testing.T) {
	if _, err := (export.Chromium{}).Find(); err != nil {
		t.Skipf("SKIPPED LOUDLY: %v", err)
	}
	data, err := export.Chromium{}.PNG(t.Context(), export.Card{Title: "T", Look: look.Of("word")}.Document(), export.CardWidth, export.CardHeight)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || img.Width != export.CardWidth || img.Height != export.CardHeight {
		t.Errorf("%+v, %v", img, err)
	}
}
