package dididecks

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/corpus/embedded"
	"github.com/lossless-group/in-app-agent/examples/dididecks/demo"
)

func TestTheRegistryFindsNoFaultInWhatWeDeclare(t *testing.T) {
	r := capability.NewRegistry()
	r.Add(newApp(t, Options{}).Capabilities()...)
	for _, f := range r.Lint() {
		t.Error(f)
	}
}

func TestAProposalGoesThroughTheGatesToItsMerge(t *testing.T) {
	a := newApp(t, Options{Path: plainDeck(t)})
	r := capability.NewRegistry()
	r.Add(a.Capabilities()...)
	env := &capability.Env{
		Offered: map[string]bool{"slide.edit": true}, Counter: capability.NewCounter(capability.Limits{}, 0, 0),
		Allow: func(agent.Capability) *agent.ResultError { return nil },
	}
	call := newCall(ana, "slide.edit", "call_1", map[string]any{"slide_id": "04", "instruction": "less corporate"})
	o := r.Dispatch(t.Context(), env, call)
	if !o.Result.OK || o.Result.Preview == nil || len(o.Resources) != 1 {
		t.Fatalf("%+v", o)
	}
	receipt := agent.Receipt{CallID: call.ID, TurnID: call.Turn, Capability: call.Capability, Input: o.Input, InputDigest: o.Digest, Resources: o.Resources, Preview: *o.Result.Preview}
	if res := r.Apply(t.Context(), env, call, receipt); !res.OK || !strings.Contains(string(res.Output), `"branch":"work"`) {
		t.Fatalf("%+v", res.Error)
	}
	known, done, res := r.Verify(t.Context(), env, call)
	if !known || !done || !res.OK || mergeCount(t, a.decks[0]) != 1 {
		t.Errorf("known %v, done %v, %+v", known, done, res)
	}
	for name, input := range map[string]string{
		"an unknown member": `{"slide_id":"04","instruction":"x","path":"/etc"}`, "no slide": `{"instruction":"x"}`, "a number": `{"slide_id":4,"instruction":"x"}`,
	} {
		call := newCall(ana, "slide.edit", "call_"+name, nil)
		call.Input = json.RawMessage(input)
		if o := r.Dispatch(t.Context(), env, call); o.Result.Error == nil || o.Result.Error.Code != agent.CodeInvalidInput {
			t.Errorf("%s: %+v", name, o.Result.Error)
		}
	}
}

func TestTheNoteOnAStyleIsFoundFirst(t *testing.T) {
	corpus, err := embedded.Open(t.TempDir())
	must(t, err)
	defer func() { _ = corpus.Close() }()
	notes := 0
	must(t, fs.WalkDir(demo.Corpus(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(demo.Corpus(), p)
		must(t, err)
		sections := embedded.Sections(raw, p)
		if len(sections) == 0 || sections[0].Date == "" || len(sections[0].Tags) == 0 || sections[0].SourceRepo == "" {
			t.Errorf("%s has %d sections and no metadata", p, len(sections))
		}
		notes++
		_, err = corpus.Put(t.Context(), agent.Scope{Tenant: agent.GlobalTenant, Collection: path.Dir(p)}, p, sections)
		return err
	}))
	scopes := []agent.Scope{{Tenant: agent.GlobalTenant, Collection: agent.CollectionContextVigilance}, {Tenant: agent.GlobalTenant, Collection: agent.CollectionChangelog}}
	found, err := corpus.Search(t.Context(), scopes, agent.CorpusQuery{Query: "Chroma deck aesthetic", Results: 5})
	must(t, err)
	if notes < 8 || len(found) == 0 || !strings.Contains(found[0].Title, "Chroma deck aesthetic") || found[0].Collection != agent.CollectionContextVigilance {
		t.Fatalf("%d notes, found %+v", notes, found)
	}
	found, err = corpus.Search(t.Context(), scopes[1:], agent.CorpusQuery{Query: "export PDF", Results: 3})
	must(t, err)
	if len(found) == 0 || found[0].Collection != agent.CollectionChangelog {
		t.Fatalf("the changelog: %+v", found)
	}
}
