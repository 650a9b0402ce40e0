package crash

import (
	"fmt"
	"slices"
	"testing"
)

func TestEveryPlantedFaultIsCaught(t *testing.T) {
	if !wanted(plantsVariable) {
		t.Skip("it kills processes for minutes; run it with make crash-plants")
	}
	most := setting(t, plantsVariable, enoughSeeds)
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			var said []string
			seeds := 0
			playAll(t, firstSeed(t), most, p.name, func(rep report) bool {
				seeds++
				if slices.ContainsFunc(rep.faults, p.shows.MatchString) && said == nil {
					said = rep.faults
				}
				if rep.faults != nil {
					fmt.Printf("plant %s seed %d: %s\n", p.name, rep.seed, rep.faults[:min(3, len(rep.faults))])
				}
				return said == nil
			})
			if said == nil {
				t.Fatalf("%d seeds found no sign of it", seeds)
			}
			fmt.Printf("crash: %s is caught after %d seeds: %s\n", p.name, seeds, said[0])
		})
	}
}
