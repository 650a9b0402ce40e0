package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// Config says where the databases are and what time and chance are made of.
type Config struct {
	// App is the app database: a path or a file: URL. Its folder is made, and
	// locked for this process until Close.
	App string
	// Auth is the auth database; "" means that the app database is that as well.
	Auth string
	// Beside opens the databases next to a running server, for a verb such as keys
	// set: no lock is taken, nothing is migrated, and no turn may be owned.
	Beside bool
	// AuditKey seals the audit log: 32 secret bytes that are kept outside of the
	// database. Without one a log is chained, and anybody could seal it.
	AuditKey []byte
	// BusyTimeout bounds the wait for another writer; 0 means 5 s.
	BusyTimeout time.Duration
	// Clock and IDs are injected in tests; nil means the system's.
	Clock func() time.Time
	IDs   agent.IDSource
	Log   *slog.Logger
}

// Store implements the storage ports of package agent over one or two SQLite
// files. Its methods may be called from any goroutine.
type Store struct {
	app, auth *database // the same one where one file serves both
	lock      *fileLock
	beside    bool
	clock     func() time.Time
	ids       agent.IDSource
	log       *slog.Logger
	auditKey  []byte
	closing   sync.Once
	// refreshing lets one copy of the policies run at a time.
	refreshing sync.Mutex
}

// Interface guards: the ports this store serves.
var (
	_ agent.Journal        = (*Store)(nil)
	_ agent.Compactions    = (*Store)(nil)
	_ agent.StepTraces     = (*Store)(nil)
	_ agent.ThreadFinder   = (*Store)(nil)
	_ agent.Committer      = (*Store)(nil)
	_ agent.EventLog       = (*Store)(nil)
	_ agent.Owners         = (*Store)(nil)
	_ agent.Receipts       = (*Store)(nil)
	_ agent.ApprovalRows   = (*Store)(nil)
	_ agent.ApprovalLinks  = (*Store)(nil)
	_ agent.PermissionRows = (*Store)(nil)
	_ agent.ThreadRows     = (*Store)(nil)
	_ agent.SettingsRows   = (*Store)(nil)
	_ agent.FeedbackRows   = (*Store)(nil)
	_ agent.KeyRows        = (*Store)(nil)
	_ agent.RedactionRows  = (*Store)(nil)
	_ agent.Sessions       = (*Store)(nil)
	_ agent.Directory      = (*Store)(nil)
	_ agent.Policies       = (*Store)(nil)
	_ agent.ReminderRows   = (*Store)(nil)
	_ agent.NoteRows       = (*Store)(nil)

	_ agent.JobRows         = (*Store)(nil)
	_ agent.TranscriptFeed  = (*Store)(nil)
	_ agent.EventCompaction = (*Store)(nil)
	_ agent.PolicyRows      = (*Store)(nil)
	_ agent.Audit           = (*Store)(nil)
	_ agent.BudgetLedger    = (*Store)(nil)
	_ agent.UsageRows       = (*Store)(nil)
	_ agent.EgressRows      = (*Store)(nil)
	_ agent.Clients         = (*Store)(nil)
	_ agent.AuditNotices    = (*Store)(nil)
)

// Open locks, migrates and opens the databases. Errors: invalid_input (a URL that
// is not supported), unavailable (another process holds the app database, a file
// cannot be opened or is newer than this program), storage_full.
func Open(ctx context.Context, c Config) (*Store, error) {
	appPath, err := filePath(c.App)
	if err != nil {
		return nil, err
	}
	authPath := appPath
	if c.Auth != "" {
		if authPath, err = filePath(c.Auth); err != nil {
			return nil, err
		}
	}
	s := newStore(c)
	if err := s.open(ctx, appPath, authPath, c.BusyTimeout); err != nil {
		_ = s.Close()
		return nil, fault(ctx, err)
	}
	return s, nil
}

func newStore(c Config) *Store {
	s := &Store{beside: c.Beside, auditKey: c.AuditKey, clock: c.Clock, ids: c.IDs, log: c.Log}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.ids == nil {
		s.ids = func(prefix string) string { return prefix + "_" + rand.Text() }
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// lockPatience is how long the app database may be held by another process. One that
// was killed while it started a program leaves its descriptors to the half-started
// child until that runs; a restart must not fail for it.
const lockPatience = time.Second

func (s *Store) open(ctx context.Context, appPath, authPath string, busy time.Duration) (err error) {
	if busy == 0 {
		busy = 5 * time.Second
	}
	if s.beside {
		if err := mustExist(appPath, authPath); err != nil {
			return err
		}
	} else {
		if err := makeFile(appPath); err != nil {
			return err
		}
		wait, stop := context.WithTimeout(ctx, lockPatience)
		defer stop()
		if s.lock, err = waitForLock(wait, appPath+".lock"); err != nil {
			return err
		}
		if err := makeFile(authPath); err != nil {
			return err
		}
	}
	if err := s.migrate(ctx, authPath, authSeries, busy); err != nil {
		return err
	}
	if err := s.migrate(ctx, appPath, appSeries, busy); err != nil {
		return err
	}
	if s.app, err = openDatabase(ctx, appPath, busy); err != nil {
		return err
	}
	if same, err := sameFile(appPath, authPath); err != nil || same {
		s.auth = s.app
		return err
	}
	s.auth, err = openDatabase(ctx, authPath, busy)
	return err
}

// Close ends what runs, folds the write-ahead logs into the files and lets go of
// the lock. Closing twice does nothing.
func (s *Store) Close() error {
	var errs []error
	s.closing.Do(func() {
		if s.auth != nil && s.auth != s.app {
			errs = append(errs, s.auth.close())
		}
		if s.app != nil {
			errs = append(errs, s.app.close())
		}
		if s.lock != nil {
			errs = append(errs, s.lock.unlock())
		}
	})
	if err := errors.Join(errs...); err != nil {
		return fault(context.Background(), err)
	}
	return nil
}

func (s *Store) now() int64 { return s.clock().UnixMilli() }

// each runs f on every file once.
func (s *Store) each(f func(*database) error) error {
	if err := f(s.app); err != nil {
		return err
	}
	if s.auth == s.app {
		return nil
	}
	return f(s.auth)
}
