package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	agent "github.com/lossless-group/in-app-agent"
)

// padded is a chat body of exactly n bytes.
func padded(n int) string {
	const frame = `{"projectId":"p","text":"hi","pad":""}`
	return strings.Replace(frame, `"pad":"`, `"pad":"`+strings.Repeat("x", n-len(frame)), 1)
}

func TestABodyAtTheLimitIsReadAndOneOverItIsNot(t *testing.T) {
	for _, c := range []struct {
		size, want int
	}{{agent.MaxBodyBytes - 1, http.StatusAccepted}, {agent.MaxBodyBytes, http.StatusAccepted}, {agent.MaxBodyBytes + 1, http.StatusRequestEntityTooLarge}} {
		for _, chunked := range []bool{false, true} {
			r := chatJSON(padded(c.size))
			if chunked {
				r.ContentLength = -1
			}
			rec := newDesk(t).do(r)
			if rec.Code != c.want {
				t.Errorf("%d bytes, chunked %v: %d", c.size, chunked, rec.Code)
			}
			if c.want == http.StatusRequestEntityTooLarge && problem(t, rec).Code != agent.CodeTooLarge {
				t.Errorf("%s", rec.Body)
			}
		}
	}
}

func TestOnlyPlainJSONIsTaken(t *testing.T) {
	cases := []struct {
		media, encoding string
		want            int
	}{
		{"application/json", "", 202}, {"application/json; charset=utf-8", "", 202}, {"Application/JSON;charset=UTF-8", "identity", 202},
		{"", "", 415}, {"text/plain", "", 415}, {"text/plain;application/json", "", 415}, {"application/x-www-form-urlencoded", "", 415},
		{"multipart/form-data; boundary=x", "", 415}, {"application/jsonp", "", 415}, {"application/json; charset=latin1", "", 415},
		{"application/json", "gzip", 415}, {"application/json", "br", 415}, {"application/json;;", "", 415},
	}
	for _, c := range cases {
		d := newDesk(t)
		r := chatJSON(`{"projectId":"p","text":"hi"}`)
		r.Header.Set("Content-Type", c.media)
		r.Header.Set("Content-Encoding", c.encoding)
		rec := d.do(r)
		if rec.Code != c.want {
			t.Errorf("%q %q: %d %s", c.media, c.encoding, rec.Code, rec.Body)
		}
		if c.want == 415 && (problem(t, rec).Code != agent.CodeUnsupportedMedia || len(d.agent.started) > 0) {
			t.Errorf("%q %q: %s", c.media, c.encoding, rec.Body)
		}
	}
}

