package brain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lossless-group/in-app-agent/provider/scripted"
)

// step gives the next answer of a turn.
func step(t talk) scripted.Round {
	in := t.understand()
	if in.want == wantVariant && t.step == 2 && len(t.results) == 1 && scripted.SameName(t.results[0].Name, "corpus.search") {
		return t.variant(in, notes(t.results[0], in.style))
	}
	if len(t.results) > 0 {
		return say(t.close(in))
	}
	switch in.want {
	case wantVariant:
		return t.beginVariant(in)
	case wantEdit:
		return t.edit(in)
	case wantRead:
		return t.use("slide.read", "Here is "+slidesWords(in.slides)+".", each(in.slides, func(id string) map[string]any {
			return map[string]any{"slide_id": id}
		})...)
	case wantExport:
		input := map[string]any{"format": in.format}
		if in.kit != "" {
			input["brand_kit"] = in.kit
		}
		return t.use("deck.export", "I'll export the deck as "+formatWord(in.format)+".", input)
	case wantImages:
		input := map[string]any{"count": in.count}
		if in.style != "" {
			input["style"] = in.style
		}
		return t.use("deck.og_image", fmt.Sprintf("I'll draw %s for you to look at.", plural(in.count, "share image")), input)
	case wantCheck:
		return t.use("deck.diagnostics", "I'll look at the build log and check the deck.", map[string]any{})
	case wantFacts:
		return t.facts()
	case wantSearch:
		if in.text == "" {
			return say("What shall I search for? For instance: search the corpus for plain words on slides.")
		}
		return t.use("corpus.search", "I'll search the notes.", map[string]any{"query": in.text})
	case wantRemember:
		return t.remember(in)
	case wantThanks:
		return say("You're welcome. Is there another slide to look at?")
	case wantDecision:
		return say("Nothing is waiting here now. A preview is decided with its own Accept and Discard buttons; a message sets it aside. Ask again and I'll make a new one.")
	case wantHelp:
		return say("I'm the scripted demo model: I need no key, and I understand a few kinds of requests.\n\n" + t.menu())
	}
	return say("I did not understand that; the scripted demo model knows only some requests. You can ask me to:\n\n" + t.menu())
}

// use calls a capability, or says that it is not to be had here.
func (t talk) use(name, text string, inputs ...map[string]any) scripted.Round {
	if !t.offered(name) {
		return say("I may not do that here: " + name + " is not offered to you in this conversation. People who may look but not change can ask an editor of their organisation.\n\n" + t.menu())
	}
	var calls []scripted.Call
	for _, input := range inputs {
		calls = append(calls, t.call(name, input))
	}
	return say(text, calls...)
}

func each(slides []string, input func(id string) map[string]any) []map[string]any {
	var out []map[string]any
	for _, id := range slides {
		out = append(out, input(id))
	}
	return out
}

func (t talk) beginVariant(in intent) scripted.Round {
	if len(in.slides) == 0 {
		return say("Which slide? For instance: a " + in.style + "-style variant of slide 2.")
	}
	if !t.offered("slide.variant") || !t.offered("corpus.search") {
		return t.variant(in, "")
	}
	name := strings.ToUpper(in.style[:1]) + in.style[1:]
	return say(fmt.Sprintf("I'll look at what the notes say about the %s look first.", name),
		t.call("corpus.search", map[string]any{"query": name + " deck aesthetic"}))
}

func (t talk) variant(in intent, found string) scripted.Round {
	text := fmt.Sprintf("Now the %s variant of %s.", in.style, slidesWords(in.slides))
	if found != "" {
		text = "The notes help. " + text
	}
	return t.use("slide.variant", text, each(in.slides, func(id string) map[string]any {
		input := map[string]any{"slide_id": id, "style": in.style}
		if found != "" {
			input["notes"] = found
		}
		return input
	})...)
}

func (t talk) edit(in intent) scripted.Round {
	if len(in.slides) == 0 {
		return say("Which slide do you mean? Name its number, or attach it to the message.")
	}
	return t.use("slide.edit", "I'll change "+slidesWords(in.slides)+" and show you before anything is kept.",
		each(in.slides, func(id string) map[string]any {
			return map[string]any{"slide_id": id, "instruction": in.text}
		})...)
}

// notes gives the best passage that speaks of a style, for the writer of a variant.
func notes(r scripted.Result, style string) string {
	for _, p := range passages(r) {
		text := strings.TrimSpace(p.Text)
		if text != "" && strings.Contains(strings.ToLower(p.Title+" "+text), style) {
			if len(text) > 1500 {
				text = strings.ToValidUTF8(text[:1500], "")
			}
			return p.Title + " (" + p.SourcePath + "): " + text
		}
	}
	return ""
}

// facts looks at what the app tells, and at what people had remembered.
func (t talk) facts() scripted.Round {
	round := t.use("facts.list", "I'll look at what this app knows.", map[string]any{})
	if len(round.Calls) > 0 && t.offered("reminders.read") {
		round.Calls = append(round.Calls, t.call("reminders.read", map[string]any{}))
	}
	return round
}

// remember goes the way of the capability that keeps memories, where there is one.
func (t talk) remember(in intent) scripted.Round {
	if in.text == "" {
		return say("What shall I remember?")
	}
	for _, name := range []string{"reminders.suggest", "cache.note"} {
		if input, ok := t.fill(name, in.text); ok {
			return t.use(name, "I'll propose that as a reminder.", input)
		}
	}
	return say("I can't remember that yet: this app has no memory capability turned on, so it would be gone with this conversation. What I can do is work on the deck:\n\n" + t.menu())
}

// fill makes arguments for a capability that takes a text, from its schema.
func (t talk) fill(name, text string) (map[string]any, bool) {
	for _, tool := range t.req.Tools {
		if !scripted.SameName(tool.Name, name) {
			continue
		}
		var schema struct {
			Required   []string `json:"required"`
			Properties map[string]struct {
				Type string   `json:"type"`
				Enum []string `json:"enum"`
			} `json:"properties"`
		}
		if json.Unmarshal(tool.Schema, &schema) != nil {
			return nil, false
		}
		input := map[string]any{}
		for _, key := range schema.Required {
			p := schema.Properties[key]
			switch {
			case key == "file":
				input[key] = "our_decisions"
			case key == "scope":
				input[key] = scopeOf(text)
			case len(p.Enum) > 0:
				input[key] = p.Enum[0]
			case p.Type == "string":
				input[key] = text
			default:
				return nil, false
			}
		}
		return input, true
	}
	return nil, false
}

var scopeWord = regexp.MustCompile(`[a-z0-9]+`)

// scopeOf names what a text is about by its longest words, in their order.
func scopeOf(text string) string {
	words := scopeWord.FindAllString(strings.ToLower(text), -1)
	for len(words) > 2 {
		short := 0
		for i, w := range words {
			if len(w) <= len(words[short]) {
				short = i
			}
		}
		words = slices.Delete(words, short, short+1)
	}
	scope := strings.Join(words, "-")
	if scope == "" {
		return "general"
	}
	return strings.Trim(scope[:min(len(scope), 32)], "-")
}
