package main

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

func pageOf(t *testing.T) *page {
	t.Helper()
	p, err := readPage(module)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// each runs a check for every operation with its entry and what its handler uses.
func each(t *testing.T, check func(t *testing.T, e entry, u uses)) {
	p := pageOf(t)
	for _, op := range httpapi.Operations {
		t.Run(op.Client, func(t *testing.T) {
			e, ok := entries[op.Client]
			u, err := p.handlers.handler(op.Client)
			if !ok || err != nil {
				t.Fatalf("no entry (%t), or no handler: %v", ok, err)
			}
			check(t, e, u)
		})
	}
}

func sorted[M ~map[string]bool](set M) []string { return slices.Sorted(maps.Keys(set)) }

func namesOf(words []word) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w.name] = true
	}
	return set
}

// allMembers gives the members of a type and of the structs in it.
func allMembers(t reflect.Type, into map[string]bool) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for _, m := range membersOf(t) {
		into[m.name] = true
		if m.typ != rawMessage {
			allMembers(m.typ, into)
		}
	}
}

func TestTheBodyOfAnOperationHasTheMembersThatItsHandlerReads(t *testing.T) {
	each(t, func(t *testing.T, e entry, u uses) {
		members := map[string]bool{}
		if e.body != nil {
			allMembers(e.body, members)
		}
		if want, got := sorted(u.members), sorted(members); !slices.Equal(want, got) {
			t.Errorf("the handler reads %v, the page tells of %v", want, got)
		}
	})
}

func TestTheQueryAndTheHeadersOfAnOperationAreThoseThatItsHandlerReads(t *testing.T) {
	each(t, func(t *testing.T, e entry, u uses) {
		if want, got := sorted(u.query), sorted(namesOf(e.query)); !slices.Equal(want, got) {
			t.Errorf("the handler reads the parameters %v, the page tells of %v", want, got)
		}
		headers := namesOf(e.headers)
		headers["Content-Type"], headers["Content-Encoding"] = true, true // of every body
		for name := range u.headers {
			if !headers[name] {
				t.Errorf("the handler reads the header %s, of which the page does not tell", name)
			}
			delete(headers, name)
		}
		for _, h := range e.headers {
			if headers[h.name] {
				t.Errorf("the page tells of the header %s, which the handler does not read", h.name)
			}
		}
	})
}

func TestTheStatusesOfAnOperationAreThoseThatItsHandlerWrites(t *testing.T) {
	each(t, func(t *testing.T, e entry, u uses) {
		told := map[string]bool{}
		for _, a := range e.answers {
			told[strings.ReplaceAll(http.StatusText(a.status), " ", "")] = true
		}
		for status := range u.statuses {
			if !told[status] {
				t.Errorf("the handler answers %s, of which the page does not tell", status)
			}
		}
		if len(told) == 0 {
			t.Error("the page tells of no answer")
		}
	})
}

var portError = regexp.MustCompile(`[a-z]+(?:_[a-z]+)*`)
var sameAs = regexp.MustCompile(`(?:as|what) ([A-Z]\w+)`)

// codesOf gives the codes that the comment of a port's method names as its errors.
func codesOf(src source, method string) map[agent.Code]bool {
	found := map[agent.Code]bool{}
	_, text, _ := strings.Cut(src.methods[method], "Errors:")
	for _, w := range portError.FindAllString(text, -1) {
		for _, c := range agent.Codes {
			if string(c.Code) == w {
				found[c.Code] = true
			}
		}
	}
	for _, m := range sameAs.FindAllStringSubmatch(text, -1) {
		port, _, _ := strings.Cut(method, ".")
		if m[1] != "StartTurn" { // "what StartTurn says of the store" is not all that it says
			maps.Copy(found, codesOf(src, port+"."+m[1]))
		}
	}
	return found
}

func TestTheErrorsThatAPortNamesAreOnThePage(t *testing.T) {
	src := pageOf(t).vocabulary
	if got := codesOf(src, "Keys.RotateKey"); !got[agent.CodeKeyInvalid] || !got[agent.CodeNotFound] {
		t.Fatalf("the comment of RotateKey is read as %v", got)
	}
	each(t, func(t *testing.T, e entry, u uses) {
		told := map[agent.Code]bool{}
		for _, f := range slices.Concat(always, e.errors) {
			if f.code.Status() == http.StatusInternalServerError && f.code != agent.CodeInternal {
				t.Errorf("%s is no HTTP answer", f.code)
			}
			told[f.code] = true
		}
		if len(u.ports) == 0 {
			t.Fatal("the handler asks no port")
		}
		for port := range u.ports {
			if src.methods[port] == "" {
				t.Errorf("the port %s has no comment", port)
			}
			for code := range codesOf(src, port) {
				if !told[code] {
					t.Errorf("%s names %s, of which the page does not tell", port, code)
				}
			}
		}
	})
}