func TestAMemberThatIsNotKnownIsNamed(t *testing.T) {
	for path, body := range map[string]string{
		"POST /confirm":           `{"turnId":"tn1","decisions":[{"callId":"c","receiptId":"r","decision":"accept","Input":{}}]}`,
		"POST /keys":              `{"provider":"anthropic","key":"sk-ant-12345678","Input":1}`,
		"POST /keys/ky1/rotate":   `{"key":"sk-ant-12345678","Input":1}`,
		"PUT /settings":           `{"model":"m","Input":1}`,
		"PUT /reminders/gotchas":  `{"text":"t","version":3,"Input":1}`,
		"PUT /admin/budgets":      `{"items":[{"scope":"user","subject":"*","hardTokens":2,"Input":1}]}`,
		"PATCH /threads/th1":      `{"title":"t","Input":1}`,
		"POST /feedback":          `{"turnId":"tn1","thumb":"up","Input":1}`,
		"POST /turns/tn1/cancel":  `{"Input":1}`,
		"POST /keys/ky1/test":     `{"Input":1}`,
		"DELETE /keys/ky1":        `{"Input":1}`,
		"DELETE /threads/th1":     `{"Input":1}`,
		"POST /redaction/preview": `{"text":"mail a@x.de","Input":1}`,
	} {
		method, at, _ := strings.Cut(path, " ")
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		p := problem(t, d.do(request(method, at, body)))
		if p.Code != agent.CodeInvalidRequest || !strings.HasSuffix(p.Pointer, "/Input") || !strings.Contains(p.Message, `"Input"`) {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

func TestNamesOfMembersAreMatchedExactly(t *testing.T) {
	p := problem(t, newDesk(t).do(request("POST", "/keys", `{"Provider":"anthropic","key":"sk-ant-12345678"}`)))
	if p.Code != agent.CodeInvalidInput || p.Pointer != "/provider" {
		t.Errorf("%+v", p)
	}
}

func TestAPointerEscapesWhatANameHolds(t *testing.T) {
	var fault error
	if got := newObject(json.RawMessage(`{}`), "/at", &fault).pointer("a/b~c"); got != "/at/a~1b~0c" {
		t.Errorf("the pointer is %q", got)
	}
}

func TestABodyThatBreaksOffIsTheClientsFault(t *testing.T) {
	r := request("POST", "/chat", `{}`)
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"a`), iotest.ErrReader(errors.New("reset by peer"))))
	r.ContentLength = 100
	if p := problem(t, newDesk(t).do(r)); p.Code != agent.CodeInvalidRequest || strings.Contains(p.Message, "peer") {
		t.Errorf("%+v", p)
	}
}

// bases are good bodies of every operation that takes one.
var bases = map[string]string{
	"POST /chat":              `{"projectId":"deck_abc","messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"tools":["slide.*"],"attachments":[{"kind":"slide","id":"4"}]}`,
	"POST /confirm":           `{"turnId":"tn1","decisions":[{"callId":"cl1","receiptId":"rc1","decision":"accept","input":{"a":[1,2]}}]}`,
	"POST /keys":              `{"provider":"anthropic","label":"personal","key":"sk-ant-0123456789"}`,
	"POST /keys/ky1/rotate":   `{"key":"sk-ant-0123456789"}`,
	"PUT /settings":           `{"model":"claude-sonnet-4-6","responseMode":"concise"}`,
	"PUT /reminders/gotchas":  `{"text":"# Gotchas\n","version":3}`,
	"PUT /admin/budgets":      `{"items":[{"scope":"user","subject":"*","softNanoUsd":1,"hardTokens":2}]}`,
	"PATCH /threads/th1":      `{"title":"A title","archived":true}`,
	"POST /feedback":          `{"turnId":"tn1","thumb":"up","note":"good"}`,
	"POST /turns/tn1/cancel":  `{}`,
	"POST /calls/cl1/undo":    `{}`,
	"PUT /admin/policy":       `{"version":3,"set":{"disabledCapabilities":["deck.export"],"rememberDays":7}}`,
	"POST /redaction/preview": `{"text":"mail a@x.de"}`,
}

// Bodies that are costly to make, made once.
var (
	deepObject = strings.Repeat(`{"a":`, 100_000)
	deepArray  = strings.Repeat("[", 100_000)
	bomb       = func() string {
		var zip bytes.Buffer
		w := gzip.NewWriter(&zip)
		_, _ = w.Write(bytes.Repeat([]byte("0"), 1<<20))
		_ = w.Close()
		return zip.String()
	}()
)

// spoil makes a body bad in one of the ways that clients and attackers do.
func spoil(rng *rand.Rand, body string) (string, string) {
	b := []byte(body)
	at := rng.IntN(len(b))
	put := func(s string) string { return string(b[:at]) + s + string(b[at:]) }
	media := "application/json"
	switch rng.IntN(14) {
	case 0:
		return string(b[:at]), media
	case 1:
		b[at] = byte(rng.IntN(256))
		return string(b), media
	case 2:
		return put("\xff"), media
	case 3:
		return put(`\ud800`), media
	case 4:
		return "\xef\xbb\xbf" + body, media
	case 5:
		return deepObject, media
	case 6:
		return deepArray, media
	case 7:
		return strings.Replace(body, ":", ":"+strings.Repeat("9", 5000)+"e9999,\"z\":", 1), media
	case 8:
		return strings.Replace(body, "{", `{"key":1,"key":2,`, 1), media
	case 9:
		return body + body, media
	case 10:
		return body, []string{"", "text/plain", "multipart/form-data", "application/xml", "application/json; charset=utf-16"}[rng.IntN(5)]
	case 11:
		return bomb, media
	case 12:
		return put("\x00"), media
	default:
		values := []string{"null", "7", "-1e400", "true", "[]", "{}", `""`, `[null]`, `{"__proto__":{}}`}
		cuts := strings.SplitN(body, `"`, 2+2*rng.IntN(6))
		return strings.Join(cuts[:len(cuts)-1], `"`) + values[rng.IntN(len(values))] + cuts[len(cuts)-1], media
	}
}

func TestTenThousandMalformedBodiesNeverAreOurFault(t *testing.T) {
	d := newDesk(t)
	d.agent.put("tn1", agent.TurnRunning)
	d.agent.decide = func(agent.DecisionRequest) ([]agent.Outcome, error) { return nil, nil }
	rng := rand.New(rand.NewPCG(1, 2))
	var paths []string
	for p := range bases {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	byStatus := make(map[int]int)
	for i := range 10_000 {
		path := paths[i%len(paths)]
		body, media := spoil(rng, bases[path])
		method, at, _ := strings.Cut(path, " ")
		r := httptest.NewRequest(method, "http://"+host+Base+at, strings.NewReader(body))
		r.Header.Set("Content-Type", media)
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Authorization", "Bearer alice")
		rec := d.do(r)
		byStatus[rec.Code]++
		switch {
		case rec.Code >= 500:
			t.Fatalf("%s %.200q: %d %s", path, body, rec.Code, rec.Body)
		case rec.Code >= 400:
			problem(t, rec)
			if strings.Contains(rec.Body.String(), "goroutine") || strings.Contains(rec.Body.String(), ".go:") {
				t.Fatalf("a stack trace: %s", rec.Body)
			}
		}
	}
	if refused := byStatus[400] + byStatus[413] + byStatus[415] + byStatus[422]; refused < 8_000 {
		t.Errorf("only %d were refused: %v", refused, byStatus)
	}
	if log := d.log.String(); log != "" {
		t.Errorf("the log has %s", fmt.Sprintf("%.300s", log))
	}
}

// FuzzAnyBodyIsAnsweredWithoutFault sends any bytes to every operation.
func FuzzAnyBodyIsAnsweredWithoutFault(f *testing.F) {
	for path, body := range bases {
		f.Add(path, []byte(body))
	}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		if _, ok := bases[path]; !ok {
			return
		}
		d := newDesk(t)
		d.agent.put("tn1", agent.TurnRunning)
		d.agent.decide = func(agent.DecisionRequest) ([]agent.Outcome, error) { return nil, nil }
		method, at, _ := strings.Cut(path, " ")
		r := request(method, at, string(body))
		r.Header.Set("Accept", "application/json")
		if rec := d.do(r); rec.Code >= 500 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	})
}
