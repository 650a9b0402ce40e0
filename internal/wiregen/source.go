package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// source is what reflection cannot tell about a package: the values of its typed
// string constants, in order, the comments of types, struct fields and interface
// methods, and the constants that are whole numbers.
type source struct {
	enums   map[string][]string // type name -> values
	types   map[string]string   // type name -> comment
	fields  map[string]string   // type.field -> comment
	order   map[string][]string // type name -> fields, in order
	methods map[string]string   // interface.method -> comment
	numbers map[string]int64    // constant -> value
}

func newSource() source {
	return source{map[string][]string{}, map[string]string{}, map[string]string{}, map[string][]string{}, map[string]string{}, map[string]int64{}}
}

// readSource parses the Go files of one folder, tests aside.
func readSource(folder string) (source, error) {
	src := newSource()
	entries, err := os.ReadDir(folder)
	if err != nil {
		return src, fmt.Errorf("read %s: %w", folder, err)
	}
	fset := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(folder, e.Name()), nil, parser.ParseComments)
		if err != nil {
			return src, fmt.Errorf("parse %s: %w", e.Name(), err)
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok {
				src.add(gen)
			}
		}
	}
	return src, nil
}

func (s *source) add(gen *ast.GenDecl) {
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if gen.Tok == token.CONST {
				s.addConst(spec)
			}
		case *ast.TypeSpec:
			doc := spec.Doc
			if doc == nil && len(gen.Specs) == 1 {
				doc = gen.Doc
			}
			s.types[spec.Name.Name] = comment(doc)
			switch of := spec.Type.(type) {
			case *ast.StructType:
				s.addFields(spec.Name.Name, of)
			case *ast.InterfaceType:
				for _, m := range of.Methods.List {
					for _, name := range m.Names {
						s.methods[spec.Name.Name+"."+name.Name] = comment(m.Doc)
					}
				}
			}
		}
	}
}

// addConst keeps whole numbers, and constants of a named type whose value is a
// string literal.
func (s *source) addConst(spec *ast.ValueSpec) {
	for i, v := range spec.Values {
		if tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(v)); err == nil && tv.Value != nil {
			if n, exact := constant.Int64Val(constant.ToInt(tv.Value)); exact {
				s.numbers[spec.Names[i].Name] = n
			}
		}
	}
	typ, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, v := range spec.Values {
		lit, ok := v.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		if text, err := strconv.Unquote(lit.Value); err == nil {
			s.enums[typ.Name] = append(s.enums[typ.Name], text)
		}
	}
}

func (s *source) addFields(owner string, st *ast.StructType) {
	for _, f := range st.Fields.List {
		text := comment(f.Doc)
		if text == "" {
			text = comment(f.Comment)
		}
		for _, name := range f.Names {
			s.fields[owner+"."+name.Name] = text
			s.order[owner] = append(s.order[owner], name.Name)
		}
	}
}

// comment joins a comment group to one line of text.
func comment(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	return strings.Join(strings.Fields(g.Text()), " ")
}
