package agent

import "context"

// The jobs of the house. A host may add its own.
const (
	JobIngestTranscripts = "ingest-transcripts"
	JobCompactEvents     = "compact-events"
	JobMirrorMemory      = "mirror-memory"
	JobExpire            = "expire"
	JobCleanBranches     = "clean-branches"
)

// JobState is where a job stands.
type JobState string

// The states of a job.
const (
	JobPlanned JobState = "planned" // it never ran
	JobRunning JobState = "running"
	JobDone    JobState = "done"
	JobFailed  JobState = "failed"
	JobStopped JobState = "stopped" // its process was told to stop; it is due again
)

// MaxJobTries is how often a run is begun whose process ended in the middle, before
// it waits for its next time.
const MaxJobTries = 3

// Job is one row of the jobs table. Times are milliseconds since the Unix epoch, 0
// where there is none.
type Job struct {
	Name  string
	State JobState
	Owner string // the process that runs it, or ran it last
	Run   int64  // raised by each claim; it fences out a process that was overtaken
	Tries int    // claims since the last run that came to an end
	// StartedAt and EndedAt are those of the last run, RenewedAt its last sign of life.
	StartedAt int64
	RenewedAt int64
	EndedAt   int64
	NextAt    int64  // when it is due
	Message   string // what the last run did, for people
}

// JobClaim asks for a job. Exactly one of many claims at once gets it.
type JobClaim struct {
	Name  string
	Owner string
	Now   int64
	// Lease is how long, in milliseconds, a run is believed in after its last sign of life.
	Lease int64
	// Next is when the job is due after this run; 0 leaves what is planned.
	Next int64
	// Force takes a job that is not due.
	Force bool
}

// JobEnd ends the run of a job.
type JobEnd struct {
	Name    string
	Run     int64
	State   JobState
	Message string
	At      int64
	Next    int64 // 0 leaves what is planned
}

// JobRows keeps one row a job. System; callers: the scheduler and the jobs verb.
type JobRows interface {
	// PlanJob makes the row of a job that has none, due at next, and gives it. Of a
	// row that is there it moves a run that is planned for later than next to next; one
	// whose time has passed stays due.
	PlanJob(ctx context.Context, name string, now, next int64) (Job, error)
	// Jobs gives every row, by name.
	Jobs(ctx context.Context) ([]Job, error)
	// ClaimJob takes a job that is due, or any with Force, unless a live run has it; ok
	// says whether it did. A run without a sign of life for longer than the lease is
	// over, and due again; after MaxJobTries of those in a row it has failed. A sign of
	// life from more than a lease ahead counts as none: that clock was wrong.
	ClaimJob(ctx context.Context, c JobClaim) (j Job, ok bool, err error)
	// RenewJob is a sign of life. Errors: conflict (the run was overtaken).
	RenewJob(ctx context.Context, name string, run, at int64) error
	// EndJob ends a run. Errors: conflict (it was overtaken).
	EndJob(ctx context.Context, e JobEnd) error
}

// Compacted tells what a compaction did.
type Compacted struct {
	Turns int
	// Rows is how many rows the events of those turns had, Left how many they have.
	Rows, Left int
}

// EventCompaction makes the events of ended turns small. System; caller: the job
// compact-events.
type EventCompaction interface {
	// CompactEvents joins, of at most limit turns that ended at or before the given
	// time, the deltas of each block into one row. What a reader gets after any seq
	// says the same as before.
	CompactEvents(ctx context.Context, endedBy int64, limit int) (Compacted, error)
}

// DueTranscript is the row of an ended turn on its way into the corpus.
type DueTranscript struct {
	TranscriptRow
	Title string // of its thread, "" where there is none
}

// HeldTranscript says where the passages of a transcript row are.
type HeldTranscript struct {
	ID       string
	ThreadID ThreadID
	Tenant   string
}

// TranscriptFeed is the queue of transcript rows for the corpus. A row enters it in
// the transaction that ends its turn, unless its org has opted out by then, and is
// doomed in the one that deletes it. System; callers: the job ingest-transcripts and
// the deleting of threads.
type TranscriptFeed interface {
	// ReleaseTranscripts takes back what a run left half done. Only one that holds the
	// job may call it.
	ReleaseTranscripts(ctx context.Context) error
	// TakeTranscripts gives up to limit due rows of an org, oldest first, and notes that
	// they are being written into a tenant.
	TakeTranscripts(ctx context.Context, orgID, tenant string, limit int) ([]DueTranscript, error)
	// SettleTranscript notes that a taken row was written. held is false where it was
	// deleted meanwhile: its passages must be removed, then it is forgotten.
	SettleTranscript(ctx context.Context, id string, sections int, at int64) (held bool, err error)
	// DoomedTranscripts gives up to limit deleted rows whose passages may be there, of
	// a thread or, for "", of all.
	DoomedTranscripts(ctx context.Context, thread ThreadID, limit int) ([]HeldTranscript, error)
	// ForgetTranscript ends a doomed row once its passages are removed; one that is
	// being written stays doomed until that has ended.
	ForgetTranscript(ctx context.Context, id string) error
	// OptOut notes whether an org's transcripts stay out of the corpus from now on. What
	// was said while it was out is never ingested.
	OptOut(ctx context.Context, orgID string, out bool, at int64) error
	// OptedOut gives the ids of the orgs that are out.
	OptedOut(ctx context.Context) ([]string, error)
}
