package account

import (
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestAPreviewShowsWhatAProviderWouldSee(t *testing.T) {
	o := newOffice(t)
	o.store.policy = agent.OrgPolicy{Version: 7, Redaction: agent.RedactionPolicy{Kinds: []agent.RedactionKind{agent.RedactEmail},
		Patterns: []agent.RedactionPattern{{Name: "project_code", Pattern: "PRJ-[0-9]+"}}}}
	got, err := o.PreviewRedaction(alice, "a@x.de, PRJ-1, a@x.de, b@x.de, [EMAIL_9] and +49 151 23456789")
	want := agent.RedactionPreview{Text: "[EMAIL_1], [PROJECT_CODE_1], [EMAIL_1], [EMAIL_2], [EMAIL_9] and +49 151 23456789", PolicyVersion: 7,
		Found: []agent.RedactionCount{{Kind: "email", Count: 3}, {Kind: "project_code", Count: 1}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := o.PreviewRedaction(alice, "nothing"); err != nil || got.Text != "nothing" || got.Found == nil || len(got.Found) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAPreviewRefusesWhatIsNoTextAndRulesThatCannotBeUsed(t *testing.T) {
	o := newOffice(t)
	for text, want := range map[string]agent.Code{
		"": agent.CodeInvalidInput, " \n": agent.CodeInvalidInput, "\xff": agent.CodeInvalidInput,
		strings.Repeat("x", agent.MaxMessageBytes): "", strings.Repeat("x", agent.MaxMessageBytes+1): agent.CodeTooLarge,
	} {
		if _, err := o.PreviewRedaction(alice, text); (err != nil) != (want != "") || err != nil && agent.ErrorCode(err) != want {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
	o.store.policy.Redaction.Patterns = []agent.RedactionPattern{{Name: "a", Pattern: "("}}
	if _, err := o.PreviewRedaction(alice, "x"); agent.ErrorCode(err) != agent.CodePolicyDenied {
		t.Errorf("%v", err)
	}
}
