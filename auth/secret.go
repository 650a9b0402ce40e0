package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// SecretBytes is the length of a session secret.
const SecretBytes = 32

// LoadOrCreateSecret reads the session secret from a file, or makes one of random
// bytes on the first run. There is no default secret. The file holds base64 and
// must be readable by its owner alone. Errors: invalid_input (malformed, or open
// to others) and unavailable (it cannot be read or written), each with what to do.
func LoadOrCreateSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createSecret(path); err != nil {
			return nil, agent.Wrap(agent.CodeUnavailable, err,
				"The session secret cannot be written to %s. Make the folder writable for this program.", path)
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, agent.Errorf(agent.CodeInvalidInput, "The session secret's path %s is not a file. Choose another path.", path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, agent.Errorf(agent.CodeInvalidInput,
			"The session secret in %s is open to others (mode %04o). Run: chmod 600 %s", path, mode, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != SecretBytes {
		return nil, agent.Errorf(agent.CodeInvalidInput,
			"The session secret in %s is not %d bytes of base64. Remove the file to make a new one; everybody then signs in again.",
			path, SecretBytes)
	}
	return secret, nil
}

func unreadable(path string, err error) error {
	return agent.Wrap(agent.CodeUnavailable, err,
		"The session secret in %s cannot be read. Check who owns the file.", path)
}

// createSecret writes a new secret beside the path and links it into place, so
// that of two programs that start at once both read the same one.
func createSecret(path string) error {
	secret := make([]byte, SecretBytes)
	_, _ = rand.Read(secret)                                   // never fails: the runtime ends the process instead
	tmp, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(base64.StdEncoding.EncodeToString(secret) + "\n")
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err == nil {
		return nil
	}
	return os.Rename(tmp.Name(), path) // a file system without links
}
