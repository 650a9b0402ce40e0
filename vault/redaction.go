package vault

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"

	agent "github.com/lossless-group/in-app-agent"
)

// mapFormat begins a map's content, so that a later form can be told from this one.
const mapFormat = 1

// RedactionMap opens the map of a thread of the caller; one that was never stored is
// empty.
func (v *Vault) RedactionMap(ctx context.Context, thread agent.ThreadID) (agent.RedactionMap, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.RedactionMap{}, err
	}
	if v.maps == nil {
		return agent.RedactionMap{}, noMaps()
	}
	row, err := v.maps.RedactionRow(ctx, thread)
	if agent.ErrorCode(err) == agent.CodeNotFound {
		return agent.RedactionMap{ThreadID: thread}, nil
	}
	if err != nil {
		return agent.RedactionMap{}, err
	}
	if row.OrgID != p.OrgID || row.UserID != p.UserID || row.ThreadID != thread {
		return agent.RedactionMap{ThreadID: thread}, nil // somebody else's does not exist
	}
	content, err := v.master.open(asKey(row))
	if err != nil {
		return agent.RedactionMap{}, mapDoesNotOpen(err)
	}
	entries, err := decodeEntries([]byte(content.Reveal()))
	if err != nil {
		return agent.RedactionMap{}, mapDoesNotOpen(err)
	}
	return agent.RedactionMap{ThreadID: thread, Version: row.Version, Entries: entries}, nil
}

// PutRedactionMap seals and stores the map of a thread of the caller.
func (v *Vault) PutRedactionMap(ctx context.Context, m agent.RedactionMap) error {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	if v.maps == nil {
		return noMaps()
	}
	row := agent.RedactionRow{ThreadID: m.ThreadID, OrgID: p.OrgID, UserID: p.UserID, Version: m.Version + 1, UpdatedAt: v.now().UnixMilli()}
	content := agent.NewSecret(string(encodeEntries(m.Entries)))
	sealed, err := v.master.seal(asKey(row), content)
	if err == nil {
		err = v.opensAs(sealed, content)
	}
	if err != nil {
		return mapDoesNotOpen(err)
	}
	return v.maps.PutRedactionRow(ctx, withSeal(row, sealed))
}

// resealMaps seals every map with the newest master key.
func (v *Vault) resealMaps(ctx context.Context) (int, error) {
	if v.maps == nil {
		return 0, nil
	}
	return v.maps.EachRedactionRow(ctx, func(row agent.RedactionRow) (agent.RedactionRow, error) {
		content, err := v.master.open(asKey(row))
		if err != nil {
			return row, mapDoesNotOpen(err)
		}
		if row.KeyVersion == v.master.current().Current() {
			return row, nil
		}
		sealed, err := v.master.seal(asKey(row), content)
		return withSeal(row, sealed), err
	})
}

// asKey gives a map's row the form of a key's, with which it is sealed. No key has both
// a user and an org, so neither opens in the place of the other; the version is bound in,
// so that an older map does not pass for a newer one.
func asKey(row agent.RedactionRow) agent.KeyRow {
	return agent.KeyRow{ID: "redaction/" + string(row.ThreadID), UserID: row.UserID, OrgID: row.OrgID, Provider: strconv.FormatInt(row.Version, 10),
		Ciphertext: row.Ciphertext, IV: row.IV, KeyVersion: row.KeyVersion}
}

func withSeal(row agent.RedactionRow, sealed agent.KeyRow) agent.RedactionRow {
	row.Ciphertext, row.IV, row.KeyVersion = sealed.Ciphertext, sealed.IV, sealed.KeyVersion
	return row
}

// encodeEntries writes placeholders and values with their lengths, because values are
// any bytes.
func encodeEntries(entries []agent.RedactionEntry) []byte {
	out := []byte{mapFormat}
	for _, e := range entries {
		for _, s := range []string{e.Placeholder, e.Value.Reveal()} {
			out = binary.AppendUvarint(out, uint64(len(s)))
			out = append(out, s...)
		}
	}
	return out
}

var errMapForm = errors.New("a redaction map has a form that this program does not know")

func decodeEntries(data []byte) ([]agent.RedactionEntry, error) {
	if len(data) == 0 || data[0] != mapFormat {
		return nil, errMapForm
	}
	var entries []agent.RedactionEntry
	for data = data[1:]; len(data) > 0; {
		var pair [2]string
		for i := range pair {
			n, size := binary.Uvarint(data)
			if size <= 0 || n > uint64(len(data)-size) {
				return nil, errMapForm
			}
			pair[i], data = string(data[size:size+int(n)]), data[size+int(n):]
		}
		entries = append(entries, agent.RedactionEntry{Placeholder: pair[0], Value: agent.NewSecret(pair[1])})
	}
	return entries, nil
}

func mapDoesNotOpen(cause error) error {
	e := agent.Wrap(agent.CodeInternal, cause, "What was kept from the provider in this conversation cannot be opened.")
	e.Hint = "Start a new conversation. If it happens in every one, the server's master key is not the one they were sealed with."
	return e
}

func noMaps() error {
	return agent.Errorf(agent.CodeUnavailable, "This program keeps no placeholders.")
}
