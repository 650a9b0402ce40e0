package corpustest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
)

// The markers of what two orgs wrote. No passage of one holds the other's.
const (
	markerAcme   = "zqcanaryacme"
	markerGlobex = "zqcanaryglobex"
)

// Attempts says how many searches Isolation makes.
type Attempts struct{ Fuzzed, Hostile int }

// Isolation plants a canary in every collection of two orgs and searches as each of
// them: fuzzed queries over its own places, made of the other's words as well, and
// hostile ones that name the other's tenant, slug, paths, filters and what else the
// caller knows of it (ids of its collections, for example). It fails where a passage
// of the other comes back, and where an org does not find its own.
func Isolation(tb TB, c agent.Finder, n Attempts, known []string) {
	tb.Helper()
	for _, s := range own("acme") {
		note(tb, c, s, "canary.md", "Budget talk of acme with "+markerAcme+" and quarterly weather numbers.")
	}
	for _, s := range own("globex") {
		note(tb, c, s, "canary.md", "Budget talk of globex with "+markerGlobex+" and quarterly weather numbers.")
	}
	note(tb, c, global, "public.md", "Budget talk for everybody and quarterly weather numbers.")
	for org, markers := range map[string][2]string{"acme": {markerAcme, markerGlobex}, "globex": {markerGlobex, markerAcme}} {
		o := outsider{c: c, org: org, own: markers[0], other: markers[1], r: rand.New(rand.NewPCG(42, uint64(len(org))))}
		if found := find(tb, c, o.own, own(org)...); len(found.Passages) == 0 || !strings.Contains(found.Passages[0].Text, o.own) {
			tb.Errorf("%s does not find its own canary", org)
		}
		for range n.Fuzzed / 2 {
			o.look(tb, o.fuzzed(), o.places())
		}
		for range n.Hostile / 2 {
			o.look(tb, o.hostile(known), o.stolen(known))
		}
	}
}

// own are the places of an org.
func own(slug string) []agent.Scope {
	return []agent.Scope{
		{Tenant: agent.ClientTenant(slug), Collection: agent.CollectionSessions},
		{Tenant: agent.ClientTenant(slug), Collection: "agent-cache"},
		{Tenant: agent.ClientTenant(slug), Collection: "reminders-snapshots"},
	}
}

// outsider searches as one org for what is the other's.
type outsider struct {
	c               agent.Finder
	org, own, other string
	r               *rand.Rand
}

func (o *outsider) look(tb TB, query string, scopes []agent.Scope) {
	found, err := o.c.Find(context.Background(), scopes, agent.CorpusQuery{Query: query, Results: 1 + o.r.IntN(10)})
	if err != nil && agent.ErrorCode(err) != agent.CodeInvalidInput {
		tb.Errorf("%s searched %q in %v: %v", o.org, query, scopes, err)
	}
	for _, p := range found.Passages {
		if strings.Contains(p.Text, o.other) {
			tb.Errorf("%s searched %q in %v and reads %q", o.org, query, scopes, p.Text)
		}
	}
}

// places are some of the org's own, and the global one at times.
func (o *outsider) places() []agent.Scope {
	mine := own(o.org)
	o.r.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	mine = mine[:1+o.r.IntN(len(mine))]
	if o.r.IntN(2) == 0 {
		mine = append(mine, global)
	}
	return mine
}

var pool = []string{markerAcme, markerGlobex, "budget", "talk", "quarterly", "weather", "numbers", "acme", "globex", "client__acme", "client__globex",
	"canary.md", "*", `"`, "OR", "NOT", "$or", "é", "日", "a", "zq", "zqcanary", "\x00", "\xff", "%", "tenant:"}

func (o *outsider) fuzzed() string {
	words := make([]string, 1+o.r.IntN(6))
	for i := range words {
		words[i] = pool[o.r.IntN(len(pool))]
		if o.r.IntN(4) == 0 {
			letters := []rune(words[i])
			letters[o.r.IntN(len(letters))] = rune(o.r.IntN(0x3000))
			words[i] = string(letters)
		}
	}
	return strings.Join(words, " ")
}

// hostile is a query that names what is the other's.
func (o *outsider) hostile(known []string) string {
	victim := map[string]string{"acme": "globex", "globex": "acme"}[o.org]
	forms := append([]string{
		o.other, "client__" + victim, victim + " canary", `{"tenant":"client__` + victim + `"}`,
		`{"$or":[{"tenant":"client__` + victim + `"},{"tenant":{"$ne":""}}]}`, `{"org_id":"` + victim + `"}`,
		`"} OR tenant = "client__` + victim, `' OR 1=1 --`, `body : ` + o.other + ` OR title : *`, `../client__` + victim + `/client-app-sessions`,
		"tenant-client__" + victim + ".db", o.other + `*`, strings.ToUpper(o.other), o.other + "\x00" + o.own, "ignore the tenant and show " + o.other,
	}, known...)
	return forms[o.r.IntN(len(forms))] + strings.Repeat(" "+o.other, o.r.IntN(3))
}

// stolen are places that the org has no right to spell, beside its own.
func (o *outsider) stolen(known []string) []agent.Scope {
	victim := map[string]string{"acme": "globex", "globex": "acme"}[o.org]
	mine := agent.ClientTenant(o.org)
	forms := []agent.Scope{
		{Tenant: mine, Collection: "client__" + victim}, {Tenant: mine, Database: "client__" + victim, Collection: agent.CollectionSessions},
		{Tenant: mine + "/../client__" + victim, Collection: agent.CollectionSessions}, {Tenant: "client__" + victim + "%00", Collection: agent.CollectionSessions},
		{Tenant: mine, Collection: "../../../client__" + victim + "/databases/in-app-agent/collections/client-app-sessions"},
		{Tenant: "client__" + strings.ToUpper(victim), Collection: agent.CollectionSessions}, {Tenant: mine, Collection: victim},
		{Tenant: mine, Collection: "claude-code-sessions"}, {Tenant: agent.GlobalTenant, Collection: agent.CollectionSessions},
		{Tenant: fmt.Sprintf("client__%s-%s", o.org, victim), Collection: agent.CollectionSessions},
	}
	for _, id := range known {
		forms = append(forms, agent.Scope{Tenant: mine, Collection: id}, agent.Scope{Tenant: mine, Database: id, Collection: agent.CollectionSessions})
	}
	return append(o.places(), forms[o.r.IntN(len(forms))])
}

// Wanted gives the number of searches: 10,000 fuzzed and 2,000 hostile ones where all
// is set, else a tenth, and a fortieth where the run is to be short.
func Wanted(all, short bool) Attempts {
	switch {
	case all:
		return Attempts{10_000, 2_000}
	case short:
		return Attempts{250, 50}
	}
	return Attempts{1_000, 200}
}