func TestEveryMemberOfTheWireHasWords(t *testing.T) {
	p := pageOf(t)
	for _, payload := range payloads {
		p.table(reflect.TypeOf(payload))
	}
	p.table(reflect.TypeFor[agent.Event]())
	p.table(reflect.TypeFor[httpapi.Problem]())
	if _, err := p.operations(); err != nil {
		t.Fatal(err)
	}
	text := p.allShapes()
	if len(p.shapes) < 25 {
		t.Fatalf("only %d shapes were reached", len(p.shapes))
	}
	types := append([]reflect.Type{reflect.TypeFor[agent.Event](), reflect.TypeFor[httpapi.Problem]()}, p.shapes...)
	for _, d := range payloads {
		types = append(types, reflect.TypeOf(d))
	}
	for _, e := range entries {
		if e.body != nil {
			types = append(types, e.body)
		}
	}
	used := map[string]bool{}
	for _, typ := range types {
		if p.comment(typ) == "" {
			t.Errorf("%s has no comment", typ)
		}
		for _, m := range membersOf(typ) {
			if p.says(typ, m) == "" {
				t.Errorf("%s.%s has no words", typ.Name(), m.name)
			}
			owner, _, _ := strings.Cut(typ.Name(), "[")
			used[owner+"."+m.name], used[m.name] = true, true
		}
	}
	for name := range memberWords {
		if !used[name] {
			t.Errorf("there are words for %s, which is no member of the wire", name)
		}
	}
	if !strings.Contains(text, "### ThreadView") {
		t.Error("a shape of an answer has no chapter")
	}
}

func TestEveryCodeHasWords(t *testing.T) {
	for _, c := range agent.Codes {
		if !strings.HasSuffix(codeWords[c.Code], ".") {
			t.Errorf("%s is not said in a sentence", c.Code)
		}
	}
	if len(codeWords) != len(agent.Codes) {
		t.Errorf("%d codes, words for %d", len(agent.Codes), len(codeWords))
	}
}

func TestThePageHasAChapterForEveryRouteAndEveryLinkLeadsSomewhere(t *testing.T) {
	text, err := reference(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range httpapi.Operations {
		if !strings.Contains(text, fmt.Sprintf("\n### %s %s\n", op.Method, op.Path)) {
			t.Errorf("%s %s has no chapter", op.Method, op.Path)
		}
	}
	anchors := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		a := strings.ToLower(h[1])
		a = strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(a, ""), " ", "-")
		if anchors[a] && !regexp.MustCompile(`^\d`).MatchString(a) { // steps inside a block of shell
			t.Errorf("two chapters are called %s", a)
		}
		anchors[a] = true
	}
	for _, l := range regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(text, -1) {
		if !anchors[l[1]] {
			t.Errorf("a link leads to #%s, which is nowhere", l[1])
		}
	}
}

func TestAHandlerThatReadsMoreThanThePageSaysIsFound(t *testing.T) {
	p, err := readPresenter("testdata/presenter")
	if err != nil {
		t.Fatal(err)
	}
	u, err := p.handler("sample")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got  map[string]bool
		want []string
	}{
		"members": {u.members, []string{"content", "name", "parts"}}, "required": {u.required, []string{"name"}},
		"query": {u.query, []string{"limit", "q"}}, "headers": {u.headers, []string{"Accept"}},
		"statuses": {u.statuses, []string{"Accepted"}}, "ports": {u.ports, []string{"Agent.Turn"}},
	} {
		if got := sorted(c.got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if _, err := p.handler("nobody"); err == nil {
		t.Error("a handler that is not there was read")
	}
	if _, err := readPresenter("testdata/nowhere"); err == nil {
		t.Error("a folder that is not there was read")
	}
}

func TestAmountsAreWrittenInTheirLargestWholeUnit(t *testing.T) {
	for _, c := range []struct {
		n          int64
		unit, want string
	}{
		{7, "", "7"}, {999, "bytes", "999 bytes"}, {1000, "", "1,000"}, {1 << 10, "bytes", "1,024 bytes (1 KiB)"}, {1500, "bytes", "1,500 bytes"},
		{1 << 20, "bytes", "1,048,576 bytes (1 MiB)"}, {64, "characters", "64 characters"},
	} {
		if got := amount(c.n, c.unit); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.unit, got, c.want)
		}
	}
}
