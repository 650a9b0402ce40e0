package fake_test

import (
	"testing"

	"github.com/lossless-group/in-app-agent/e2e/fakeprovider/fake"
)

func TestAKeylessProviderTakesRequestsWithoutAKeyAndStillRefusesAWrongOne(t *testing.T) {
	b := start(t, fake.Options{Keyless: true})
	strict := start(t, fake.Options{})
	for _, path := range wires {
		for _, c := range []struct {
			b    *bench
			key  string
			want int
		}{{b, "", 200}, {b, "Bearer " + key, 200}, {b, "Bearer sk-invalid", 401}, {strict, "", 401}} {
			if got := c.b.post(path, plain(path, false), "Authorization", c.key).StatusCode; got != c.want {
				t.Errorf("%s with %q: %d, want %d", path, c.key, got, c.want)
			}
		}
	}
}
