// Package jobs does what is done by the clock. Runner runs jobs at the times of their
// plans: each on one process only, by a claim in the jobs table; one that was missed
// is caught up once; a panic ends a run and nothing else. Ingest and Compact are the
// two jobs that need nothing but the store and the corpus.
package jobs
