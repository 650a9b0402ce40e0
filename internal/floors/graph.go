package floors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Package is one package of the tree with what it imports, tests apart.
type Package struct {
	ImportPath string
	Imports    []string
	// TestImports are those of its own tests, XTestImports those of its external ones.
	TestImports  []string
	XTestImports []string
}

// Root gives the folder of the module that the working folder lies in.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	file := strings.TrimSpace(string(out))
	if err == nil && filepath.Base(file) != "go.mod" {
		err = errors.New("this is no module")
	}
	return filepath.Dir(file), err
}

// Load lists the packages of a module. What npm unpacked is none of ours.
func Load(root string) ([]Package, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p Package
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		if !strings.Contains(p.ImportPath, "/node_modules/") {
			all = append(all, p)
		}
	}
}
