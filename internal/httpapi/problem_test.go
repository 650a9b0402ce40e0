package httpapi

import (
	"errors"
	"strings"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

func TestEveryCodeTravelsWithItsStatus(t *testing.T) {
	for _, info := range agent.Codes {
		d := newDesk(t)
		d.ports.err = agent.Wrap(info.Code, errors.New("secret cause"), "Told %s.", info.Code)
		rec := d.do(request("GET", "/threads/th1", ""))
		p := problem(t, rec)
		want, code, message := info.Status, info.Code, "Told "+string(info.Code)+"."
		if want == 0 || want == 500 { // codes that never are an answer of their own say nothing more
			want, code, message = 500, agent.CodeInternal, agent.ErrorMessage(nil)
		}
		if p.Status != want || p.Code != code || p.Message != message || strings.Contains(rec.Body.String(), "secret") {
			t.Errorf("%s: %s", info.Code, rec.Body)
		}
		if logged := strings.Contains(d.log.String(), "secret cause"); logged != (want >= 500) {
			t.Errorf("%s: in the log: %v", info.Code, logged)
		}
	}
}

func TestAnErrorThatIsNotOursSaysNothing(t *testing.T) {
	d := newDesk(t)
	d.ports.err = errors.New("SELECT secret FROM keys")
	rec := d.do(request("GET", "/threads/th1", ""))
	if p := problem(t, rec); p.Code != agent.CodeInternal || strings.Contains(rec.Body.String(), "SELECT") {
		t.Errorf("%s", rec.Body)
	}
	if !strings.Contains(d.log.String(), "SELECT secret") {
		t.Error("the log does not say why")
	}
}

func TestAProblemSaysWhatToDoNext(t *testing.T) {
	d := newDesk(t)
	d.ports.err = &agent.Error{Code: agent.CodeRateLimited, Message: "Slow.", Hint: "Wait.", Pointer: "/x", RetryAfter: 1500 * time.Millisecond}
	rec := d.do(request("GET", "/threads/th1", ""))
	p := problem(t, rec)
	if p.Hint != "Wait." || p.Pointer != "/x" || rec.Header().Get("Retry-After") != "2" {
		t.Errorf("%+v, Retry-After %q", p, rec.Header().Get("Retry-After"))
	}
}

func TestTheMuxsOwnErrorsAreProblems(t *testing.T) {
	d := newDesk(t)
	for path, want := range map[string]int{
		"/nothing": 404, "/chat/": 404, "//chat": 404, "/../agent/chat": 404, "/turns/": 404, "/turns/a/b": 404, "/turns/a%2fb": 404,
		"/turns/%00": 404, "/turns/..": 404, "/threads/" + strings.Repeat("x", 101): 404, "/turns/tn1%20": 404, "/": 404,
	} {
		rec := d.do(request("GET", path, ""))
		if rec.Code != want || problem(t, rec).Code != agent.CodeNotFound {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	for method, allow := range map[string]string{"GET /chat": "POST", "POST /threads/th1": "DELETE, GET, HEAD, PATCH", "PUT /keys": "GET, HEAD, POST", "HEAD /chat": "POST", "HEAD /turns/tn1/events": "GET", "HEAD /threads/th1/events": "GET", "OPTIONS /confirm": "POST"} {
		m, path, _ := strings.Cut(method, " ")
		rec := d.do(request(m, path, ""))
		if rec.Code != 405 || rec.Header().Get("Allow") != allow {
			t.Errorf("%s: %d, Allow %q", method, rec.Code, rec.Header().Get("Allow"))
		}
		problem(t, rec)
	}
}
