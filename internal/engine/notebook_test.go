package engine_test

import (
	"context"
	"strconv"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// notebook is the host app of the tests: notes with versions, an effect log that
// tells how often each key took effect, and hooks to hold a handler.
type notebook struct {
	mu      sync.Mutex
	notes   map[string]string
	before  map[string]string
	version map[string]int
	effects map[string]int // by ledger key
	cleaned int
	enter   func(ctx context.Context, what string) error // called at the start of every function
}

func newNotebook() *notebook {
	return &notebook{before: map[string]string{}, notes: map[string]string{"a": "alpha", "b": "beta"}, version: map[string]int{"a": 1, "b": 1}, effects: map[string]int{}}
}

func (n *notebook) at(ctx context.Context, what string) error {
	n.mu.Lock()
	f := n.enter
	n.mu.Unlock()
	if f == nil {
		return nil
	}
	return f(ctx, what)
}

func (n *notebook) onEnter(f func(ctx context.Context, what string) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.enter = f
}

// edit changes a note past the agent, as its owner does in another window.
func (n *notebook) edit(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.version[id]++
}

func (n *notebook) get(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notes[id]
}

func (n *notebook) count() (total int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.effects {
		total += c
	}
	return total
}

type noteRef struct {
	ID string `json:"id"`
}

type noteText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

func (n *notebook) capabilities() []agent.Capability {
	read := capability.Func(capability.Spec{Name: "note.read", Title: "Read a note", Description: "Gives a note.", Kind: agent.KindRead, Tier: agent.TierViewer},
		func(ctx context.Context, _ *agent.Call, in noteRef) (noteText, error) {
			if err := n.at(ctx, "read"); err != nil {
				return noteText{}, err
			}
			return noteText{in.ID, n.get(in.ID)}, nil
		})
	export := capability.Func(capability.Spec{Name: "book.export", Title: "Export", Description: "Exports.", Kind: agent.KindMutate, Tier: agent.TierUser},
		func(ctx context.Context, call *agent.Call, _ struct{}) (string, error) {
			if err := n.at(ctx, "export"); err != nil {
				return "", err
			}
			n.mark(call.Key)
			return "exported", n.at(ctx, "exported")
		})
	export.Verify = func(ctx context.Context, call *agent.Call) (bool, agent.Result, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.effects[call.Key] > 0, agent.Result{OK: true, Output: []byte(`"exported"`)}, nil
	}
	draft := capability.Func(capability.Spec{Name: "note.draft", Title: "Draft", Description: "Asks the model.", Kind: agent.KindRead, Tier: agent.TierUser},
		func(ctx context.Context, call *agent.Call, in noteRef) (string, error) {
			return call.Generate(ctx, agent.GenerateRequest{Purpose: "note.draft", System: "Write.", Prompt: in.ID})
		})
	search := capability.Func(capability.Spec{Name: "note.search", Title: "Search", Description: "Searches.", Kind: agent.KindRead, Tier: agent.TierViewer, Retrieval: true},
		func(context.Context, *agent.Call, noteRef) (string, error) { return "nothing", nil })
	return []agent.Capability{read, n.write(), export, draft, search}
}

func (n *notebook) mark(key string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.effects[key]++
}

func (n *notebook) write() agent.Capability {
	return capability.Confirming(capability.Spec{Name: "note.write", Title: "Write a note", Description: "Changes a note.", Kind: agent.KindMutate, Tier: agent.TierUser},
		capability.Confirm[noteText, noteText]{
			Resources: func(ctx context.Context, _ *agent.Call, in noteText) ([]agent.Resource, error) {
				if err := n.at(ctx, "resources"); err != nil {
					return nil, err
				}
				n.mu.Lock()
				defer n.mu.Unlock()
				return []agent.Resource{{ID: in.ID, Version: strconv.Itoa(n.version[in.ID])}}, nil
			},
			Preview: func(ctx context.Context, _ *agent.Call, in noteText) (agent.Preview, error) {
				return agent.Preview{Summary: "Change " + in.ID, Artifacts: []agent.Artifact{{Kind: agent.ArtifactMarkdown, Title: in.ID, Text: in.Text}},
					State: []byte(`{"branch":"b"}`)}, n.at(ctx, "preview")
			},
			Apply: func(ctx context.Context, call *agent.Call, in noteText, r agent.Receipt) (noteText, error) {
				if err := n.at(ctx, "apply"); err != nil {
					return noteText{}, err
				}
				n.mu.Lock()
				if strconv.Itoa(n.version[in.ID]) != r.Resources[0].Version {
					n.mu.Unlock()
					return noteText{}, agent.ErrStale
				}
				n.before[in.ID] = n.notes[in.ID]
				n.notes[in.ID] = in.Text
				n.version[in.ID]++
				n.effects[call.Key]++
				n.mu.Unlock()
				return in, n.at(ctx, "applied")
			},
			Undo: func(ctx context.Context, call *agent.Call, in noteText, r agent.Receipt) (noteText, error) {
				if err := n.at(ctx, "undo"); err != nil {
					return noteText{}, err
				}
				n.mu.Lock()
				defer n.mu.Unlock()
				if strconv.Itoa(n.version[in.ID]-1) != r.Resources[0].Version {
					return noteText{}, agent.ErrStaleUndo
				}
				n.notes[in.ID] = n.before[in.ID]
				n.version[in.ID]++
				n.effects[call.Key]++
				return noteText{in.ID, n.notes[in.ID]}, nil
			},
			UndoFor: time.Hour,
			Discard: func(ctx context.Context, _ *agent.Call, _ noteText, _ agent.Receipt) error {
				n.mu.Lock()
				n.cleaned++
				n.mu.Unlock()
				return n.at(ctx, "discard")
			},
			Verify: func(_ context.Context, call *agent.Call, in noteText) (bool, noteText, error) {
				n.mu.Lock()
				defer n.mu.Unlock()
				return n.effects[call.Key] > 0, in, nil
			},
		})
}
