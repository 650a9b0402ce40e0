package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/account"
	"github.com/lossless-group/in-app-agent/provider/scripted"
	"github.com/lossless-group/in-app-agent/store/sqlite"
	"github.com/lossless-group/in-app-agent/vault"
)

const (
	masterFile   = "master.key"
	secretFile   = "session.secret"
	databaseFile = "agent.db"
)

// sealedRows is all that is sealed with the master key.
type sealedRows interface {
	agent.KeyRows
	agent.RedactionRows
}

// openMaster takes the master keys from the environment or the data folder, and proves
// that they are those that the stored keys were sealed with. Where something is stored and
// the file is gone it makes no new one. damaged is how many stored keys do not open.
func openMaster(ctx context.Context, data string, rows sealedRows) (m vault.MasterKeys, damaged int, err error) {
	path, env := filepath.Join(data, masterFile), os.Getenv(vault.MasterEnv)
	from := vault.MasterEnv
	if env == "" {
		from = path
	}
	sealed, err := rows.SampleKeys(ctx, 1)
	if err != nil {
		return m, 0, err
	}
	if _, err := os.Lstat(path); len(sealed) > 0 && env == "" && errors.Is(err, fs.ErrNotExist) {
		return m, 0, &agent.Error{Code: agent.CodeUnavailable,
			Message: "The master key " + path + " is missing, and stored keys were sealed with it.",
			Hint:    "Put the file back from your backup, or set " + vault.MasterEnv + " to what was in it. A new key opens nothing that is stored. " + vault.GoneForGood}
	}
	if m, err = vault.OpenMaster(env, path); err == nil {
		damaged, err = vault.Check(ctx, rows, m)
	}
	var ours *agent.Error
	if errors.As(err, &ours) && len(sealed) > 0 {
		told := *ours
		told.Hint = "It comes from " + from + ". Put the one that the stored keys were sealed with back there, from your backup. A new key opens nothing that is stored. " + vault.GoneForGood
		err = &told
	}
	return m, damaged, err
}

// reloadMaster reads the file again after a rotation; keys of the environment
// cannot change under a running process.
func reloadMaster(data string) func() (vault.MasterKeys, error) {
	if os.Getenv(vault.MasterEnv) != "" {
		return nil
	}
	return func() (vault.MasterKeys, error) { return vault.LoadMaster(filepath.Join(data, masterFile)) }
}

// Keys is the key store of a data folder, opened beside a running server.
type Keys struct {
	Vault     *vault.Vault
	Directory agent.Directory
	store     *sqlite.Store
}

// KeyRules are what keys are checked by, for one configuration of providers: the
// same rules as those of the HTTP operations.
type KeyRules struct{ models *catalogue }

// NewKeyRules takes the providers and the default model as Config does.
func NewKeyRules(providers []Provider, defaultModel string) (KeyRules, error) {
	cat, err := openCatalogue(Config{Providers: providers, DefaultModel: defaultModel})
	return KeyRules{cat}, err
}

// Check refuses what cannot be a key of a provider. Errors: invalid_input.
func (r KeyRules) Check(provider string, key agent.Secret) error {
	if _, err := account.CheckProvider(r.models, provider); err != nil {
		return err
	}
	return account.CheckKey(provider, key)
}

// DefaultModel gives the model that an org's members are answered by where they
// choose none; ok is false where these providers do not serve it.
func (r KeyRules) DefaultModel(o agent.Org) (m agent.ModelInfo, ok bool) {
	if o.DefaultModel == scripted.Provider {
		return agent.ModelInfo{Name: scripted.Provider, Provider: scripted.Provider, Scripted: true}, true
	}
	for _, name := range []string{o.DefaultModel, r.models.Default()} {
		if route, err := r.models.Route(name); err == nil {
			return route.ModelInfo, true
		}
	}
	return agent.ModelInfo{}, false
}

// Databases says where they are, as in Config.
type Databases struct {
	Data      string // the data folder
	App, Auth string // "" means the file inside Data
}

// OpenKeys opens it. Errors: unavailable (there is no database yet, or it is newer
// than this program; the master key is not the one of the stored keys), invalid_input
// (the master key).
func OpenKeys(ctx context.Context, at Databases) (*Keys, error) {
	return openKeys(ctx, at, besideVault)
}

// ListKeys opens it for listing and ending keys alone, which needs no master key.
// Errors: as OpenKeys, but for the master key.
func ListKeys(ctx context.Context, at Databases) (*Keys, error) {
	return openKeys(ctx, at, func(_ context.Context, _ string, store *sqlite.Store) (*vault.Vault, error) {
		return vault.Masked(store)
	})
}

func openKeys(ctx context.Context, at Databases, open func(context.Context, string, *sqlite.Store) (*vault.Vault, error)) (*Keys, error) {
	store, err := openBeside(ctx, at)
	if err != nil {
		return nil, err
	}
	v, err := open(ctx, at.Data, store)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &Keys{Vault: v, Directory: store, store: store}, nil
}

// Close closes the store.
func (k *Keys) Close() error { return k.store.Close() }

// HasDatabase tells whether there is a database yet. Errors: not_found.
func HasDatabase(at Databases) error {
	path := at.app()
	if _, err := os.Stat(path); err != nil {
		return &agent.Error{Code: agent.CodeNotFound, Message: "There is no database at " + path + ".",
			Hint: "Name the server's data folder with --data and its --config, or start the server once.", Cause: err}
	}
	return nil
}

func (d Databases) app() string { return orElse(d.App, filepath.Join(d.Data, databaseFile)) }

func openBeside(ctx context.Context, at Databases) (*sqlite.Store, error) {
	if err := HasDatabase(at); err != nil {
		return nil, err
	}
	key, err := auditKey(at.Data)
	if err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, sqlite.Config{App: at.app(), Auth: at.Auth, AuditKey: key, Beside: true})
}

func besideVault(ctx context.Context, data string, store *sqlite.Store) (*vault.Vault, error) {
	master, _, err := openMaster(ctx, data, store)
	if err != nil {
		return nil, err
	}
	return vault.New(vault.Config{Rows: store, Maps: store, Master: master})
}

// RotateMaster adds a master key to the data folder's file and seals every stored
// key with it. A running server reads the new key when it meets a row sealed with
// it. It gives how many rows are sealed with it; keys that do not open are left as they
// are and told as an error when the others are done.
func RotateMaster(ctx context.Context, at Databases) (int, error) {
	if os.Getenv(vault.MasterEnv) != "" {
		return 0, &agent.Error{Code: agent.CodeInvalidInput, Message: "The master key comes from " + vault.MasterEnv + ", which a command cannot change.",
			Hint: "Add a new version there, such as v1:…,v2:…, then restart the server."}
	}
	store, err := openBeside(ctx, at)
	if err != nil {
		return 0, err
	}
	defer func() { _ = store.Close() }()
	if _, _, err := openMaster(ctx, at.Data, store); err != nil {
		return 0, err
	}
	if _, err := vault.AddMaster(filepath.Join(at.Data, masterFile)); err != nil {
		return 0, err
	}
	v, err := besideVault(ctx, at.Data, store)
	if err != nil {
		return 0, err
	}
	return v.Reseal(ctx)
}
