package policy

import (
	"slices"
	"strings"
)

// token is a secret with a form of its own: a beginning that its maker documents, then
// so many characters of an alphabet. The table is ours: the scanners that keep larger
// ones come with some seventy modules and rules that look at whole files, and find no
// places in running text. A row is added by its maker's documentation, and the version
// of the rules goes up with it.
type token struct {
	begin    string
	min, max int // characters after the beginning
	also     string
}

// most is the longest tail that is looked at; peek bytes tell whether to look at it.
const (
	most = 4096
	peek = 64
)

var tokens = []token{
	// Model providers.
	{"sk-ant-", 20, most, "-_"}, {"sk-proj-", 20, most, "-_"}, {"sk-svcacct-", 20, most, "-_"}, {"sk-or-", 20, most, "-_"}, {"sk-", 32, most, "-_"},
	{"gsk_", 32, most, ""}, {"xai-", 32, most, ""}, {"hf_", 30, 64, ""}, {"r8_", 30, 64, ""}, {"pplx-", 32, 64, ""}, {"tvly-", 20, 64, "-"},
	// Clouds.
	{"AKIA", 16, 16, ""}, {"ASIA", 16, 16, ""}, {"AIza", 35, 35, "-_"}, {"ya29.", 20, most, "-_."}, {"GOCSPX-", 20, 40, "-_"},
	{"dop_v1_", 64, 64, ""}, {"doo_v1_", 64, 64, ""}, {"HRKU-", 30, 80, "-_"}, {"dapi", 32, 34, "-"}, {"pul-", 40, 40, ""}, {"hvs.", 20, most, "-_"}, {"hvb.", 20, most, "-_"},
	// Code and packages.
	{"ghp_", 36, 251, ""}, {"gho_", 36, 251, ""}, {"ghu_", 36, 251, ""}, {"ghs_", 36, 251, ""}, {"ghr_", 36, 251, ""}, {"github_pat_", 22, 251, "_"},
	{"glpat-", 20, 300, "-_."}, {"gldt-", 20, 300, "-_."}, {"glrt-", 20, 300, "-_."}, {"npm_", 36, 36, ""}, {"pypi-AgE", 50, most, "-_"},
	{"rubygems_", 48, 48, ""}, {"dckr_pat_", 20, 64, "-_"}, {"ATATT3", 20, most, "-_="}, {"lin_api_", 32, 64, ""}, {"figd_", 30, 64, "-_"},
	// Payment, mail, chat.
	{"sk_live_", 16, 255, ""}, {"sk_test_", 16, 255, ""}, {"rk_live_", 16, 255, ""}, {"rk_test_", 16, 255, ""}, {"whsec_", 24, 128, "+/="},
	{"sq0csp-", 43, 43, "-_"}, {"sq0atp-", 22, 22, "-_"}, {"SG.", 60, 80, "-_."}, {"key-", 32, 32, ""}, {"xkeysib-", 64, 90, "-"},
	{"xoxb-", 20, 255, "-"}, {"xoxp-", 20, 255, "-"}, {"xoxa-", 20, 255, "-"}, {"xoxr-", 20, 255, "-"}, {"xoxs-", 20, 255, "-"}, {"xoxe.", 20, 300, "-."}, {"xapp-", 20, 255, "-"},
	{"shpat_", 32, 32, ""}, {"shpss_", 32, 32, ""}, {"shpca_", 32, 32, ""}, {"secret_", 40, 48, ""}, {"ntn_", 40, 50, ""}, {"pat-na1-", 36, 36, "-"},
	{"NRAK-", 27, 27, ""}, {"glc_", 32, most, "+/="}, {"glsa_", 40, 48, "_"}, {"sntrys_", 40, most, "+/=_"}, {"PMAK-", 59, 59, "-"}, {"AGE-SECRET-KEY-1", 58, 58, ""},
	// Signed tokens: three parts, the first of which is JSON.
	{"eyJ", 40, 2 * most, "-_.="},
}

// tokensBy finds the rows by their first two bytes, which are of ASCII.
var tokensBy = func() (by [128][128][]token) {
	for _, t := range tokens {
		list := &by[t.begin[0]][t.begin[1]]
		*list = append(*list, t)
	}
	return by
}()

// token gives the end of a secret of the table at i, 0 where there is none.
func (s *scan) token(i int) int {
	text := s.text[i:]
	if len(text) < 2 || text[1] >= 128 {
		return 0
	}
	for _, t := range tokensBy[text[0]][text[1]] {
		if !strings.HasPrefix(text, t.begin) {
			continue
		}
		end := len(t.begin)
		if early := text[end:min(len(text), end+peek)]; len(early) == peek && !random(early) {
			continue
		}
		for end < len(text) && end-len(t.begin) < t.max && (isAlnum(text[end]) || strings.IndexByte(t.also, text[end]) >= 0) {
			end++
		}
		for end > 0 && (text[end-1] == '.' || text[end-1] == '-') {
			end-- // the end of a sentence
		}
		n := end - len(t.begin)
		if n < t.min || (end < len(text) && isAlnum(text[end])) || !random(text[len(t.begin):end]) {
			continue
		}
		if t.begin == "eyJ" && strings.Count(text[:end], ".") < 2 {
			continue
		}
		s.found(kindSecret, i, i+end)
		return i + end
	}
	return 0
}

