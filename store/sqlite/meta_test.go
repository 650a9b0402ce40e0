package sqlite_test

import (
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lossless-group/in-app-agent/store/sqlite"
	"github.com/lossless-group/in-app-agent/store/storetest"
)

// brokenStores lists each fault with the case that must catch it, and the topics
// whose cases may fail with it; any other failure means that a case tests what it
// does not say.
var brokenStores = []struct {
	name   string
	breaks func(storetest.Store) storetest.Store
	caught string
	near   string
}{
	{"drops an event", func(s storetest.Store) storetest.Store { return dropsEvent{s} }, "live/live text is kept in order", "live read compact"},
	{"doubles an event", func(s storetest.Store) storetest.Store { return doublesEvent{s} }, "live/live text is kept in order", "live read commit take compact"},
	{"reorders events", func(s storetest.Store) storetest.Store { return reordersEvents{s} }, "live/live text is kept in order", "live read commit take compact"},
	{"reads one event too many", func(s storetest.Store) storetest.Store { return readsOneEarly{s} }, "read/a reader may begin between any two deltas", "read compact"},
	{"skips an event", func(s storetest.Store) storetest.Store { return readsOneLate{s} }, "read/a reader may begin between any two deltas", "read compact"},
	{"never cuts", func(s storetest.Store) storetest.Store { return neverCuts{s} }, "read/a reader may begin between any two deltas", "read compact"},
	{"appends for a run that is over", func(s storetest.Store) storetest.Store { return appendsStale{s} }, "live/a run that is over appends nothing, and the others of its batch do", "live owner delete"},
	{"commits for a run that is over", func(s storetest.Store) storetest.Store { return commitsStale{s} }, "commit/a run that is over commits nothing", "commit owner ledger budget egress"},
	{"loses usage", func(s storetest.Store) storetest.Store { return losesUsage{s} }, "transcript/a row is brought up to date and keeps whose it is", "transcript"},
	{"writes half a milestone", func(s storetest.Store) storetest.Store { return writesHalf{s} }, "atomic/a milestone of which one part fails writes nothing", "atomic"},
	{"loses a settle", func(s storetest.Store) storetest.Store { return losesSettle{s} }, "ledger/a claim is settled once, with its result", "ledger commit atomic delete redo host"},
	{"claims twice", func(s storetest.Store) storetest.Store { return claimsTwice{s} }, "ledger/a claim is made once for each call and phase", "ledger atomic"},
	{"forgets to clear the owner", func(s storetest.Store) storetest.Store { return keepsOwner{s} }, "commit/a parked turn loses its owner and shows what is open", "commit"},
	{"does not raise the run", func(s storetest.Store) storetest.Store { return keepsRun{s} }, "owner/adopting raises the run and fences the old owner out", "owner live ledger"},
	{"starts a resend again", func(s storetest.Store) storetest.Store { return startsTwice{s} }, "start/a message that is sent again gives the same turn and writes nothing", "start"},
	{"takes any content for a resend", func(s storetest.Store) storetest.Store { return digestBlind{s} }, "start/another message under the same id is a conflict", "start"},
	{"puts a turn on its own path", func(s storetest.Store) storetest.Store { return pathWithSelf{s} }, "path/a path goes from the root down to the turn, without it", "path"},
	{"gives the newest page again", func(s storetest.Store) storetest.Store { return reversesPages{s} }, "path/a thread's turns come page by page from its head", "path"},
	{"shows a thread of another org", func(s storetest.Store) storetest.Store { return leaksThread{newLeak(s)} }, "tenancy/what belongs to others cannot be told from what does not exist", "tenancy"},
	{"shows events within the org", func(s storetest.Store) storetest.Store { return leaksEvents{newLeak(s)} }, "tenancy/what belongs to others cannot be told from what does not exist", "tenancy"},
	{"lists turns of another user", func(s storetest.Store) storetest.Store { return leaksList{newLeak(s)} }, "tenancy/lists and searches hold the caller's own only", "tenancy turns"},
	{"shows an artifact of another user", func(s storetest.Store) storetest.Store { return leaksBlob{newLeak(s)} }, "tenancy/what belongs to others cannot be told from what does not exist", "tenancy atomic delete"},
	{"lists approvals of another user", func(s storetest.Store) storetest.Store { return leaksInbox{newLeak(s)} }, "approval/the newest preview comes first, of every thread of its user only", "approval"},
	{"samples no key of another version", func(s storetest.Store) storetest.Store { return samplesOne{s} }, "orgkey/the sample of keys has the newest live ones of each version and table", "orgkey"},
	{"writes over a map of placeholders", func(s storetest.Store) storetest.Store { return overwritesMap{s} }, "redaction/a map comes back as it was sealed, and each write follows the one before", "redaction"},
	{"shows a map within the org", func(s storetest.Store) storetest.Store { return leaksMap{newLeak(s)} }, "redaction/a map is its user's in one org, to read and to write", "redaction"},
	{"shows a key of another user", func(s storetest.Store) storetest.Store { return leaksKey{s} }, "tenancy/what belongs to others cannot be told from what does not exist", "tenancy key"},
	{"mixes settings of an org's users", func(s storetest.Store) storetest.Store { return orgsSettings{s} }, "settings/settings are a user's in an org", "settings tenancy"},
	{"lets two answers win", func(s storetest.Store) storetest.Store { return takesTwice{s} }, "take/of many answers at once the first wins and the others conflict", "take refuse"},
	{"keeps what a failing host wrote", func(s storetest.Store) storetest.Store { return splitsHost{s} }, "host/a host that fails keeps neither its change nor the row, and may try again", "host reminder note"},
	{"keeps a revoked permission", func(s storetest.Store) storetest.Store { return keepsRule{s} }, "permission/a permission is used as long as it is live, and counts its uses", "permission tenancy audited"},
	{"takes for any owner", func(s storetest.Store) storetest.Store { return takesStale{s} }, "refuse/only the run's own owner takes from a running turn", "refuse"},
	{"takes what has expired", func(s storetest.Store) storetest.Store { return takesLate{s} }, "refuse/a preview can be answered until it expires, and not from then on", "refuse take permission audited"},
	{"takes under any policy", func(s storetest.Store) storetest.Store { return takesUnder{s} }, "refuse/an accept under a policy that changed is refused", "refuse audited"},
	{"hides instead of deleting", func(s storetest.Store) storetest.Store { return deletesHead{s} }, "delete/deleting a thread reaches all that hangs on it", "delete approval feed away audited note budget egress redaction"},
	{"searches with wildcards", func(s storetest.Store) storetest.Store { return wildSearch{s} }, "search/a search means what it says, wildcards and quotes too", "search"},
	{"loses the last of a page", func(s storetest.Store) storetest.Store { return losesInPage{s} }, "list/every page goes on where the one before ended, also at equal times", "list turns"},
	{"passes a hard cap", func(s storetest.Store) storetest.Store { return passesCap{s} }, "budget/a hard cap holds at, under and over it, for every scope", "budget"},
	{"counts a cost twice", func(s storetest.Store) storetest.Store { return doublesCost{s} }, "budget/what is settled replaces what was reserved, once", "budget"},
	{"does not settle with a milestone", func(s storetest.Store) storetest.Store { return losesSpends{s} }, "budget/a milestone settles with all that it writes, or not at all", "budget"},
	{"takes an unknown price for none", func(s storetest.Store) storetest.Store { return hidesUnknown{s} }, "budget/a call without a price is refused by a cap on money, counted by one on tokens, and said", "budget"},
	{"warns again and again", func(s storetest.Store) storetest.Store { return warnsAgain{s, &sayings{}} }, "budget/a soft cap is told once a month, at it and not under it", "budget"},
	{"loses what left", func(s storetest.Store) storetest.Store { return losesEgress{s} }, "egress/what left is added up for a turn, a host and a purpose, newest first", "egress"},
	{"keeps a revoked session", func(s storetest.Store) storetest.Store { return keepsSession{s} }, "session/a revoked session is not found", "session"},
	{"keeps a replaced key", func(s storetest.Store) storetest.Store { return keepsKey{s} }, "key/a key with the same provider and label replaces the one before", "key orgkey audited"},
	{"never refreshes a policy", func(s storetest.Store) storetest.Store { return neverRefresh{s} }, "policy/a policy is read from its copy, which moves when it is refreshed", "policy refuse audited clients redaction"},
	{"loses a release", func(s storetest.Store) storetest.Store { return losesRelease{s} }, "redo/a released claim can be made again, a settled one not", "redo atomic"},
	{"loses what became of a receipt", func(s storetest.Store) storetest.Store { return losesRestate{s} }, "redo/a receipt moves on and keeps what is not said", "redo atomic"},
	{"loses an edited call", func(s storetest.Store) storetest.Store { return losesEdit{s} }, "redo/an edited call is taken with the decision, and knows its parent", "redo"},
	{"adopts in whatever run", func(s storetest.Store) storetest.Store { return adoptsAnyRun{s} }, "owner/only a running turn in the run that was seen is adopted", "owner"},
	{"forgets a stop", func(s storetest.Store) storetest.Store { return losesStop{s} }, "owner/a stop is kept with the running turn that it was told, and the first one counts", "owner"},
	{"finds anybody's call", func(s storetest.Store) storetest.Store { return anyonesCall{s} }, "redo/a call's turn is found by its owner only", "redo tenancy"},
	{"forgets a clean-up", func(s storetest.Store) storetest.Store { return forgetsClean{s} }, "receipt/given-up receipts are due until they are cleaned up", "receipt"},
	{"loses a compaction", func(s storetest.Store) storetest.Store { return losesCompaction{s} }, "compaction/the nearest compaction above a turn is found, with how far it is", "compaction"},
	{"looks too far for a compaction", func(s storetest.Store) storetest.Store { return farCompaction{s} }, "compaction/a compaction is looked for within the limit only", "compaction"},
	{"forgets where results are cut", func(s storetest.Store) storetest.Store { return losesCut{s} }, "compaction/the step before which results are cut is kept with the turn", "compaction"},
	{"loses what a request was made of", func(s storetest.Store) storetest.Store { return losesTrace{s} }, "trace/a step keeps what its request was made of", "trace"},
	{"mixes the order of traces", func(s storetest.Store) storetest.Store { return mixesTraces{s} }, "trace/traces come in the order of the path, page by page", "trace"},
	{"loses an audit row", func(s storetest.Store) storetest.Store { return losesAudit{s} }, "audit/rows that come at once stand in one chain for each org", "audit audited clients"},
	{"changes an audit row", func(s storetest.Store) storetest.Store { return changesAudit{s} }, "audit/a row comes back as it was recorded, chained to the one before", "audit audited clients"},
	{"reorders the audit log", func(s storetest.Store) storetest.Store { return reordersAudit{s} }, "audit/a row comes back as it was recorded, chained to the one before", "audit audited clients"},
	{"records a fact twice", func(s storetest.Store) storetest.Store { return recordsTwice{s} }, "audit/a fact is recorded once in an org", "audit"},
	{"shows the audit log of another org", func(s storetest.Store) storetest.Store { return leaksAudit{s} }, "audit/an org's log is nobody else's", "audit audited clients"},
	{"believes any anchor", func(s storetest.Store) storetest.Store { return anchorless{s} }, "audit/an anchor must be in the log", "audit"},
	{"deletes a thread without a word", func(s storetest.Store) storetest.Store { return deletesSilently{s} }, "audited/a deleted thread leaves the fact and nothing of what was said", "audited"},
	{"records before it is known to happen", func(s storetest.Store) storetest.Store { return recordsFirst{s} }, "audited/what is refused is not recorded", "audited"},
	{"puts a policy of any version", func(s storetest.Store) storetest.Store { return putsAnyPolicy{s} }, "audited/a policy is put where its version is the one that was read, and is in force and recorded then", "audited"},
	{"shows the clients to anybody", func(s storetest.Store) storetest.Store { return clientsForAll{s} }, "clients/staff alone see the clients, each with its word", "clients"},
	{"searches whom opted out", func(s storetest.Store) storetest.Store { return searchesAnybody{s} }, "clients/a search of an org that has opted out is not recorded in any", "clients"},
	{"tells admins again and again", func(s storetest.Store) storetest.Store { return tellsAgain{s} }, "clients/the admins of a searched org are told once, and tried again for a week", "clients"},
	{"expires a moment early", func(s storetest.Store) storetest.Store { return expiresEarly{s} }, "receipt/open receipts are due from their time on, of every tenant", "receipt"},
	{"lets the last writer win", func(s storetest.Store) storetest.Store { return lastWriterWins{s} }, "reminder/a version replaces the one that it was made from, and no other", "reminder"},
	{"gives the newest version for any", func(s storetest.Store) storetest.Store { return losesVersion{s} }, "reminder/every version is kept with who wrote it, and the newest is the file", "reminder"},
	{"keeps reminders of a user", func(s storetest.Store) storetest.Store { return ownReminders{s} }, "reminder/the files are an org's: every member's, and nobody else's", "reminder"},
	{"shows reminders of another org", func(s storetest.Store) storetest.Store { return sharedReminder{s} }, "reminder/the files are an org's: every member's, and nobody else's", "reminder"},
	{"writes a reminder outside the change", func(s storetest.Store) storetest.Store { return writesOutside{s} }, "reminder/a version that a change writes is kept with its ledger row, or not at all", "reminder"},
	{"keeps the notes of a deleted thread", func(s storetest.Store) storetest.Store { return keepsNotes{s} }, "note/deleting a thread takes the notes that came from it, and no others", "note"},
	{"recalls what is over its time", func(s storetest.Store) storetest.Store { return neverForgets{s} }, "note/a note lives 30 days, or as long as its org says", "note"},
	{"forgets what was used last", func(s storetest.Store) storetest.Store { return forgetsNew{s} }, "note/an org keeps 200 notes: the one that was used longest ago is forgotten first", "note"},
	{"shows notes of another org", func(s storetest.Store) storetest.Store { return sharesNotes{s} }, "note/notes are an org's: a member makes them in an own thread, and no other org has them", "note"},
	{"has one limit of notes for all", func(s storetest.Store) storetest.Store { return oneLimit{s} }, "note/limits are an org's own, take effect at once and are checked", "note"},
}

