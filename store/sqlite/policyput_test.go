package sqlite

import (
	"encoding/json"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// policyValues gives each member that an admin may set a value that is not its first
// one. A new member of OrgPolicy needs one here, and its column in updatePolicy.
var policyValues = map[string]string{
	"disabledCapabilities": `["deck.export"]`, "defaultModel": `"m-9"`, "allowModelChoice": `false`, "remember": `"mutate"`, "rememberDays": `9`,
	"responseMode": `"thorough"`, "crossClientSearch": `"allowed"`,
	"redaction": `{"kinds":["email"],"patterns":[{"name":"project_code","pattern":"PRJ-"}]}`,
}

func TestEveryMemberOfAPolicyIsPutAndRecorded(t *testing.T) {
	s := openAt(t, Config{})
	seed(t, s)
	now, err := s.Policy(asUser)
	must(t, err)
	members, err := membersOf(now)
	must(t, err)
	for name := range members {
		if name == "version" || name == "billing" {
			continue // the one moves by itself, the other is not an admin's to say
		}
		value, ok := policyValues[name]
		if !ok {
			t.Errorf("the test does not know what to set %s to", name)
			continue
		}
		members[name] = json.RawMessage(value)
		text, err := json.Marshal(members)
		must(t, err)
		next := agent.OrgPolicy{OrgID: now.OrgID}
		must(t, json.Unmarshal(text, &next))
		next.Version = now.Version
		now, err = s.PutPolicy(asUser, next)
		must(t, err)
		stored, err := membersOf(now)
		must(t, err)
		if string(stored[name]) != value {
			t.Errorf("%s was set to %s and is %s", name, value, stored[name])
		}
		page, err := s.AuditList(asUser, agent.AuditQuery{Limit: 1})
		must(t, err)
		if len(page.Items) != 1 || !strings.Contains(string(page.Items[0].Detail), `"`+name+`":`) {
			t.Errorf("setting %s is recorded as %+v", name, page.Items)
		}
	}
}
