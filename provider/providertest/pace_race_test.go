//go:build race

package providertest

import "time"

// proofPatience is how long a broken model that hangs is waited for.
const proofPatience = 4 * time.Second
