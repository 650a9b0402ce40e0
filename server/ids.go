package server

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
)

var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID mints prefix_TTTTTTTTTTRRRRRRRRRRRRRRRR: 48 bits of time, so that ids sort
// by age and stay close together in an index, and 80 bits of chance.
func newID(now func() time.Time) func(prefix string) string {
	return func(prefix string) string {
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], uint64(now().UnixMilli())<<16)
		_, _ = rand.Read(b[6:]) // never fails: the runtime ends the process instead
		return prefix + "_" + strings.ToLower(idAlphabet.EncodeToString(b[:]))
	}
}
