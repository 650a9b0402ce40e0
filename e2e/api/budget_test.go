package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

const (
	// perCall is what a call of the crowd costs: a thousand tokens in, a thousand out,
	// at the list price of claude-sonnet-4-6.
	perCall = 1000*3000 + 1000*15000
	crowd   = 200
)

// costly answers everything with as many tokens, slowly.
func costly() scripted.Round {
	thousand, none := int64(1000), int64(0)
	return scripted.Round{Text: scripted.Text{"So it is, ", "and so it will be."}, Fault: &scripted.Fault{Kind: scripted.FaultSlow, Ms: 10},
		Usage: &agent.Usage{TokensIn: &thousand, TokensOut: &thousand, CacheRead: &none, CacheCreation: &none}}
}

// caps sets the budgets of the paying org.
func caps(adm *harness.User, hard agent.NanoUSD) {
	body := fmt.Sprintf(`{"items":[{"scope":"org","subject":"","hardNanoUsd":%d}]}`, hard)
	adm.Must(http.StatusOK, "PUT /admin/budgets", body)
}

// beginAll starts turns of so many guests, four of each, and gives their ids. Who is put
// off comes again with the same message id.
func beginAll(t *testing.T, guests []*harness.User, round string) []agent.TurnID {
	t.Helper()
	ids := make([]agent.TurnID, 4*len(guests))
	var wg sync.WaitGroup
	for i := range ids {
		u := guests[i%len(guests)]
		wg.Go(func() {
			c := harness.Say("Hello")
			c.MessageID = fmt.Sprint(round, "-", i)
			ids[i] = beginOne(t, u, c)
		})
	}
	wg.Wait()
	return ids
}

func beginOne(t *testing.T, u *harness.User, c harness.Chat) agent.TurnID {
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for range 600 {
		a, err := u.Send(t.Context(), "POST /chat", c, harness.Set("Accept", "application/json"))
		if err == nil && a.Status == http.StatusAccepted {
			var answer struct{ Turn agent.Turn }
			a.Into(t, &answer)
			return answer.Turn.ID
		}
		if err == nil && a.Status != http.StatusServiceUnavailable && a.Status != http.StatusTooManyRequests {
			t.Errorf("%s: %s", c.MessageID, a)
			return ""
		}
		<-again.C
	}
	t.Errorf("%s was put off for a minute", c.MessageID)
	return ""
}

// awaitNone waits until a query counts nothing.
func awaitNone(t *testing.T, s *harness.Server, within time.Duration, query string) {
	t.Helper()
	tick, late := time.NewTicker(50*time.Millisecond), time.After(within)
	defer tick.Stop()
	for {
		n := harness.Count(t, s, query)
		if n == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after %s there still are %d: %s", within, n, query)
		}
	}
}

const running = `SELECT count(*) FROM turns WHERE state = 'running'`