// recorder is a TB that notes failures instead of reporting them.
type recorder struct {
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures runs a case to its end and gives what it found.
func failures(c storetest.Case, s storetest.Store) []string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Run(r, s)
	}()
	<-done
	return r.failures
}

// TestEveryBrokenStoreIsCaughtByTheCaseThatIsAboutIt runs the cases near each fault
// and a tenth of all others; with STORETEST_ALL=1, as in make soak, it runs every
// case against every broken store, which takes a minute.
func TestEveryBrokenStoreIsCaughtByTheCaseThatIsAboutIt(t *testing.T) {
	if testing.Short() || sqlite.UnderRace {
		t.Skip("runs the suite for each broken store: long, and about the suite")
	}
	everything := os.Getenv("STORETEST_ALL") != ""
	t.Setenv("TMPDIR", quickFolder(t))
	for _, b := range brokenStores {
		t.Run(b.name, func(t *testing.T) {
			caught := false
			for _, c := range storetest.Cases() {
				name := c.Topic + "/" + c.Name
				near := slices.Contains(strings.Fields(b.near), c.Topic)
				if !near && !everything && !sampled(b.name, name) {
					continue
				}
				found := runAgainst(t, c, b.breaks)
				caught = caught || (len(found) > 0 && name == b.caught)
				if len(found) > 0 && !near {
					t.Errorf("the case %q is not about this, but failed: %s", name, found[0])
				}
			}
			if !caught {
				t.Errorf("the case %q did not catch it", b.caught)
			}
		})
	}
}

// sampled picks a tenth by the names alone, so that a new case or fault does not
// change which of the others meet.
func sampled(fault, name string) bool {
	return crc32.ChecksumIEEE([]byte(fault+"/"+name))%10 == 0
}

func runAgainst(t *testing.T, c storetest.Case, breaks func(storetest.Store) storetest.Store) []string {
	s, err := sqlite.Open(t.Context(), sqlite.Config{App: copied(t, t.TempDir(), "one.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return failures(c, breaks(s))
}

// quickFolder gives a folder in memory where there is one: these stores need not
// survive anything.
func quickFolder(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "storetest")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestEveryCaseHasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range storetest.Cases() {
		name := c.Topic + "/" + c.Name
		if c.Topic == "" || c.Name == "" || seen[name] {
			t.Errorf("case %q has no name of its own", name)
		}
		seen[name] = true
	}
}
