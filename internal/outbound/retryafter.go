package outbound

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter is the longest wait that RetryAfter believes.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter reads how long an upstream asks to wait: retry-after-ms, else
// Retry-After in seconds or as an HTTP date. It gives 0 where there is none, or
// none that makes sense, and never more than MaxRetryAfter.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), MaxRetryAfter)
	}
	return 0
}

func number(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0, false
	}
	if f > float64(MaxRetryAfter/unit) {
		return MaxRetryAfter, true
	}
	return time.Duration(f * float64(unit)), true
}
