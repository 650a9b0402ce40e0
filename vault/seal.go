package vault

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
)

// nonceBytes is the length of a nonce: 96 bits, drawn afresh for each row.
const nonceBytes = 12

// seal encrypts a key into its row. The row's id, owner and provider are bound
// in, so a ciphertext that is moved to another row does not open there.
func (m MasterKeys) seal(row agent.KeyRow, key agent.Secret) (agent.KeyRow, error) {
	master, ok := m.keys[m.current]
	if !ok {
		return agent.KeyRow{}, fmt.Errorf("no master key v%d", m.current)
	}
	row.KeyVersion = m.current
	row.IV = make([]byte, nonceBytes)
	_, _ = rand.Read(row.IV) // never fails: the runtime ends the process instead
	row.Ciphertext = master.aead.Seal(nil, row.IV, []byte(key.Reveal()), binding(row))
	return row, nil
}

// errNotLoaded says that a row was sealed with a master key this process has not.
var errNotLoaded = errors.New("that master key is not loaded")

// open decrypts a row's key. The error names the row and nothing of its content.
func (m MasterKeys) open(row agent.KeyRow) (agent.Secret, error) {
	master, ok := m.keys[row.KeyVersion]
	if !ok {
		return agent.Secret{}, fmt.Errorf("key row %s is sealed with master key v%d: %w", row.ID, row.KeyVersion, errNotLoaded)
	}
	if len(row.IV) != nonceBytes {
		return agent.Secret{}, fmt.Errorf("key row %s has a nonce of %d bytes", row.ID, len(row.IV))
	}
	plain, err := master.aead.Open(nil, row.IV, row.Ciphertext, binding(row))
	if err != nil {
		return agent.Secret{}, fmt.Errorf("key row %s does not open with master key v%d", row.ID, row.KeyVersion)
	}
	return agent.NewSecret(string(plain)), nil
}

// binding is the associated data of a row. Each part carries its length, so no
// two rows have the same binding.
func binding(row agent.KeyRow) []byte {
	b := []byte("in-app-agent key row 1")
	for _, part := range []string{row.ID, row.UserID, row.OrgID, row.Provider} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	return b
}
