// Package sqlite keeps everything in SQLite files: turns, events, receipts and the
// ledger in the app database; users, orgs, login sessions and sealed keys in the
// auth database. Both may be one file.
//
// One connection writes, in immediate transactions; a pool reads. Every query for
// a row of a tenant names the principal's org and user, so what belongs to others
// does not exist. SQL stands as constants beside the method that runs it and takes
// its values as parameters only.
//
// A transaction that accepts a message, writes a receipt, takes a decision, claims,
// settles, ends a turn or stores a key is on the disk when its method returns
// (synchronous=FULL). The rest survives a crash of the process at once and a loss
// of power from the next such transaction on (synchronous=NORMAL).
package sqlite
