package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// said is a request whose last message is a user's text.
func asked(texts ...string) agent.ModelRequest {
	req := agent.ModelRequest{System: []agent.Slab{{Text: "You are an agent.", Cache: true}}}
	for _, text := range texts {
		req.Messages = append(req.Messages, agent.ModelMessage{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}}})
	}
	return req
}

func sends(tb testing.TB, d *Redaction, req agent.ModelRequest) (agent.ModelRequest, *Sent) {
	tb.Helper()
	before, _ := json.Marshal(req)
	out, sent, err := d.Request(req)
	if err != nil {
		tb.Fatal(err)
	}
	if after, _ := json.Marshal(req); string(after) != string(before) {
		tb.Fatalf("the request itself was changed:\n%s\n%s", before, after)
	}
	return out, sent
}

func block(req agent.ModelRequest, message int) agent.Block { return req.Messages[message].Blocks[0] }

func TestTheSameValueHasTheSamePlaceholderInAThread(t *testing.T) {
	d := NewRedaction(everything(t), nil)
	out, sent := sends(t, d, asked("a@x.de, b@x.de and a@x.de", `call +49 151 23456789`, "b@x.de again"))
	for i, want := range []string{"[EMAIL_1], [EMAIL_2] and [EMAIL_1]", "call [PHONE_1]", "[EMAIL_2] again"} {
		if got := block(out, i).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := sent.Text("To [EMAIL_2]: call [PHONE_1] or [PHONE_2]."); got != "To b@x.de: call +49 151 23456789 or [PHONE_2]." {
		t.Error(got)
	}
	again, _ := sends(t, NewRedaction(everything(t), d.Entries()), asked("a@x.de, b@x.de and a@x.de", `call +49 151 23456789`, "b@x.de again"))
	if !reflect.DeepEqual(out, again) {
		t.Errorf("taken up again it gives\n%+v\nnot\n%+v", again, out)
	}
}

func TestARequestWithoutDetailsKeepsItsBytes(t *testing.T) {
	req := asked("Make slide 4 bolder, see [NOTE_1] and [the docs](https://x.test/a?b=c:d).", `{"a": [1, 2.50, "x\u00e9\n"], "b":{}}`)
	req.Messages[1].Blocks[0].Kind = agent.BlockResult
	req.Messages = append(req.Messages, agent.ModelMessage{Role: agent.RoleAssistant, Provider: "p", Raw: json.RawMessage(`[{"type":"thinking","signature":"EqQBCgIYAhIM+1234/ab=="}]`),
		Blocks: []agent.Block{{Kind: agent.BlockCall, Name: "slide_edit", Input: json.RawMessage(`{ "slide":4 }`)}}})
	out, sent := sends(t, NewRedaction(everything(t), nil), req)
	if !reflect.DeepEqual(out, req) || !sent.Empty() {
		t.Errorf("got\n%+v\nof\n%+v", out, req)
	}
}

func TestJSONStaysJSONWhateverItsValuesHold(t *testing.T) {
	d := NewRedaction(everything(t), nil)
	req := asked(`{"mail":"\u003ca@x.de\u003e","list":["\nb@x.de",{"b@x.de":"\tτηλ +30 210 1234567"}],"card":4111111111111111,"n":12.5,"apiKey":"k3y-with\"quote/1"}`)
	req.Messages[0].Blocks[0].Kind = agent.BlockResult
	out, sent := sends(t, d, req)
	want := `{"mail":"<[EMAIL_1]>","list":["\n[EMAIL_2]",{"[EMAIL_2]":"\tτηλ [PHONE_1]"}],"card":"[CARD_1]","n":12.5,"apiKey":"[SECRET_1]"}`
	if got := block(out, 0).Text; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	back := sent.JSON(json.RawMessage(`{"to":"[EMAIL_2]","key":"[SECRET_1]","esc":"[EMAIL\u005f1]\n","n":[1,2],"made up":"[EMAIL_9]"}`))
	if want := `{"to":"b@x.de","key":"k3y-with\"quote/1","esc":"a@x.de\n","n":[1,2],"made up":"[EMAIL_9]"}`; string(back) != want || !json.Valid(back) {
		t.Errorf("got  %s\nwant %s", back, want)
	}
}

func TestJSONThatIsCutOrBrokenIsLookedAtAllTheSame(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"x@y.de","b":"and z@y.d`:                                 `{"a":"[EMAIL_1]","b":"and z@y.d`,
		`{"a":"x@y.de","b":"and \nz@y.de\u00` + "\n[cut here: 1 of 2]": `{"a":"[EMAIL_1]","b":"and \n[EMAIL_2]\\u00` + "\n[cut here: 1 of 2]",
		`[broken x@y.de, "z@y.de`:                                      `[broken [EMAIL_1], "[EMAIL_2]`,
		`"x@y.de" and z@y.de`:                                          `"[EMAIL_1]" and [EMAIL_2]`,
	} {
		req := asked(text)
		req.Messages[0].Blocks[0].Kind = agent.BlockResult
		out, _ := sends(t, NewRedaction(everything(t), nil), req)
		if got := block(out, 0).Text; got != want {
			t.Errorf("%s\ngives %s\nnot   %s", text, got, want)
		}
	}
}

func TestAPlaceholderThatIsOnlyTypedShowsNobodysValue(t *testing.T) {
	d := NewRedaction(everything(t), nil)
	sends(t, d, asked("a@x.de"))
	req := asked("a@x.de", "what is [EMAIL_1], [EMAIL_2] and [SECRET_7]? b@x.de")
	out, sent := sends(t, d, req)
	if got := block(out, 1).Text; got != "what is [LITERAL_1], [EMAIL_2] and [SECRET_7]? [EMAIL_3]" {
		t.Errorf("typed placeholders become %s", got)
	}
	// The model repeats what it was given: the person reads what was typed.
	if got := sent.Text("[LITERAL_1] [EMAIL_2] [EMAIL_3] [SECRET_7]"); got != "[EMAIL_1] [EMAIL_2] b@x.de [SECRET_7]" {
		t.Error(got)
	}
}

func TestAPlaceholderThatTheModelWasNotGivenMeansNothing(t *testing.T) {
	d := NewRedaction(everything(t), nil)
	sends(t, d, asked("on a branch that was left: a@x.de"))
	_, sent := sends(t, d, asked("on this one: b@x.de"))
	if got := sent.Text("[EMAIL_1] [EMAIL_2] [EMAIL_3]"); got != "[EMAIL_1] b@x.de [EMAIL_3]" {
		t.Error(got)
	}
	// What it made up stays what it was when the number would come to mean something.
	answer := asked("b@x.de", "[EMAIL_3] it is", "c@x.de")
	answer.Messages[1] = agent.ModelMessage{Role: agent.RoleAssistant, Provider: "p", Raw: json.RawMessage(`["[EMAIL_3] it is"]`), Blocks: answer.Messages[1].Blocks}
	out, sent := sends(t, d, answer)
	if got := sent.Text("[EMAIL_2] [EMAIL_3] [EMAIL_4]"); got != "b@x.de [EMAIL_3] c@x.de" || block(out, 2).Text != "[EMAIL_4]" {
		t.Errorf("%s, sent %s", got, block(out, 2).Text)
	}
}

func TestRawBytesGoBackAsTheyCameUnlessTheyHoldADetail(t *testing.T) {
	said := func(raw, text string) agent.ModelMessage {
		return agent.ModelMessage{Role: agent.RoleAssistant, Provider: "p", Raw: json.RawMessage(raw), Blocks: []agent.Block{{Kind: agent.BlockText, Text: text}}}
	}
	d := NewRedaction(everything(t), nil)
	req := asked("write to a@x.de")
	req.Messages = append(req.Messages, said(`[{"text":"To [EMAIL_1]."}]`, "To a@x.de."), said(`[{"text":"Or b@x.de."}]`, "Or b@x.de."))
	out, sent := sends(t, d, req)
	if string(out.Messages[1].Raw) != `[{"text":"To [EMAIL_1]."}]` || sent.Text("[EMAIL_1]") != "a@x.de" {
		t.Errorf("%s", out.Messages[1].Raw)
	}
	if out.Messages[2].Raw != nil || block(out, 2).Text != "Or [EMAIL_2]." {
		t.Errorf("from before the rules: %s %q", out.Messages[2].Raw, block(out, 2).Text)
	}
	// The org keeps nothing back any more: what the provider wrote can still be read.
	off := NewRedaction(compiled(t, agent.RedactionPolicy{}), d.Entries())
	out, sent = sends(t, off, req)
	if block(out, 0).Text != "write to a@x.de" || string(out.Messages[1].Raw) != `[{"text":"To [EMAIL_1]."}]` || sent.Text("[EMAIL_1] [EMAIL_2]") != "a@x.de [EMAIL_2]" {
		t.Errorf("without rules: %+v, %s", out.Messages, sent.Text("[EMAIL_1] [EMAIL_2]"))
	}
}

func TestAValueThatWasKeptOnceIsKnownWhereItStandsAlone(t *testing.T) {
	d := NewRedaction(everything(t), nil)
	out, _ := sends(t, d, asked("nobody knows zq8-Krx!t4 yet", "password: zq8-Krx!t4", "it is zq8-Krx!t4, Karte4111111111111111", "4111111111111111", "41111111111111112"))
	for i, want := range []string{"nobody knows [SECRET_1] yet", "password: [SECRET_1]", "it is [SECRET_1], Karte[CARD_1]", "[CARD_1]", "41111111111111112"} {
		if got := block(out, i).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAThreadHoldsSoManyDetailsAndNoMore(t *testing.T) {
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "u%d@x.de ", i)
		}
		return b.String()
	}
	for n, ok := range map[int]bool{agent.MaxRedactionEntries - 1: true, agent.MaxRedactionEntries: true, agent.MaxRedactionEntries + 1: false} {
		d := NewRedaction(everything(t), nil)
		if _, _, err := d.Request(asked(text(n))); (err == nil) != ok || !ok && agent.ErrorCode(err) != agent.CodeTooLarge {
			t.Errorf("%d: %v", n, err)
		}
	}
	own := compiled(t, agent.RedactionPolicy{Patterns: []agent.RedactionPattern{{Name: "all", Pattern: `x+`}}})
	for n, ok := range map[int]bool{maxMapBytes: true, maxMapBytes + 1: false} {
		if _, _, err := NewRedaction(own, nil).Request(asked(strings.Repeat("x", n))); (err == nil) != ok {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestARestorerHoldsBackLessThanAPlaceholderWhereverATextIsCut(t *testing.T) {
	d := NewRedaction(everything(t), nil)
	_, sent := sends(t, d, asked("a@x.de sk-ant-api03-abcDEF123456ghiJKL789012"))
	text := "[[EMAIL_1]] an [EMAIL_1][SECRET_1] [EMAIL_2] [EMAIL_ [x] é[EMAIL_1]é [ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ_1] [EMAIL_01] ["
	want := sent.Text(text)
	if !strings.HasPrefix(want, "[a@x.de] an a@x.desk-ant-") || !strings.HasSuffix(want, "é [ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ_1] [EMAIL_01] [") {
		t.Fatal(want)
	}
	for first := range len(text) + 1 {
		for second := first; second <= len(text); second++ {
			r := sent.Restorer()
			var got string
			for _, piece := range []string{text[:first], text[first:second], text[second:]} {
				got += r.Write(piece)
				if len(r.held) >= MaxPlaceholder {
					t.Fatalf("%d bytes are held back", len(r.held))
				}
			}
			if got += r.Close(); got != want {
				t.Fatalf("cut at %d and %d:\n got %q\nwant %q", first, second, got, want)
			}
		}
	}
}

// FuzzRoundTrip proves that whatever is sent can be read again, in one piece and cut,
// and that a thread that is taken up again sends the same.
func FuzzRoundTrip(f *testing.F) {
	for _, d := range details {
		f.Add(d[0], "[EMAIL_1] [LITERAL_1]", 3)
	}
	f.Add("[EMAIL_1] a@x.de [EMAIL_2]", "[EMAIL_1][EMAIL_2][EMAIL_1", 8)
	rules := everything(f, agent.RedactionPattern{Name: "own", Pattern: `own-[0-9]+|\[EMAIL_`})
	f.Fuzz(func(t *testing.T, one, two string, cut int) {
		d := NewRedaction(rules, nil)
		out, sent, err := d.Request(asked(one, two))
		if err != nil {
			t.Skip()
		}
		for i, text := range []string{one, two} {
			given := block(out, i).Text
			if got := sent.Text(given); got != text {
				t.Fatalf("%q was sent as %q and reads %q", text, given, got)
			}
			r, at := sent.Restorer(), 0
			if len(given) > 0 {
				at = (cut%len(given) + len(given)) % len(given)
			}
			if got := r.Write(given[:at]) + r.Write(given[at:]) + r.Close(); got != text {
				t.Fatalf("cut at %d %q reads %q", at, given, got)
			}
		}
		again, _, err := NewRedaction(rules, d.Entries()).Request(asked(one, two))
		if err != nil || !reflect.DeepEqual(out, again) {
			t.Fatalf("taken up again: %v\n%+v\n%+v", err, again, out)
		}
	})
}

// FuzzJSON proves that JSON stays JSON on both ways, and that its values come back.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":"x@y.de","b":[4111111111111111,"\u003cz@y.de\u003e"],"password":"hunter2!x"}`)
	f.Add(`"\ud800 a@b.de"`)
	rules := everything(f)
	f.Fuzz(func(t *testing.T, text string) {
		var before any
		if json.Unmarshal([]byte(text), &before) != nil || !strings.ContainsAny(text[:1], `{["`) {
			t.Skip()
		}
		req := asked(text)
		req.Messages[0].Blocks[0].Kind = agent.BlockResult
		out, sent, err := NewRedaction(rules, nil).Request(req)
		if err != nil {
			t.Skip()
		}
		given := json.RawMessage(block(out, 0).Text)
		if !json.Valid(given) {
			t.Fatalf("%s was sent as %s", text, given)
		}
		var after any
		if back := sent.JSON(given); json.Unmarshal(back, &after) != nil || fmt.Sprint(after) != fmt.Sprint(before) && !strings.ContainsAny(text, "0123456789") {
			t.Fatalf("%s was sent as %s and reads %s", text, given, back)
		}
	})
}

func BenchmarkRestorer(b *testing.B) {
	d := NewRedaction(everything(b), nil)
	_, sent := sends(b, d, asked("a@x.de"))
	text := strings.Repeat("A sentence for [EMAIL_1] with [a link](x) in it. ", 400)[:16<<10]
	b.SetBytes(int64(len(text)))
	for range b.N {
		r := sent.Restorer()
		for at := 0; at < len(text); at += 16 {
			r.Write(text[at : at+16])
		}
		r.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/KiB")
}

// BenchmarkRequest is a step over a long thread: new each time, as for a turn, and the
// same again, as within one.
func BenchmarkRequest(b *testing.B) {
	prose := strings.Repeat("The quarter went well: revenue rose by 12% to 3.4 million, says the report of 2026-04-01 (see page 12). ", 10)
	var texts []string
	for i := range 480 {
		texts = append(texts, fmt.Sprintf("%04d", i)+prose[:1020])
	}
	some := append(texts[:len(texts):len(texts)], "a@x.de")
	for name, texts := range map[string][]string{"nothing": texts, "one": some} {
		rules := everything(b)
		b.Run(name+"/turn", func(b *testing.B) {
			for range b.N {
				if _, _, err := NewRedaction(rules, nil).Request(asked(texts...)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/480, "ns/KiB")
		})
		b.Run(name+"/step", func(b *testing.B) {
			d := NewRedaction(rules, nil)
			req := asked(texts...)
			for range b.N {
				if _, _, err := d.Request(req); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/480, "ns/KiB")
		})
	}
}
