//go:build failpoint

package plant

import "testing"

func TestAFaultIsPlantedByItsWholeName(t *testing.T) {
	defer func(was string) { name = was }(name)
	name = "one"
	if !Planted("one") || Planted("on") || Planted("") {
		t.Error("another fault is planted")
	}
	name = ""
	if Planted("one") || Planted("") {
		t.Error("without the variable a fault is planted")
	}
}
