package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
)

// maxToken bounds a token before anything is computed from it.
const maxToken = 512

// signer makes and opens session tokens: id "." end "." signature, where the
// signature is HMAC-SHA-256 over id and end, in unpadded base64url. The end is in
// milliseconds since the Unix epoch.
//
// It holds the secret in a closure: whatever prints a signer, or what holds one,
// cannot reach the bytes (fmt asks no method of an unexported field).
type signer struct {
	mac func(id, expires string) []byte
}

func newSigner(secret []byte) signer {
	secret = append([]byte(nil), secret...)
	return signer{mac: func(id, expires string) []byte {
		m := hmac.New(sha256.New, secret)
		m.Write([]byte(id + expires))
		return m.Sum(nil)
	}}
}

func (s signer) seal(id string, expires int64) string {
	end := strconv.FormatInt(expires, 10)
	return id + "." + end + "." + base64.RawURLEncoding.EncodeToString(s.mac(id, end))
}

// open gives what a token says if its signature holds. Where a digit moves
// between id and end the signature still holds, but no session has such an id: it
// is looked up, and its own end counts as well.
func (s signer) open(token string) (id string, expires int64, ok bool) {
	if len(token) > maxToken {
		return "", 0, false
	}
	id, rest, _ := strings.Cut(token, ".")
	end, signature, found := strings.Cut(rest, ".")
	if !found || id == "" {
		return "", 0, false
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(mac, s.mac(id, end)) {
		return "", 0, false
	}
	expires, err = strconv.ParseInt(end, 10, 64)
	if err != nil || expires <= 0 || strconv.FormatInt(expires, 10) != end {
		return "", 0, false
	}
	return id, expires, true
}
