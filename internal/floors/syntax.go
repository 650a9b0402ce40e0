package floors

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Undocumented names the exported things and the packages of Go files that have
// no doc comment, and comments that do not end as a sentence does. Tests and
// commands are left out.
func Undocumented(files map[string][]byte) []string {
	var breaches []string
	packages := map[string]bool{} // folder → has a package comment
	for _, file := range parsed(files, &breaches) {
		if file.ast.Name.Name == "main" {
			continue
		}
		dir := path.Dir(file.path)
		packages[dir] = packages[dir] || file.ast.Doc != nil
		for _, decl := range file.ast.Decls {
			for _, name := range exported(decl) {
				if problem := missing(name.doc); problem != "" {
					breaches = append(breaches, fmt.Sprintf("%s: %s %s", file.at(name.pos), name.text, problem))
				}
			}
		}
	}
	for dir, has := range packages {
		if !has {
			breaches = append(breaches, fmt.Sprintf("%s has no package comment", dir))
		}
	}
	slices.Sort(breaches)
	return breaches
}

type source struct {
	path string
	ast  *ast.File
	set  *token.FileSet
}

func (s source) at(pos token.Pos) string {
	return s.path + ":" + strconv.Itoa(s.set.Position(pos).Line)
}

// parsed reads the files that are neither tests nor generated.
func parsed(files map[string][]byte, breaches *[]string) []source {
	var all []source
	for name, text := range files {
		if strings.HasSuffix(name, "_test.go") || generated.Match(text) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			*breaches = append(*breaches, fmt.Sprintf("%s does not parse", name))
			continue
		}
		all = append(all, source{name, file, set})
	}
	return all
}

type named struct {
	text string
	doc  *ast.CommentGroup
	pos  token.Pos
}

// wellKnown are methods that say by their name what they are.
var wellKnown = []string{
	"Error", "Unwrap", "Is", "String", "GoString", "Format", "LogValue", "MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON",
	"EventKind", "ServeHTTP", "Len", "Less", "Swap",
}

func exported(decl ast.Decl) []named {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Recv != nil && (slices.Contains(wellKnown, d.Name.Name) || !ofExported(d.Recv)) {
			return nil
		}
		return []named{{d.Name.Name, d.Doc, d.Pos()}}
	case *ast.GenDecl:
		var found []named
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					found = append(found, named{s.Name.Name, first(s.Doc, d.Doc, s.Comment), s.Pos()})
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						found = append(found, named{name.Name, first(d.Doc, s.Doc, s.Comment), s.Pos()})
					}
				}
			}
		}
		return found
	}
	return nil
}

func first(groups ...*ast.CommentGroup) *ast.CommentGroup {
	for _, g := range groups {
		if g != nil {
			return g
		}
	}
	return nil
}

func ofExported(recv *ast.FieldList) bool {
	typ := recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

func missing(doc *ast.CommentGroup) string {
	if doc == nil {
		return "has no doc comment"
	}
	text := strings.TrimSpace(doc.Text())
	lines := strings.Split(text, "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "\t") && !strings.ContainsAny(text[max(0, len(text)-2):], ".?!:") {
		return "has a doc comment that does not end as a sentence does"
	}
	return ""
}

var sqlText = regexp.MustCompile(`(?is)^\s*(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|REPLACE\s+INTO\s)`)

// BuiltSQL names the places where SQL is put together from strings: a format, or
// a + with something that is no literal or constant.
func BuiltSQL(files map[string][]byte) []string {
	var breaches []string
	for _, file := range parsed(files, &breaches) {
		ast.Inspect(file.ast, func(n ast.Node) bool {
			built := false
			switch n := n.(type) {
			case *ast.CallExpr:
				fun, ok := n.Fun.(*ast.SelectorExpr)
				built = ok && strings.Contains(fun.Sel.Name, "print") && strings.HasSuffix(fun.Sel.Name, "f") && slices.ContainsFunc(n.Args, isSQL)
			case *ast.BinaryExpr:
				built = n.Op == token.ADD && isSQL(n.X) && !isLiteral(n.Y)
			}
			if built {
				breaches = append(breaches, fmt.Sprintf("%s: SQL is built from strings: use parameters", file.at(n.Pos())))
			}
			return true
		})
	}
	slices.Sort(breaches)
	return breaches
}

// isSQL looks at the leftmost literal of an expression.
func isSQL(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.BinaryExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.BasicLit:
			text, err := strconv.Unquote(x.Value)
			return err == nil && sqlText.MatchString(text)
		default:
			return false
		}
	}
}

// isLiteral also takes a bare name: the constant parts of a statement have one.
// A parameter of a function can hide behind it; review has to see that.
func isLiteral(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.BinaryExpr:
		return isLiteral(x.X) && isLiteral(x.Y)
	}
	return false
}
