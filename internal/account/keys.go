package account

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

// Limits of a key and its label.
const (
	maxLabelChars = 64
	maxKeys       = 50
	defaultLabel  = "personal"
)

// Keys lists the caller's keys, masked.
func (a *Account) Keys(ctx context.Context) ([]agent.KeyInfo, error) { return a.Vault.List(ctx) }

// AddKey tests a key with one real call and stores it.
func (a *Account) AddKey(ctx context.Context, k agent.NewKey) (agent.StoredKey, error) {
	route, k, err := a.checked(ctx, k)
	if err != nil {
		return agent.StoredKey{}, err
	}
	if err := a.roomFor(ctx, k); err != nil {
		return agent.StoredKey{}, err
	}
	test, err := a.test(ctx, route, k.Key)
	if err != nil {
		return agent.StoredKey{}, err
	}
	if test.Code == agent.CodeKeyInvalid {
		return agent.StoredKey{}, &agent.Error{
			Code: agent.CodeKeyInvalid, Pointer: "/key", Provider: k.Provider, Panel: "byok",
			Message: "The provider does not accept this key. It was not stored.",
			Hint:    "Copy it again from the provider's console, and check that it is active.",
		}
	}
	info, err := a.Vault.Put(ctx, k.Provider, k.Label, k.Key)
	if err != nil {
		return agent.StoredKey{}, err
	}
	return agent.StoredKey{KeyInfo: info, Test: test}, nil
}

// roomFor bounds how many keys a user keeps; one that replaces another always fits.
func (a *Account) roomFor(ctx context.Context, k agent.NewKey) error {
	list, err := a.Vault.List(ctx)
	if err != nil || len(list) < maxKeys {
		return err
	}
	for _, have := range list {
		if have.Provider == k.Provider && have.Label == k.Label {
			return nil
		}
	}
	return invalid("/label", "You keep 50 keys already. Revoke one first, or use the label of one to replace it.")
}

// checked refuses what cannot be a key of this provider, before it goes anywhere.
func (a *Account) checked(ctx context.Context, k agent.NewKey) (agent.ModelRoute, agent.NewKey, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.ModelRoute{}, k, err
	}
	if !p.Tier.Covers(agent.TierUser) {
		return agent.ModelRoute{}, k, agent.Errorf(agent.CodeForbidden, "A viewer has no keys here.")
	}
	route, err := CheckProvider(a.Models, k.Provider)
	if err != nil {
		return agent.ModelRoute{}, k, err
	}
	k.Label = strings.TrimSpace(k.Label)
	if k.Label == "" {
		k.Label = defaultLabel
	}
	if utf8.RuneCountInString(k.Label) > maxLabelChars || !utf8.ValidString(k.Label) || strings.ContainsFunc(k.Label, unicode.IsControl) {
		return agent.ModelRoute{}, k, invalid("/label", "A label is one line of at most 64 characters.")
	}
	return route, k, CheckKey(k.Provider, k.Key)
}

// RotateKey replaces the bytes of a key under the same label.
func (a *Account) RotateKey(ctx context.Context, id string, key agent.Secret) (agent.StoredKey, error) {
	list, err := a.Vault.List(ctx)
	if err != nil {
		return agent.StoredKey{}, err
	}
	for _, k := range list {
		if k.ID == id {
			return a.AddKey(ctx, agent.NewKey{Provider: k.Provider, Label: k.Label, Key: key})
		}
	}
	return agent.StoredKey{}, agent.NotFound("key")
}

// RevokeKey ends a key at once.
func (a *Account) RevokeKey(ctx context.Context, id string) error { return a.Vault.Revoke(ctx, id) }

// TestKey makes one real call with a stored key.
func (a *Account) TestKey(ctx context.Context, id string) (agent.KeyTest, error) {
	ref, err := a.Vault.Open(ctx, id)
	if err != nil {
		return agent.KeyTest{}, err
	}
	route, err := a.Models.RouteProvider(ref.Provider)
	if agent.ErrorCode(err) == agent.CodeInvalidInput {
		return agent.KeyTest{Code: agent.CodeUnavailable, Message: "This provider is not configured here any more."}, nil
	}
	if err != nil {
		return agent.KeyTest{}, err
	}
	return a.test(ctx, route, ref.Secret)
}
