package agent

import "context"

// The collections a search may name. Others are never exposed.
const (
	CollectionContextVigilance = "context-vigilance-corpus"
	CollectionChangelog        = "lossless-changelog"
	CollectionSessions         = "client-app-sessions"
)

// Collections is the allowlist, in the order they are searched.
var Collections = []string{CollectionContextVigilance, CollectionChangelog, CollectionSessions}

// The collections of a client's tenant besides its sessions. No search may name them.
const (
	CollectionNotes     = "agent-cache"         // mirrors what the agent noted
	CollectionReminders = "reminders-snapshots" // what the user's reminders said
)

// ClientCollections are what every client's tenant has.
var ClientCollections = []string{CollectionSessions, CollectionNotes, CollectionReminders}

// GlobalTenant holds the collections that every org may read and none may write.
const GlobalTenant = "lossless__global"

// ClientTenant gives the tenant of an org.
func ClientTenant(orgSlug string) string { return "client__" + orgSlug }

// Scope is where a collection lives: always derived from the principal.
type Scope struct {
	Tenant     string
	Database   string
	Collection string
}

// Passage is one retrieved chunk, verbatim as authored, with what is needed to
// cite it.
type Passage struct {
	Text       string   `json:"text"`
	Title      string   `json:"title"`
	SourcePath string   `json:"sourcePath"`
	SourceRepo string   `json:"sourceRepo,omitempty"`
	Date       string   `json:"date,omitempty"` // as written in the front matter
	Tags       []string `json:"tags,omitempty"`
	Collection string   `json:"collection"`
	Score      float64  `json:"score"`
}

// CorpusQuery asks for passages. Results are 1 to 10.
type CorpusQuery struct {
	Query   string
	Results int
}

// Section is one piece of a document on its way into a corpus.
type Section struct {
	Passage
	// Hash is the sha256 of the text and its metadata; the same hash is not stored twice.
	Hash string
}

// Corpus is a searchable set of collections. Implementations derive nothing from
// a query but ranking: the scopes say where to look. Callers: corpus.search and
// the ingest verb.
type Corpus interface {
	// Search ranks over all scopes together. A scope that does not exist is
	// empty. Errors: unavailable, timeout.
	Search(ctx context.Context, scopes []Scope, q CorpusQuery) ([]Passage, error)
	// Put stores sections of one source path, replacing what that path had before;
	// it reports how many changed. Errors: unavailable, storage_full.
	Put(ctx context.Context, scope Scope, sourcePath string, sections []Section) (changed int, err error)
}
