package crash

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/harness"
)

// inSource finds the first groups of an expression in the module's Go files, tests
// and this harness left out.
func inSource(t *testing.T, expression string) (found []string) {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	exp := regexp.MustCompile(expression)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "e2e" || d.Name() != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range exp.FindAllSubmatch(text, -1) {
			found = append(found, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestTheHarnessKnowsEveryPointOfTheProgramAndNoOther(t *testing.T) {
	var known []string
	for _, p := range points {
		known = append(known, p.name)
	}
	slices.Sort(known)
	if found := inSource(t, `failpoint\.(?:Hit|Soon)\("([^"]+)"\)`); !slices.Equal(found, known) {
		t.Errorf("the program has %v,\nthe harness %v", found, known)
	}
}

func TestTheHarnessKnowsEveryPlantedFaultAndNoOther(t *testing.T) {
	var known []string
	for _, p := range plants {
		known = append(known, p.name)
	}
	slices.Sort(known)
	if found := inSource(t, `(?:Planted\(|(?:noCompare|again) = )"([^"]+)"`); !slices.Equal(found, known) {
		t.Errorf("the program has %v,\nthe harness %v", found, known)
	}
}

func TestSeedsInARowEndALifeAtEveryPoint(t *testing.T) {
	for _, base := range []uint64{1, 2, 777, 1 << 40} {
		ends := map[string]int{}
		for seed := base; seed < base+enoughSeeds; seed++ {
			for _, d := range dooms(rand.New(rand.NewPCG(seed, 1)), seed) {
				ends[d.point]++
			}
		}
		for _, p := range points {
			if ends[p.name] < 3 {
				t.Errorf("from seed %d on, %d lives are to end at %s", base, ends[p.name], p.name)
			}
		}
		if ends[random] != enoughSeeds {
			t.Errorf("%d lives are to end at random", ends[random])
		}
	}
}

func TestASeedAlwaysGivesTheSameEndsInAnOrderThatReachesThem(t *testing.T) {
	for seed := range uint64(300) {
		list := dooms(rand.New(rand.NewPCG(seed, 1)), seed)
		for i, d := range dooms(rand.New(rand.NewPCG(seed, 1)), seed) {
			if list[i].point != d.point || list[i].nth != d.nth {
				t.Fatalf("seed %d gives %v and %v", seed, list[i], d)
			}
			if first := pointNamed(d.point).first; first != "" && (i == 0 || list[i-1].point != first) {
				t.Errorf("seed %d: %s does not come right after %s: %v", seed, d.point, first, list)
			}
			if d.nth < 1 || len(d.acts) == 0 {
				t.Errorf("seed %d: nothing can reach %v", seed, d)
			}
		}
	}
}

func TestALifeIsArmedWithItsPointAlone(t *testing.T) {
	for want, d := range map[string]doom{
		"":                              {point: random, nth: 1},
		"IN_APP_AGENT_FAILPOINT=here:3": {point: "here", nth: 3},
	} {
		if got := strings.Join(d.env(), " "); got != want {
			t.Errorf("%v arms %q, want %q", d, got, want)
		}
	}
	if env := (doom{}).env(); env != nil {
		t.Errorf("a life without an end is armed with %v", env)
	}
}
