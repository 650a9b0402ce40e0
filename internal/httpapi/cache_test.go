package httpapi

import (
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheCacheOfAThreadIsToldByThePage(t *testing.T) {
	d := newDesk(t)
	rec := d.do(request("GET", "/threads/th1/cache?before=tn9&limit=7", ""))
	if rec.Code != 200 || strings.TrimSpace(rec.Body.String()) != `{"threadId":"th1","steps":[],"before":"tn9"}` || d.ports.cacheLimit != 7 {
		t.Errorf("%d %s, limit %d", rec.Code, rec.Body, d.ports.cacheLimit)
	}
	for _, limit := range []string{"x", "-1", "1.5"} {
		p := problem(t, d.do(request("GET", "/threads/th1/cache?limit="+limit, "")))
		if p.Code != agent.CodeInvalidRequest || p.Pointer != "/limit" {
			t.Errorf("limit %s: %+v", limit, p)
		}
	}
}
