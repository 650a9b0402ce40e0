package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// uses is what a handler of the presenter takes from a request and asks for, as
// its source says. Each is a set of names.
type uses struct {
	members  map[string]bool // of the body, of objects inside it as well
	required map[string]bool // those of them that must be there
	query    map[string]bool
	headers  map[string]bool
	statuses map[string]bool // as net/http names them, without Status
	ports    map[string]bool // such as Agent.StartTurn
}

// presenter is the source of the presenter: its functions by name, and the methods
// of its api by "a." and the name.
type presenter struct {
	fset  *token.FileSet
	funcs map[string]*ast.FuncDecl
}

// readPresenter parses the functions of a folder, tests aside. Methods of other
// types are left out: the JSON reader's are the words that handlers are written in.
// So is what makes problems, whose statuses are those of the codes.
func readPresenter(folder string) (presenter, error) {
	p := presenter{fset: token.NewFileSet(), funcs: map[string]*ast.FuncDecl{}}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return p, fmt.Errorf("read %s: %w", folder, err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, filepath.Join(folder, e.Name()), nil, 0)
		if err != nil {
			return p, fmt.Errorf("parse %s: %w", e.Name(), err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case !ok || f.Name.Name == "problemOf":
			case f.Recv == nil:
				p.funcs[f.Name.Name] = f
			case p.text(f.Recv.List[0].Type) == "*api":
				p.funcs["a."+f.Name.Name] = f
			}
		}
	}
	return p, nil
}

// handler gives what a handler uses, itself or in the functions that it calls.
func (p presenter) handler(name string) (uses, error) {
	u := uses{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	if p.funcs["a."+name] == nil {
		return u, fmt.Errorf("the presenter has no handler %s", name)
	}
	p.walk("a."+name, u, map[string]bool{})
	return u, nil
}

func (p presenter) walk(name string, u uses, seen map[string]bool) {
	f := p.funcs[name]
	if f == nil || f.Body == nil || seen[name] {
		return
	}
	seen[name] = true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if status, ok := strings.CutPrefix(n.Sel.Name, "Status"); ok && p.text(n.X) == "http" && status != "Text" {
				u.statuses[status] = true
			}
		case *ast.CallExpr:
			p.call(n, f, u, seen)
		}
		return true
	})
}

// call notes what one call reads, or follows it into a function of the package.
func (p presenter) call(c *ast.CallExpr, in *ast.FuncDecl, u uses, seen map[string]bool) {
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		if fun.Name == "queryInt" || fun.Name == "queryBool" {
			note(u.query, literals(c.Args[1], in))
		}
		p.walk(fun.Name, u, seen)
	case *ast.SelectorExpr:
		on := p.text(fun.X)
		switch fun.Sel.Name {
		case "required", "integer":
			note(u.required, literals(c.Args[0], in))
			note(u.members, literals(c.Args[0], in))
		case "str", "optional", "strings", "boolean", "whole", "raw", "list", "objects":
			note(u.members, literals(c.Args[0], in))
		case "Get", "Values":
			if strings.HasSuffix(on, "Header") {
				note(u.headers, literals(c.Args[0], in))
			} else {
				note(u.query, literals(c.Args[0], in))
			}
		}
		switch on {
		case "a":
			p.walk("a."+fun.Sel.Name, u, seen)
		case "a.Agent", "a.Threads", "a.Keys", "a.Settings", "a.Feedback", "a.Approvals", "a.Permissions",
			"a.CacheDoctor",
			"a.Admin",
			"a.Reminders",
			"a.Redaction",
			"a.UsageReports", "a.Egress":
			u.ports[strings.TrimPrefix(on, "a.")+"."+fun.Sel.Name] = true
		}
	}
}

func note(set map[string]bool, names []string) {
	for _, n := range names {
		set[n] = true
	}
}

// literals gives the string that an argument is, or those that the variable which
// it is gets anywhere in the function.
func literals(arg ast.Expr, in *ast.FuncDecl) (found []string) {
	switch arg := arg.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(arg.Value); err == nil {
			return []string{s}
		}
	case *ast.Ident:
		ast.Inspect(in.Body, func(n ast.Node) bool {
			if set, ok := n.(*ast.AssignStmt); ok && len(set.Lhs) == 1 && len(set.Rhs) == 1 {
				name, isName := set.Lhs[0].(*ast.Ident)
				if value, ok := set.Rhs[0].(*ast.BasicLit); ok && isName && name.Name == arg.Name {
					found = append(found, literals(value, in)...)
				}
			}
			return true
		})
	}
	return found
}

func (p presenter) text(n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, p.fset, n) // a node that was parsed prints
	return b.String()
}
