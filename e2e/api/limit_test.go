package api

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
	"github.com/lossless-group/in-app-agent/e2e/harness"
	"github.com/lossless-group/in-app-agent/provider/scripted"
)

func TestFourTurnsAtOnceAreTheMostForOneUserAndBotherNobodyElse(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	endless := says("think long", "a word and another")
	endless.Fault = &scripted.Fault{Kind: scripted.FaultSilence, After: 1}
	s, provider := bare(t, harness.Options{Env: []string{"ANTHROPIC_API_KEY=" + anthropicKey(rng)}}, endless)
	pay, adm := s.SignIn("pay"), s.SignIn("adm")
	var running []*harness.Stream
	for range agent.MaxTurnsPerUser {
		running = append(running, pay.Chat(harness.Say("think long")))
	}
	provider.Await("four answers are under way", func(seen []fake.Seen) bool { return len(seen) == agent.MaxTurnsPerUser })
	for range 3 {
		a := pay.Do("POST /chat", harness.Say("think long"))
		wait, err := strconv.Atoi(a.Header.Get("Retry-After"))
		if p := a.Problem(); a.Status != http.StatusTooManyRequests || p.Code != agent.CodeRateLimited || p.Hint == "" || err != nil || wait < 1 {
			t.Errorf("the fifth turn answered %s, Retry-After %q", a, a.Header.Get("Retry-After"))
		}
	}
	refuses(t, pay, "a second turn in a thread that is busy", bad{what: "POST /chat", body: harness.Say("me too").In(running[0].Thread()), status: 429, code: agent.CodeRateLimited})
	if done := adm.Chat(harness.Say("hello")).Completed(); done.Text != "OK." {
		t.Errorf("another user of the org was answered %q", done.Text)
	}
	end := func(s *harness.Stream) {
		pay.Must(http.StatusAccepted, "POST /turns/"+string(s.Turn())+"/cancel", nil)
		s.Finish()
	}
	end(running[3])
	refuses(t, pay, "a second turn in a thread that is busy", bad{what: "POST /chat", body: harness.Say("me too").In(running[0].Thread()), status: 409, code: agent.CodeTurnInProgress})
	if done := pay.Chat(harness.Say("hello")).Completed(); done.Text != "OK." {
		t.Errorf("after one ended, the next was answered %q", done.Text)
	}
	for _, stream := range running[:3] {
		end(stream)
	}
	if n := len(provider.Requests("")); n != agent.MaxTurnsPerUser+2 {
		t.Errorf("%d model calls were made", n)
	}
}

func TestEightThreadsThatWaitForTheirUserStillLetHerSend(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	const parked = 8
	var rounds []scripted.Round
	for n := range parked {
		rounds = append(rounds, calls(fmt.Sprintf("variant %d", n+1), call("slide.edit", map[string]any{"slide_id": fmt.Sprint(n + 1), "instruction": "bolder"})))
	}
	markdown := scripted.Round{When: &scripted.When{LastUser: `Format: md`}, Text: scripted.Text{"# Team\n\nBolder people.\n"}}
	s := start(t, rng, append(rounds, markdown, draws(rng.Uint64()), after("slide.edit", "Settled."))...)
	turns := map[agent.TurnID]agent.PreviewShown{}
	for n := range parked {
		stream := s.lin.Chat(harness.Say(fmt.Sprintf("variant %d", n+1)))
		turns[stream.Turn()] = stream.Preview()
	}
	if done := s.lin.Chat(harness.Say("hello")).Completed(); done.Text != "OK." {
		t.Errorf("the ninth thread was answered %q", done.Text)
	}
	if branches := s.Repo("lingering-client").Branches("chat/"); len(branches) != parked {
		t.Errorf("%d previews wait on %v", parked, branches)
	}
	var list agent.Page[agent.Thread]
	s.lin.Must(http.StatusOK, "GET /threads", nil).Into(t, &list)
	waiting := 0
	for _, th := range list.Items {
		if th.Waiting {
			waiting++
		}
	}
	if waiting != parked || len(list.Items) != parked+1 {
		t.Errorf("%d of %d threads are told as waiting", waiting, len(list.Items))
	}
	for turn, preview := range turns {
		s.lin.Accept(turn, preview)
		s.lin.Attach(turn, "").Completed()
	}
	if n := len(s.Repo("lingering-client").Merges()); n != parked {
		t.Errorf("%d accepted changes of eight slides gave %d merge commits", parked, n)
	}
}

func TestAChangeToASlideThatMovedSinceIsRefusedAsStale(t *testing.T) {
	t.Parallel()
	rng, _ := harness.Seed(t)
	seed := rng.Uint64()
	s := start(t, rng, append(variants("first", "02", "bold", seed), calls("second", call("slide.variant", variant{Slide: "02", Style: "calm"})))...)
	one := s.lin.Chat(harness.Say("first"))
	a := one.Preview()
	// The second preview rests on the same version of the slide as the first.
	other := draws(seed + 1)
	s.provider.Play(other, calls("second", call("slide.variant", variant{Slide: "02", Style: "calm"})), after("slide.variant", "Settled."), ok())
	two := s.lin.Chat(harness.Say("second"))
	b := two.Preview()
	s.lin.Accept(one.Turn(), a)
	one.Completed()
	s.lin.Accept(two.Turn(), b)
	again := two.Preview() // refused, and worked out again on what is there now
	s.lin.Discard(two.Turn(), again)
	two.Completed()
	stale := again.Replaces == b.ReceiptID
	repo := s.Repo("lingering-client")
	if !stale || len(repo.Merges()) != 1 || repo.Files("HEAD")["slides/02-the-last-mile-is-water.html"] != drawn(seed) {
		t.Errorf("told as stale: %v, merges %+v", stale, repo.Merges())
	}
}
