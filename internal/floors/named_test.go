package floors

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

const abusePage = "docs/reference/abuse.md"

func TestEveryTestOfTheAbuseCasesExists(t *testing.T) {
	page, err := fs.ReadFile(tree(t), abusePage)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(namedTest.FindAllSubmatch(page, -1)); n < 40 {
		t.Errorf("%s names only %d tests", abusePage, n)
	}
	report(t, NamedTests(abusePage, page, tree(t)))
}

func TestATestThatIsNamedAndGoneIsReported(t *testing.T) {
	module := fstest.MapFS{"a/a_test.go": {Data: []byte("func TestOne(t *testing.T) {}\n// func TestTwo(\nfunc FuzzThree(f *testing.F) {}\n")}}
	head := "# Words\n\n| case | tests |\n| --- | --- |\n"
	row := func(links string) []byte { return []byte(head + "| a case | " + links + " |\n") }
	want(t, NamedTests("d/p.md", row("[`TestOne`](../a/a_test.go) · [`FuzzThree`](../a/a_test.go)"), module))
	want(t, NamedTests("d/p.md", row("[`TestTwo`](../a/a_test.go)"), module), "a/a_test.go has no function TestTwo")
	want(t, NamedTests("d/p.md", row("[`TestOn`](../a/a_test.go)"), module), "no function TestOn")
	want(t, NamedTests("d/p.md", row("[`TestOne`](a_test.go)"), module), "there is no file d/a_test.go")
	want(t, NamedTests("d/p.md", row("words only"), module), "no test is named in | a case |")
}
