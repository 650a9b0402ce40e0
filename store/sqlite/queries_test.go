package sqlite

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// queries reads the SQL constants of this package from its source, by name, with
// the constants that they are joined from filled in.
func queries(tb testing.TB) map[string]string {
	tb.Helper()
	values := map[string]ast.Expr{}
	files := token.NewFileSet()
	must(tb, fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		must(tb, err)
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, spec := range g.Specs {
					v := spec.(*ast.ValueSpec)
					for i, name := range v.Names {
						if i < len(v.Values) {
							values[name.Name] = v.Values[i]
						}
					}
				}
			}
		}
		return nil
	}))
	list := map[string]string{}
	for name, e := range values {
		if text := textOf(values, e); statement.MatchString(text) {
			list[name] = text
		}
	}
	if len(list) < 60 {
		tb.Fatalf("only %d queries were found", len(list))
	}
	return list
}

var statement = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH) `)

func textOf(values map[string]ast.Expr, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return textOf(values, e.X) + textOf(values, e.Y)
	case *ast.Ident:
		return textOf(values, values[e.Name])
	default:
		return ""
	}
}

// systemQueries are those that serve all tenants, on purpose: live text of many turns,
// the sweep, the jobs, what is told to whoever is away, and the operator's doctor.
var systemQueries = []string{
	"selectAnyHead", "selectOrphans", "forgetOwners", "selectDue", "updateCleaned",
	"selectUnnoticed", "markNoticed", "selectDueNotices", "noteNotice",
	"selectUncompacted", "selectTurnRows", "deleteJoined", "updateJoined", "markCompacted",
	"selectDuePassages", "takePassage", "releasePassages", "settlePassage", "selectPassageState",
	"selectDoomed", "selectDoomedThread", "forgetPassage", "skipPassages",
	"selectAnyThread", "selectAnyThreads",
	"selectHeldOfOthers",
}

// tenantTables are the tables of what users have.
var tenantTables = []string{
	"threads", "turns", "steps", "calls", "events", "receipts", "ledger", "blobs", "agent_transcripts",
	"user_settings", "feedback", "permissions", "approval_links",
	"transcript_passages",
	"compactions",
	"budget_ledger", "egress",
}

var tenantTable = regexp.MustCompile(`(FROM|JOIN|UPDATE|INTO) (` + strings.Join(tenantTables, "|") + `)\b`)

func TestEveryQueryOnTenantDataNamesOrgAndUser(t *testing.T) {
	for name, query := range queries(t) {
		if !tenantTable.MatchString(query) || slices.Contains(systemQueries, name) {
			continue
		}
		where := strings.ReplaceAll(query, "+", "")
		if i := strings.Index(where, "WHERE"); i >= 0 && !strings.HasPrefix(query, "INSERT") {
			where = where[i:]
		}
		if !strings.Contains(where, "org_id") || !strings.Contains(where, "user_id") {
			t.Errorf("%s does not narrow to a tenant: %s", name, query)
		}
	}
}

// scanned are the tables that may be read from end to end: a handful of rows, or
// lists that come as a parameter.
var scanned = regexp.MustCompile(`SCAN (` + strings.Join([]string{
	"json_each", "receipts USING INDEX idx_receipts_unclean$", "t USING INDEX idx_turns_running$", "owners", "orgs", "org_state",
	"up", "h$", "CONSTANT", `\(subquery`, "sqlite_schema", "schema_",
	"jobs", "transcript_opt_outs", "transcript_passages USING INDEX idx_passages_(writing|doomed)$",
	"audit_outbox",
	"org_caps", "who", "w$", "caps$", `\d+ CONSTANT`, `\d-ROW VALUES`, "budget_ledger USING INDEX idx_budget_ledger_held$",
}, "|") + `)`)

// throughUser are the indexes that lead through everything a user has: right for
// the lists of it, and a cost that grows with the user's history anywhere else.
var throughUser = regexp.MustCompile(`idx_turns_recent|idx_turns_state|idx_threads_recent`)

// onceAStart are the queries that no request makes: a start and the keys verbs read the
// live keys from end to end, to see that each version of the master key opens some.
var onceAStart = []string{"sampleUserKeys", "sampleOrgKeys"}

var listsOfUser = []string{"selectTurns", "selectTurnsInState", "selectThreads"}

func TestEveryQueryFindsItsRowsByAnIndex(t *testing.T) {
	s := openAt(t, Config{})
	for name, query := range queries(t) {
		var plan []string
		must(t, s.app.read(context.Background(), func(t *tx) (err error) {
			plan, err = all(t, func(s scanner) (detail string, err error) {
				var id, parent, unused int
				return detail, s.Scan(&id, &parent, &unused, &detail)
			}, "EXPLAIN QUERY PLAN "+query, make([]any, max(strings.Count(query, "?"), 8))...)
			return err
		}))
		for _, line := range plan {
			if strings.Contains(line, "SCAN") && !scanned.MatchString(line) && !slices.Contains(onceAStart, name) {
				t.Errorf("%s reads a whole table: %s\n%s", name, line, query)
			}
			if throughUser.MatchString(line) && !slices.Contains(listsOfUser, name) {
				t.Errorf("%s goes through all that a user has: %s\n%s", name, line, query)
			}
		}
	}
}
