package crash

import (
	"fmt"
	"strings"
	"testing"
)

func TestEveryPlantedFaultIsCaught(t *testing.T) {
	if !wanted(plantsVariable) {
		t.Skip("it kills processes for minutes; run it with make crash-plants")
	}
	most := setting(t, plantsVariable, enoughSeeds)
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			said, seeds := "", 0
			var others []string
			playAll(t, firstSeed(t), most, p.name, func(rep report) bool {
				seeds++
				for _, line := range rep.faults {
					if said == "" && p.shows.MatchString(line) {
						said = line
					}
				}
				if rep.faults != nil && said == "" {
					others = append(others, rep.faults[0])
				}
				return said == ""
			})
			if said == "" {
				t.Fatalf("%d seeds found no sign of it, but %q", seeds, others)
			}
			fmt.Printf("crash: %s is caught after %d seeds: %s\n", p.name, seeds, opening(said))
		})
	}
}

// opening gives what stands in the first line of a text, as far as a reader needs it.
func opening(text string) string {
	const most = 160
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}
