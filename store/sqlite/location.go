package sqlite

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// filePath gives the path that a location names: a plain path, file:relative or
// file:///absolute.
func filePath(location string) (string, error) {
	scheme, rest, isURL := strings.Cut(location, ":")
	switch {
	case location == "":
		return "", badLocation(location, "It is empty.")
	case location == ":memory:":
		return "", badLocation(location, "A database in memory would be lost with its connection.")
	case isURL && strings.EqualFold(scheme, "file"):
		return fromFileURL(location, rest)
	case strings.Contains(location, "://"):
		return "", badLocation(location, "Databases over the network are not supported yet.")
	default:
		return absolute(location)
	}
}

func fromFileURL(location, rest string) (string, error) {
	if strings.ContainsAny(rest, "?#") {
		return "", badLocation(location, "A file: URL takes no parameters here.")
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		after = strings.TrimPrefix(after, "localhost")
		if !strings.HasPrefix(after, "/") {
			return "", badLocation(location, "A file: URL names no host.")
		}
		rest = after
	}
	path, err := url.PathUnescape(rest)
	if err != nil || path == "" || strings.ContainsRune(path, 0) {
		return "", badLocation(location, "The path in it cannot be read.")
	}
	return absolute(path)
}

func badLocation(location, why string) error {
	return &agent.Error{
		Code:    agent.CodeInvalidInput,
		Message: "The database location " + strconv.Quote(location) + " cannot be used. " + why,
		Hint:    "Give a path such as data/app.db, or a file: URL.",
	}
}

func absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", agent.Wrap(agent.CodeUnavailable, err, "The path of the database cannot be resolved.")
	}
	return abs, nil
}

// dsn gives the driver's name for a file: every connection waits for others for
// at most busy and begins its transactions as the given lock says.
func dsn(path string, busy time.Duration, txlock string, pragmas ...string) string {
	q := url.Values{"_txlock": {txlock}}
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")")
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}
	return u.String()
}

// makeFile makes the folder and the file, for their owner only: SQLite gives its
// side files the same mode.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return cannotOpen(path, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return cannotOpen(path, err)
	}
	return f.Close()
}

func mustExist(paths ...string) error {
	for _, p := range paths {
		if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
			return &agent.Error{Code: agent.CodeUnavailable, Message: "There is no database at " + p + ".",
				Hint: "Start the server once, or name the right data folder.", Cause: err}
		} else if err != nil {
			return cannotOpen(p, err)
		}
	}
	return nil
}

func sameFile(a, b string) (bool, error) {
	ia, err := os.Stat(a)
	if err != nil {
		return false, cannotOpen(a, err)
	}
	ib, err := os.Stat(b)
	if err != nil {
		return false, cannotOpen(b, err)
	}
	return os.SameFile(ia, ib), nil
}

func cannotOpen(path string, cause error) error {
	return &agent.Error{Code: agent.CodeUnavailable, Message: "The database at " + path + " cannot be opened for reading and writing.",
		Hint: "Check that the folder exists and that this user may write to it.", Cause: cause}
}