// nothingIsHeld fails where a reservation was left behind, or sums and rows disagree.
func nothingIsHeld(t *testing.T, s *harness.Server) {
	t.Helper()
	for what, query := range map[string]string{
		"reservations are left":              `SELECT count(*) FROM budget_ledger WHERE state = 'held'`,
		"sums hold what no call holds":       `SELECT count(*) FROM budget_totals WHERE held_nano_usd <> 0 OR held_tokens <> 0`,
		"sums are not those of their ledger": `SELECT count(*) FROM budget_totals t WHERE t.scope = 'org' AND t.spent_nano_usd <> (SELECT sum(cost_nano_usd) FROM budget_ledger l WHERE l.org_id = t.org_id AND l.month = t.month)`,
	} {
		if n := harness.Count(t, s, query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}

func spentBy(t *testing.T, s *harness.Server) agent.NanoUSD {
	t.Helper()
	return agent.NanoUSD(harness.Count(t, s, `SELECT coalesce(sum(spent_nano_usd), 0) FROM budget_totals WHERE org_id = 'org_paying' AND scope = 'org'`))
}

// TestTwoHundredTurnsUnderACapSpendNoMoreThanIt lets 200 turns run at once under a cap
// of one dollar, and again under two while the server is killed in the middle.
func TestTwoHundredTurnsUnderACapSpendNoMoreThanIt(t *testing.T) {
	t.Parallel()
	s, p := bare(t, harness.Options{Deaf: true, Env: []string{"ANTHROPIC_API_KEY=sk-ant-api03-budget-budget-budget-budget-budget"}}, costly())
	adm, guests := s.SignIn("adm"), s.Guests(crowd/4)
	caps(adm, agent.USD)

	ids := beginAll(t, guests, "first")
	awaitNone(t, s, time.Minute, running)
	spent, answered := spentBy(t, s), len(p.Requests(""))
	completed := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state = 'completed'`)
	refused := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state = 'failed' AND error_code = 'budget_exceeded'`)
	t.Logf("under 1 USD: %d turns, %d answered, %d refused, %s spent", len(ids), completed, refused, spent)
	if spent > agent.USD || spent != agent.NanoUSD(answered*perCall) || completed != answered || completed+refused != crowd {
		t.Errorf("%s are spent; the provider answered %d times, %d turns were answered and %d refused", spent, answered, completed, refused)
	}
	if completed < 35 { // 0.16 USD is what a call reserves at most; waiting lets the others use the rest
		t.Errorf("only %d turns fit", completed)
	}
	nothingIsHeld(t, s)
	usedUp(t, adm, guests[0])

	caps(adm, 2*agent.USD)
	p.Reset()
	beginAll(t, guests, "second")
	awaitHeld(t, s)
	s.Kill()
	s.Restart()
	awaitNone(t, s, time.Minute, running)
	spent = spentBy(t, s)
	lost := harness.Count(t, s, `SELECT count(*) FROM budget_ledger WHERE state = 'lost'`)
	ended := harness.Count(t, s, `SELECT count(*) FROM turns WHERE state IN ('completed', 'failed')`)
	t.Logf("under 2 USD, killed once: %s spent, %d calls lost with their process", spent, lost)
	if spent > 2*agent.USD || spent < agent.USD+agent.USD/2 || lost == 0 || ended < 2*crowd {
		t.Errorf("%s are spent, %d calls are lost, %d turns ended", spent, lost, ended)
	}
	nothingIsHeld(t, s)
}

// awaitHeld waits until some calls of this life run.
func awaitHeld(t *testing.T, s *harness.Server) {
	t.Helper()
	awaitNone(t, s, time.Minute, `SELECT count(*) = 0 FROM budget_ledger WHERE state = 'held'`)
}

// usedUp looks at what a budget that is used up tells everybody.
func usedUp(t *testing.T, adm, guest *harness.User) {
	t.Helper()
	a := guest.Do("POST /chat", harness.Say("One more"))
	problem := a.Problem()
	wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if a.Status != http.StatusTooManyRequests || problem.Code != agent.CodeBudgetExceeded || problem.TurnID == "" || problem.Panel != "usage" || err != nil || wait < 1 ||
		!strings.Contains(problem.Message, "1.00 USD a month") || !strings.Contains(problem.Hint, "admin") {
		t.Errorf("one more message: %s %v", a, a.Header)
	}
	var all, own agent.UsageReport
	adm.Must(http.StatusOK, "GET /admin/usage", nil).Into(t, &all)
	guest.Must(http.StatusOK, "GET /usage", nil).Into(t, &own)
	if all.Total.Cost == 0 || own.Total.Cost > all.Total.Cost || len(all.Users) == 0 || len(all.Models) != 1 || len(own.Budgets) != 1 ||
		own.Budgets[0].Spent != all.Total.Cost {
		t.Errorf("the org: %+v\nthe guest: %+v", all, own)
	}
	for _, what := range []string{"GET /admin/usage", "GET /admin/budgets", "PUT /admin/budgets"} {
		var body any
		if strings.HasPrefix(what, "PUT") {
			body = `{"items":[]}`
		}
		guest.Must(http.StatusForbidden, what, body)
	}
}

func TestWhatLeftForAThreadIsToldToItsUserAndGoesWithIt(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	s := start(t, rng, says("Hello", "Good day."))
	turn := s.lin.Begin(harness.Say("Hello"))
	s.lin.Attach(turn.ID, "").Completed()
	var left agent.Transparency
	s.lin.Must(http.StatusOK, "GET /transparency?threadId="+string(turn.ThreadID), nil).Into(t, &left)
	host := strings.TrimPrefix(s.provider.URL, "http://")
	seen := s.provider.Requests("")
	if len(left.Items) != 1 || len(seen) != 1 {
		t.Fatalf("%+v of %d requests", left, len(seen))
	}
	line := left.Items[0]
	if line.Host != host || line.Purpose != "step" || line.Requests != 1 || line.Failures != 0 || line.TurnID != turn.ID ||
		line.BytesOut != int64(len(seen[0].Raw)) || line.BytesIn != seen[0].Bytes || line.At == 0 {
		t.Errorf("%+v; the provider at %s got %d bytes and sent %d", line, host, len(seen[0].Raw), seen[0].Bytes)
	}
	for name, u := range map[string]*harness.User{"another org": s.SignIn("pay"), "an admin of another org": s.SignIn("adm")} {
		if a := u.Do("GET /transparency?threadId="+string(turn.ThreadID), nil); a.Status != http.StatusNotFound {
			t.Errorf("%s: %s", name, a)
		}
	}
	s.lin.Must(http.StatusNoContent, "DELETE /threads/"+string(turn.ThreadID), nil)
	s.lin.Must(http.StatusNotFound, "GET /transparency?threadId="+string(turn.ThreadID), nil)
	if n := harness.Count(t, s.Server, `SELECT count(*) FROM egress`); n != 0 {
		t.Errorf("%d lines are left of a deleted thread", n)
	}
}