// random tells what somebody drew from what somebody wrote: it has digits or both
// cases, and is not one character many times.
func random(tail string) bool {
	var seen [256]bool
	kinds, lower, upper, number := 0, false, false, false
	for i := range len(tail) {
		b := tail[i]
		if !seen[b] {
			seen[b] = true
			kinds++
		}
		switch {
		case b >= 'a' && b <= 'z':
			lower = true
		case b >= 'A' && b <= 'Z':
			upper = true
		case b >= '0' && b <= '9':
			number = true
		}
	}
	return kinds >= 6 && (number || lower && upper)
}

// bearer finds the credential of an HTTP header.
func (s *scan) bearer(i int) int {
	if b := s.text[i]; b != 'B' && b != 'b' {
		return 0
	}
	for _, scheme := range []string{"Bearer ", "Basic ", "bearer ", "basic "} {
		if !strings.HasPrefix(s.text[i:], scheme) {
			continue
		}
		start := i + len(scheme)
		end := start
		for end < len(s.text) && (isAlnum(s.text[end]) || strings.IndexByte("-._~+/=", s.text[end]) >= 0) {
			end++
		}
		if end-start >= 16 && random(s.text[start:end]) {
			s.found(kindSecret, start, end)
			return end
		}
	}
	return 0
}

// keyBlock finds a private key in its armour.
func (s *scan) keyBlock(i int) int {
	text := s.text[i:]
	if !strings.HasPrefix(text, "-----BEGIN ") {
		return i + 1
	}
	head := text[:min(len(text), 80)]
	name, _, ok := strings.Cut(head[len("-----BEGIN "):], "-----")
	if !ok || !strings.Contains(name, "PRIVATE KEY") {
		return i + 1
	}
	text = text[:min(len(text), maxBlock)]
	foot := "-----END " + name + "-----"
	end := strings.Index(text, foot)
	if end >= 0 {
		end += len(foot)
	} else { // cut: what is there of it is a secret all the same
		body := len("-----BEGIN ") + len(name) + len("-----")
		for end = body; end < len(text) && (isAlnum(text[end]) || strings.IndexByte("+/=\\\r\n", text[end]) >= 0); {
			end++
		}
		if end-body < 16 {
			return i + 1
		}
	}
	s.found(kindSecret, i, i+end)
	return i + end
}

// maxBlock is the longest key in armour, with room to spare.
const maxBlock = 16 << 10

// login finds the password of a web address such as https://user:password@host.
func (s *scan) login(at int) bool {
	start := at
	for start > 0 && at-start < most && strings.IndexByte(" \t\r\n\"'<>/@", s.text[start-1]) < 0 {
		start--
	}
	colon := strings.IndexByte(s.text[start:at], ':')
	if colon < 0 || start+colon+1 == at || !strings.HasSuffix(s.text[:start], "://") {
		return false
	}
	s.found(kindSecret, start+colon+1, at)
	return true
}

// secretNames end the names of what must stay secret, in small letters, without
// anything between their words.
var secretNames = []string{"password", "passwd", "pwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "privatekey", "signingkey", "authtoken",
	"accesstoken", "refreshtoken", "bearertoken", "apitoken", "clientsecret", "connectionstring", "passwort", "kennwort", "motdepasse", "contraseña",
	"contrasena", "senha", "hasło", "haslo", "wachtwoord", "пароль", "パスワード", "密码", "पासवर्ड"}

// named finds what a colon or an equals sign gives a secret name to.
func (s *scan) named(i int) int {
	if !isSecretName(s.nameBefore(i)) {
		return i + 1
	}
	start := i + 1
	for start < len(s.text) && start-i < 8 && strings.IndexByte(" \t=:>\"'`", s.text[start]) >= 0 {
		start++
	}
	end := max(start, s.valueEnd) // it may be within a value that was looked at
	for end < len(s.text) && strings.IndexByte(" \t\r\n\"'`,;<>", s.text[end]) < 0 {
		end++
	}
	s.valueEnd = end
	if secretValue(s.text[start:end]) {
		s.found(kindSecret, start, end)
		return end
	}
	return i + 1
}

// nameBefore gives the name that ends at i, a quote and spaces aside.
func (s *scan) nameBefore(i int) string {
	for i > 0 && strings.IndexByte(" \"'`*", s.text[i-1]) >= 0 {
		i--
	}
	start := i
	for start > 0 && i-start < 48 && strings.IndexByte("\t\r\n\"'`,;:={}[]()<>&?/", s.text[start-1]) < 0 {
		start--
	}
	return s.text[start:i]
}

func isSecretName(name string) bool {
	return len(name) >= 3 && slices.ContainsFunc(secretNames, func(w string) bool { return endsWith(name, w) })
}

// endsWith reports whether a name ends with words in small letters, whatever stands
// between them.
func endsWith(name, words string) bool {
	i := len(name)
	for w := len(words); w > 0; {
		if i == 0 {
			return false
		}
		i--
		b := name[i]
		if b == '_' || b == '-' || b == ' ' || b == '.' {
			continue
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if w--; b != words[w] {
			return false
		}
	}
	return true
}

// secretValue tells a value from a word about it: at least eight characters, with a
// digit or a sign among them, and no reference to something else.
func secretValue(v string) bool {
	if len(v) < 8 || strings.HasPrefix(v, "$") || strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") || strings.Contains(v, "••") || strings.Contains(v, "**") {
		return false
	}
	return strings.IndexFunc(strings.TrimRight(v[:min(len(v), most)], ".!?)"), func(r rune) bool { return r >= '0' && r <= '9' || strings.ContainsRune("!@#$%^&*+=?~/\\", r) }) >= 0
}
