package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Programs are the paths of the binaries under test.
type Programs struct {
	Agent    string // in-app-agent
	Provider string // the fake provider
}

// Build builds both from the module around the working folder, with build tags where
// some are named; remove takes them away again. Call it once a run of tests.
func Build(tags ...string) (p Programs, remove func(), err error) {
	root, err := moduleRoot()
	if err != nil {
		return p, nil, err
	}
	dir, err := os.MkdirTemp("", "e2e-bin-")
	if err != nil {
		return p, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	p = Programs{Agent: filepath.Join(dir, "in-app-agent"), Provider: filepath.Join(dir, "fakeprovider")}
	for path, pkg := range map[string]string{p.Agent: "./cmd/in-app-agent", p.Provider: "./e2e/fakeprovider"} {
		cmd := exec.Command("go", "build", "-tags", strings.Join(tags, ","), "-o", path, pkg)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			remove()
			return p, nil, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	return p, remove, nil
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// Root gives the folder of the module.
func Root() (string, error) { return moduleRoot() }
