package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// MasterEnv names the environment variable that holds the master keys.
const MasterEnv = "IN_APP_AGENT_MASTER_KEY"

// masterBytes is the length of a master key: AES-256.
const masterBytes = 32

// MasterKeys seals and opens rows. It holds every version that rows may still be
// sealed with; the newest one seals. It prints as dots.
type MasterKeys struct {
	current int
	keys    map[int]masterKey
}

// masterKey is one version. raw is kept to write the file again on rotation; it is
// a closure, because fmt asks no method of an unexported field and would print the
// bytes of anything else.
type masterKey struct {
	aead cipher.AEAD
	raw  func() []byte
}

// Current gives the version that seals, 0 where there is no key at all.
func (m MasterKeys) Current() int { return m.current }

// Versions lists the versions, oldest first.
func (m MasterKeys) Versions() []int { return slices.Sorted(maps.Keys(m.keys)) }

// String, GoString, Format, MarshalText and LogValue print no key bytes.
func (m MasterKeys) String() string               { return fmt.Sprintf("master keys %v ••••", m.Versions()) }
func (m MasterKeys) GoString() string             { return m.String() }
func (m MasterKeys) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, m.String()) }
func (m MasterKeys) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
func (m MasterKeys) LogValue() slog.Value         { return slog.StringValue(m.String()) }

// ParseMaster reads master keys from text: one base64 key of 32 bytes, or several
// as v1:BASE64,v2:BASE64 (line breaks count as commas). The highest version seals.
// Errors: invalid_input with a sentence that says what to do; it quotes nothing.
func ParseMaster(text string) (MasterKeys, error) {
	entries := strings.FieldsFunc(strings.TrimSpace(text), func(r rune) bool { return r == ',' || r == '\n' || r == '\r' })
	m := MasterKeys{keys: make(map[int]masterKey, len(entries))}
	for i, entry := range entries {
		version, key, err := parseEntry(strings.TrimSpace(entry), len(entries))
		if err != nil {
			return MasterKeys{}, malformed("Entry %d of the master keys %s.", i+1, err)
		}
		if _, twice := m.keys[version]; twice {
			return MasterKeys{}, malformed("Version v%d of the master keys is there twice.", version)
		}
		m.keys[version] = key
		m.current = max(m.current, version)
	}
	if m.current == 0 {
		return MasterKeys{}, malformed("There is no master key.")
	}
	return m, nil
}

// parseEntry reads "v2:BASE64"; a single entry may leave its version out.
func parseEntry(entry string, of int) (int, masterKey, error) {
	version := 1
	if name, rest, ok := strings.Cut(entry, ":"); ok {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "v"))
		if err != nil || n < 1 || !strings.HasPrefix(name, "v") {
			return 0, masterKey{}, errors.New("has no version such as v1 before the colon")
		}
		version, entry = n, rest
	} else if of > 1 {
		return 0, masterKey{}, errors.New("has no version; with several keys each needs one, such as v1:")
	}
	raw, err := decode64(entry)
	if err != nil {
		return 0, masterKey{}, errors.New("is not base64")
	}
	key, err := newMasterKey(raw)
	return version, key, err
}

func newMasterKey(raw []byte) (masterKey, error) {
	if len(raw) != masterBytes {
		return masterKey{}, fmt.Errorf("has %d bytes instead of %d", len(raw), masterBytes)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return masterKey{}, errors.New("cannot be used")
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return masterKey{}, errors.New("cannot be used")
	}
	return masterKey{aead: aead, raw: func() []byte { return raw }}, nil
}

// decode64 takes both alphabets, padded or not: people paste what they have.
func decode64(s string) ([]byte, error) {
	s = strings.TrimRight(strings.TrimSpace(s), "=")
	s = strings.NewReplacer("+", "-", "/", "_").Replace(s)
	return base64.RawURLEncoding.DecodeString(s)
}

func malformed(format string, args ...any) error {
	e := agent.Errorf(agent.CodeInvalidInput, format, args...)
	e.Hint = "Set " + MasterEnv + " to 32 random bytes in base64 (openssl rand -base64 32), or to v1:OLD,v2:NEW while you rotate."
	return e
}
