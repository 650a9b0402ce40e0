package export

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// renderTime bounds one run of the browser.
const renderTime = 60 * time.Second

// Chromium is the browser that draws. The zero value looks for one.
type Chromium struct{ Path string }

var browserNames = []string{
	"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
	`C:\Program Files\Google\Chrome\Application\chrome.exe`, `C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
}

// Find gives the browser's program. Errors: unavailable, with what to install.
func (c Chromium) Find() (string, error) {
	names := browserNames
	if c.Path != "" {
		names = []string{c.Path}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", &agent.Error{
		Code:    agent.CodeUnavailable,
		Message: "PDFs and images need Chromium, which is not installed on the server.",
		Hint:    "Install it (Debian: apt install chromium) or export as html or md.",
	}
}

// PDF prints a document. Width and height are those of a page, in CSS pixels.
func (c Chromium) PDF(ctx context.Context, doc []byte) ([]byte, error) {
	return c.draw(ctx, doc, "out.pdf", func(out string) []string {
		return []string{"--print-to-pdf=" + out, "--no-pdf-header-footer"}
	})
}

// PNG draws a document of a size in CSS pixels.
func (c Chromium) PNG(ctx context.Context, doc []byte, width, height int) ([]byte, error) {
	return c.draw(ctx, doc, "out.png", func(out string) []string {
		return []string{"--screenshot=" + out, fmt.Sprintf("--window-size=%d,%d", width, height), "--hide-scrollbars", "--force-device-scale-factor=1"}
	})
}

func (c Chromium) draw(ctx context.Context, doc []byte, name string, flags func(out string) []string) ([]byte, error) {
	program, err := c.Find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "deck-draw-")
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	page, out := filepath.Join(dir, "page.html"), filepath.Join(dir, name)
	if err := os.WriteFile(page, doc, 0o600); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	args := append(quiet(dir), flags(out)...)
	cmd := exec.CommandContext(ctx, program, append(args, "file://"+filepath.ToSlash(page))...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	runErr := cmd.Run()
	data, err := os.ReadFile(out)
	if ctx.Err() != nil {
		return nil, agent.Wrap(agent.CodeTimeout, ctx.Err(), "Drawing the deck took too long.")
	}
	if runErr != nil || err != nil || len(data) == 0 {
		return nil, agent.Wrap(agent.CodeToolError, fmt.Errorf("%s: %w: %.2000s", program, runErr, said.String()), "Chromium could not draw the deck.")
	}
	return data, nil
}

// quiet is how the browser runs: its own profile and no network. Scripts are off by
// the policy that every document of ours carries.
func quiet(dir string) []string {
	args := []string{
		"--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
		"--user-data-dir=" + filepath.Join(dir, "profile"),
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to sandbox itself as root.
	}
	return args
}
