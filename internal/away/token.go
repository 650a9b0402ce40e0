package away

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
)

// The purposes that the key signs for, so that one signature cannot be another.
const (
	forLink = "approval link v1"
	forForm = "approval form v1"
)

// maxToken bounds what is looked at of an address.
const maxToken = 300

func (a *Away) mac(purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, a.Key)
	for _, p := range append([]string{purpose}, parts...) {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p)) // no two lists sign alike
	}
	return h.Sum(nil)
}

var encoding = base64.RawURLEncoding.Strict()

// seal gives the token of a link: its id, its end and our signature.
func (a *Away) seal(id string, expires int64) string {
	end := strconv.FormatInt(expires, 36)
	return id + "." + end + "." + encoding.EncodeToString(a.mac(forLink, id, end))
}

// open gives id and end of a token that we signed.
func (a *Away) open(token string) (id string, expires int64, ok bool) {
	parts := strings.Split(token, ".")
	if len(token) > maxToken || len(parts) != 3 || parts[0] == "" {
		return "", 0, false
	}
	mac, err := encoding.DecodeString(parts[2])
	if err != nil || !hmac.Equal(mac, a.mac(forLink, parts[0], parts[1])) {
		return "", 0, false
	}
	expires, err = strconv.ParseInt(parts[1], 36, 64)
	return parts[0], expires, err == nil
}

// formToken binds a form to the session that it was shown to and to its link.
func (a *Away) formToken(session, link string) string {
	return encoding.EncodeToString(a.mac(forForm, session, link))
}
