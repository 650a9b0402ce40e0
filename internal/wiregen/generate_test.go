package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

const module = "../.."

func text(t *testing.T) string {
	t.Helper()
	got, err := generate(module)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTheCommittedFilesAreWhatTheGoTypesSay(t *testing.T) {
	for _, f := range files {
		got, err := f.make(module)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(module, f.path))
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf(`%s is out of date: run "make generate" and commit the result`, f.path)
		}
	}
}

func TestEveryEventKindHasAPayloadInTheUnion(t *testing.T) {
	src, err := readSource(module)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, p := range payloads {
		have[string(p.EventKind())] = true
	}
	kinds := src.enums["EventKind"]
	if len(kinds) != len(payloads) {
		t.Errorf("%d kinds in the root, %d payloads here", len(kinds), len(payloads))
	}
	for _, kind := range kinds {
		if !have[kind] {
			t.Errorf("kind %s has no payload", kind)
		}
	}
}

func TestTheListOfCodesIsTheSameInTheUnionAndInTheStatusTable(t *testing.T) {
	got := text(t)
	for _, c := range agent.Codes {
		if !strings.Contains(got, "\t| "+quote(string(c.Code))) {
			t.Errorf("code %s is not in the union", c.Code)
		}
		if !strings.Contains(got, "\t"+string(c.Code)+": ") {
			t.Errorf("code %s is not in the status table", c.Code)
		}
	}
	src, err := readSource(module)
	if err != nil {
		t.Fatal(err)
	}
	if len(src.enums["Code"]) != len(agent.Codes) {
		t.Errorf("%d code constants, %d rows in agent.Codes", len(src.enums["Code"]), len(agent.Codes))
	}
}

func TestAMemberIsOptionalOrNullableAsGoWritesIt(t *testing.T) {
	type shape struct {
		Plain    string   `json:"plain"`
		Left     string   `json:"left,omitempty"`
		Null     *int64   `json:"null"`
		Gone     *float64 `json:"gone,omitempty"`
		List     []string `json:"list"`
		Hidden   string   `json:"-"`
		internal string
	}
	w := &writer{seen: map[string]reflect.Type{}}
	if _, err := w.declare(reflect.TypeOf(shape{internal: "x"})); err != nil {
		t.Fatal(err)
	}
	want := "export interface shape {\n\tplain: string;\n\tleft?: string;\n\tnull: number | null;\n\tgone?: number;\n\tlist: string[] | null;\n}\n"
	if w.out[0] != want {
		t.Errorf("got\n%s\nwant\n%s", w.out[0], want)
	}
}

func TestAnEmbeddedStructBecomesAParent(t *testing.T) {
	if got := text(t); !strings.Contains(got, "export interface StoredKey extends KeyInfo {") {
		t.Error("StoredKey does not extend KeyInfo")
	}
}

func TestWhatHasNoFormIsAnErrorAndNotAGuess(t *testing.T) {
	cases := map[string]reflect.Type{
		"a map": reflect.TypeFor[struct {
			M map[string]int `json:"m"`
		}](),
		"a missing name": reflect.TypeFor[struct{ Loose string }](),
		"a function": reflect.TypeFor[struct {
			F func() `json:"f"`
		}](),
		"a slice of a chan": reflect.TypeFor[struct {
			C []chan int `json:"c"`
		}](),
	}
	for name, typ := range cases {
		w := &writer{seen: map[string]reflect.Type{}}
		if _, err := w.declare(typ); err == nil {
			t.Errorf("%s was written without an error", name)
		}
	}
}

func TestTwoTypesOfOneNameAreAnError(t *testing.T) {
	w := &writer{seen: map[string]reflect.Type{"Turn": reflect.TypeFor[agent.Thread]()}}
	if _, err := w.declare(reflect.TypeFor[agent.Turn]()); err == nil {
		t.Error("two types called Turn were written")
	}
}

func TestASecretHasNoFormOnTheWire(t *testing.T) {
	w := &writer{seen: map[string]reflect.Type{}}
	if _, err := w.declare(reflect.TypeFor[agent.NewKey]()); err == nil {
		t.Error("a type with key bytes was given a wire form")
	}
}

func TestEveryOperationOfThePresenterIsWrittenOnceWithItsWords(t *testing.T) {
	names, routes := map[string]bool{}, map[string]bool{}
	got := text(t)
	for _, op := range httpapi.Operations {
		route := op.Method + " " + op.Path
		if names[op.Client] || routes[route] {
			t.Errorf("%s %s is there twice", op.Client, route)
		}
		names[op.Client], routes[route] = true, true
		if !strings.HasSuffix(does(op.Client), ".") {
			t.Errorf("%s does not say in a sentence what it does", op.Client)
		}
		if !strings.Contains(got, "\t"+op.Client+": { method: "+quote(op.Method)+", path: "+quote(op.Path)) {
			t.Errorf("%s is not in the file", op.Client)
		}
	}
	for name := range entries {
		if !names[name] {
			t.Errorf("%s has an entry but no route", name)
		}
	}
}

func TestRunWritesTheFileAndLeavesAnUnchangedOneAlone(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"event.go", "error.go"} {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(folder, "out/p.ts", generate); err == nil {
		t.Fatal("a module without the wire types was accepted")
	}
	for _, name := range []string{"internal/wiregen", "internal/httpapi"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(folder, "out/p.ts", generate); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "out/p.ts")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(folder, "out/p.ts", generate); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !after.ModTime().Equal(before.ModTime()) {
		t.Error("an unchanged file was written again")
	}
}
