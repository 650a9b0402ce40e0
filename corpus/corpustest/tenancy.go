package corpustest

import (
	"context"
	"slices"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

var tenancyCases = []Case{
	{"a tenant never sees another", func(tb TB, open Open) {
		e := open(NewEmbedder())
		note(tb, e, acme, "a.md", "canary of acme")
		note(tb, e, globex, "g.md", "canary of globex")
		for _, c := range []agent.Finder{e, open(nil)} {
			if got := paths(find(tb, c, "canary of acme", globex)); !slices.Equal(got, []string{"g.md"}) {
				tb.Errorf("globex found %q", got)
			}
			if got := paths(find(tb, c, "canary of acme", acme, global)); !slices.Equal(got, []string{"a.md"}) {
				tb.Errorf("acme found %q", got)
			}
		}
	}},
	{"a collection never gives another's", func(tb TB, open Open) {
		e := open(NewEmbedder())
		note(tb, e, acme, "a.md", "canary")
		other := acme
		other.Collection = agent.CollectionChangelog
		if got := find(tb, e, "canary", other); len(got.Passages) != 0 {
			tb.Errorf("a collection that is not there gave %q", paths(got))
		}
		note(tb, e, other, "o.md", "canary")
		for _, c := range []agent.Finder{e, open(nil)} {
			found := find(tb, c, "canary", other)
			if !slices.Equal(paths(found), []string{"o.md"}) || found.Passages[0].Collection != other.Collection {
				tb.Errorf("got %+v", found.Passages)
			}
		}
	}},
	{"a database never gives another's", func(tb TB, open Open) {
		e := open(NewEmbedder())
		note(tb, e, acme, "a.md", "canary")
		other := acme
		other.Database = "elsewhere"
		if got := find(tb, e, "canary", other); len(got.Passages) != 0 {
			tb.Errorf("a database that is not there gave %q", paths(got))
		}
	}},
	{"what does not exist is empty", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, acme, "a.md", "word")
		nobody := agent.Scope{Tenant: agent.ClientTenant("nobody"), Collection: agent.CollectionSessions}
		if got := find(tb, c, "word", nobody, global); len(got.Passages) != 0 {
			tb.Errorf("found %q", paths(got))
		}
		if got := paths(find(tb, c, "word", nobody, acme, global)); !slices.Equal(got, []string{"a.md"}) {
			tb.Errorf("beside what does not exist: %q", got)
		}
		if got := find(tb, c, "word"); len(got.Passages) != 0 {
			tb.Errorf("no scope gave %q", paths(got))
		}
	}},
	{"the same path in two tenants is two documents", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, acme, "same.md", "word of both")
		note(tb, c, globex, "same.md", "word of both")
		if n := put(tb, c, globex, "same.md"); n != 1 {
			tb.Errorf("%d changed", n)
		}
		if got := find(tb, c, "word", acme); len(got.Passages) != 1 {
			tb.Errorf("removing globex's left acme %d", len(got.Passages))
		}
		if got := find(tb, c, "word", globex); len(got.Passages) != 0 {
			tb.Errorf("globex still has %d", len(got.Passages))
		}
	}},
	{"names that are no plain words are refused", func(tb TB, open Open) {
		c := open(NewEmbedder())
		note(tb, c, acme, "a.md", "b")
		for _, s := range BadScopes() {
			_, errPut := c.Put(context.Background(), s, "a.md", []agent.Section{section("a.md", "A", "b")})
			_, errFind := c.Find(context.Background(), []agent.Scope{acme, s}, agent.CorpusQuery{Query: "b"})
			for _, err := range []error{errPut, errFind} {
				if agent.ErrorCode(err) != agent.CodeInvalidInput {
					tb.Errorf("%+v gave %v", s, err)
				}
			}
		}
		good := agent.Scope{Tenant: agent.ClientTenant(strings.Repeat("a", 32)), Collection: agent.CollectionSessions}
		if _, err := c.Find(context.Background(), []agent.Scope{good}, agent.CorpusQuery{Query: "b"}); err != nil {
			tb.Errorf("a slug of 32 characters gave %v", err)
		}
	}},
}

// BadScopes are places that no adapter may look for: they break out of a path, name
// what is no slug, or only look like one.
func BadScopes() []agent.Scope {
	const c = agent.CollectionSessions
	var bad []agent.Scope
	for _, tenant := range []string{"", "../x", "a/b", `a\b`, "a%2fb", "a\x00", "a b", "a?b", "a#b", "client__", "client__Acme", "client__1acme",
		"client__a--b", "client__a_b", "client__аcme", "client__acme/", "client__acme/../client__globex", "client__acme\n", "client__acme%00",
		"CLIENT__acme", "client__" + strings.Repeat("a", 33)} {
		bad = append(bad, agent.Scope{Tenant: tenant, Collection: c})
	}
	for _, collection := range []string{"", "../c", "c/d", "c?x=y", "C", "c d", "0f8fad5b-d9cb-469f-a165-70867728950e", strings.Repeat("c", 65)} {
		bad = append(bad, agent.Scope{Tenant: agent.ClientTenant("acme"), Collection: collection})
	}
	for _, database := range []string{"x/y", "../x", "X", "x?", " "} {
		bad = append(bad, agent.Scope{Tenant: agent.ClientTenant("acme"), Collection: c, Database: database})
	}
	return bad
}
