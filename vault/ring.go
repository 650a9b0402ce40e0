package vault

import (
	"errors"
	"sync"

	agent "github.com/lossless-group/in-app-agent"
)

// ring is the master keys of a running vault. It reads them again when a row was
// sealed with one that it has not, so that a rotation needs no restart.
type ring struct {
	mu     sync.RWMutex
	keys   MasterKeys
	reload func() (MasterKeys, error)
}

func (r *ring) current() MasterKeys {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys
}

func (r *ring) seal(row agent.KeyRow, key agent.Secret) (agent.KeyRow, error) {
	return r.current().seal(row, key)
}

func (r *ring) open(row agent.KeyRow) (agent.Secret, error) {
	key, err := r.current().open(row)
	if r.reload == nil || !errors.Is(err, errNotLoaded) {
		return key, err
	}
	fresh, loadErr := r.reload()
	if loadErr != nil {
		return agent.Secret{}, errors.Join(err, loadErr)
	}
	r.mu.Lock()
	r.keys = fresh
	r.mu.Unlock()
	return fresh.open(row)
}
