package httpapi

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// listKeys lists the caller's keys, masked.
func (a *api) listKeys(w http.ResponseWriter, r *http.Request) error {
	keys, err := a.Keys.Keys(r.Context())
	if err != nil {
		return err
	}
	if keys == nil {
		keys = []agent.KeyInfo{}
	}
	writeJSON(w, http.StatusOK, agent.Page[agent.KeyInfo]{Items: keys})
	return nil
}

// setKey tests and stores a key.
func (a *api) setKey(w http.ResponseWriter, r *http.Request) error {
	var k agent.NewKey
	err := decode(w, r, func(o *object) {
		k = agent.NewKey{Provider: o.required("provider"), Label: o.str("label"), Key: agent.NewSecret(o.required("key"))}
	})
	if err != nil {
		return err
	}
	stored, err := a.Keys.AddKey(r.Context(), k)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, stored)
	return nil
}

// rotateKey replaces the bytes of a key.
func (a *api) rotateKey(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "key")
	if err != nil {
		return err
	}
	var key agent.Secret
	if err := decode(w, r, func(o *object) { key = agent.NewSecret(o.required("key")) }); err != nil {
		return err
	}
	stored, err := a.Keys.RotateKey(r.Context(), id, key)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, stored)
	return nil
}

// revokeKey ends a key at once.
func (a *api) revokeKey(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "key")
	if err != nil {
		return err
	}
	if err := noBody(w, r); err != nil {
		return err
	}
	if err := a.Keys.RevokeKey(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// testKey makes one real call with a key.
func (a *api) testKey(w http.ResponseWriter, r *http.Request) error {
	id, err := id(r, "id", "key")
	if err != nil {
		return err
	}
	if err := noBody(w, r); err != nil {
		return err
	}
	test, err := a.Keys.TestKey(r.Context(), id)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, test)
	return nil
}
