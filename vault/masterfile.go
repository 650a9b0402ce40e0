package vault

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// maxMasterFile bounds what is read of a master key file: over a thousand versions.
const maxMasterFile = 1 << 16

// OpenMaster takes the master keys from the environment, where env (the value of
// MasterEnv) says any, and else from the file. A malformed value is an error and
// never leads to the file: keys would be sealed with something else than meant.
func OpenMaster(env, path string) (MasterKeys, error) {
	if env != "" {
		return ParseMaster(env)
	}
	return LoadOrCreateMaster(path)
}

// LoadOrCreateMaster reads the master keys from a file that only its owner can
// read, or makes a first one when the file is not there. Errors: invalid_input
// (malformed, or open to others) and unavailable (it cannot be read or written),
// each with what to do.
func LoadOrCreateMaster(path string) (MasterKeys, error) {
	m, err := LoadMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	first := MasterKeys{current: 1, keys: map[int]masterKey{1: randomMaster()}}
	if err := writeMaster(path, first, true); err != nil {
		return MasterKeys{}, unwritable(path, err)
	}
	return LoadMaster(path) // another program may have been faster
}

// LoadMaster reads the master keys from a file. Errors: as LoadOrCreateMaster; one
// that is not there is unavailable and matches fs.ErrNotExist.
func LoadMaster(path string) (MasterKeys, error) {
	file, err := os.Open(path)
	if err != nil {
		return MasterKeys{}, agent.Wrap(agent.CodeUnavailable, err,
			"The master key file %s cannot be read. Check its path and its owner.", path)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return MasterKeys{}, agent.Errorf(agent.CodeInvalidInput, "The master key's path %s is not a file. Choose another path.", path)
	}
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return MasterKeys{}, agent.Errorf(agent.CodeInvalidInput,
			"The master key file %s can be read by others. Run: chmod 600 %s", path, path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMasterFile))
	if err != nil {
		return MasterKeys{}, agent.Wrap(agent.CodeUnavailable, err, "The master key file %s cannot be read.", path)
	}
	m, err := ParseMaster(string(text))
	if err != nil {
		e := agent.Errorf(agent.CodeInvalidInput, "The master key file %s is malformed. %s", path, agent.ErrorMessage(err))
		e.Hint = "Put the file back from your backup: stored keys cannot be opened without it."
		return MasterKeys{}, e
	}
	return m, nil
}

// AddMaster adds a new version to a master key file; from then on it seals. Reseal
// the rows afterwards. Errors: as LoadOrCreateMaster.
func AddMaster(path string) (MasterKeys, error) {
	m, err := LoadMaster(path)
	if err != nil {
		return MasterKeys{}, err
	}
	m.current++
	m.keys[m.current] = randomMaster()
	if err := writeMaster(path, m, false); err != nil {
		return MasterKeys{}, unwritable(path, err)
	}
	return LoadMaster(path)
}

func randomMaster() masterKey {
	raw := make([]byte, masterBytes)
	_, _ = rand.Read(raw) // never fails: the runtime ends the process instead
	key, err := newMasterKey(raw)
	if err != nil {
		panic("vault: a random key of the right length must work: " + err.Error())
	}
	return key
}

// writeMaster writes the file whole or not at all. A first file is linked into
// place, so that it never replaces one that appeared meanwhile.
func writeMaster(path string, m MasterKeys, first bool) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".master-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	var text strings.Builder
	for _, v := range m.Versions() {
		fmt.Fprintf(&text, "v%d:%s\n", v, base64.StdEncoding.EncodeToString(m.keys[v].raw()))
	}
	_, err = tmp.WriteString(text.String())
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if first {
		if err := os.Link(tmp.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
			return nil
		}
	}
	return os.Rename(tmp.Name(), path)
}

func unwritable(path string, err error) error {
	return agent.Wrap(agent.CodeUnavailable, err,
		"The master key file %s cannot be written. Make its folder writable for this program, or set %s.", path, MasterEnv)
}
