// Command rows looks into the SQLite database of a server, for tests that are not
// written in Go:
//
//	rows read|write FILE QUERY [ARGUMENT...]
//
// read prints the rows that the query finds as a JSON list of objects, write runs
// a statement and prints how many rows it changed. Arguments are bound as text.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	_ "modernc.org/sqlite" // the driver that the server uses
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 3 || args[0] != "read" && args[0] != "write" {
		return errors.New("usage: rows read|write FILE QUERY [ARGUMENT...]")
	}
	mode := map[string]string{"read": "ro", "write": "rw"}[args[0]]
	db, err := sql.Open("sqlite", "file:"+args[1]+"?mode="+mode+"&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	bound := make([]any, len(args)-3)
	for i, a := range args[3:] {
		bound[i] = a
	}
	if mode == "rw" {
		res, err := db.ExecContext(ctx, args[2], bound...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(n)
	}
	found, err := read(ctx, db, args[2], bound)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(found)
}

func read(ctx context.Context, db *sql.DB, query string, args []any) (all []map[string]any, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all = []map[string]any{}
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, name := range names {
			if b, ok := values[i].([]byte); ok {
				values[i] = string(b)
			}
			row[name] = values[i]
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
