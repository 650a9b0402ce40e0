package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// The limits of a client whose Policy does not say otherwise.
const (
	DefaultHeaderTimeout = 2 * time.Minute // from the last byte sent to the answer's headers
	DialTimeout          = 10 * time.Second
	MaxRedirects         = 3         // to the same host
	maxHeaderBytes       = 256 << 10 // of an answer
)

// Policy says where a client may go and who hears of it.
type Policy struct {
	// Hosts are the destinations by name. Nothing else is reached.
	Hosts []Host
	// AnyPublic lets every other host be reached over HTTPS as well, as long as
	// all of its addresses are public: for push targets that a user registered.
	AnyPublic bool
	// Purpose is recorded where the request's context carries none.
	Purpose string
	// HeaderTimeout bounds the wait for the headers of an answer; 0 means
	// DefaultHeaderTimeout.
	HeaderTimeout time.Duration
	// MaxResponse bounds the bytes of one answer's body; reading past it fails
	// with ErrTooMuch. 0 means no bound, for streams that bound themselves.
	MaxResponse int64
	// Record is told of every request once it is over, whatever became of it. It
	// is called on the goroutine that ends the request and must not block.
	Record func(context.Context, Egress)
	// Now is the clock of the records; nil means time.Now.
	Now func() time.Time
	// Resolve finds the addresses of a name; nil means the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// RootTLS replaces the system's certificate roots where it is set.
	RootTLS *tls.Config

	// dial opens the connection to an address that was checked; tests replace it.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewClient makes the HTTP client of a policy. Errors of its requests wrap a
// *RefusedError where the policy forbids the destination. It has no overall
// timeout, because streams are long: callers bound a request by its context. It
// uses no proxy of the environment, and asks for no compression.
func NewClient(p Policy) *http.Client {
	if p.HeaderTimeout == 0 {
		p.HeaderTimeout = DefaultHeaderTimeout
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Resolve == nil {
		p.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if p.dial == nil {
		p.dial = (&net.Dialer{Timeout: DialTimeout, KeepAlive: 30 * time.Second}).DialContext
	}
	hosts := make(map[string]Host, len(p.Hosts))
	for _, h := range p.Hosts {
		hosts[strings.ToLower(h.Name)] = h
	}
	gate := &gate{policy: p, hosts: hosts}
	gate.next = &http.Transport{
		DialContext:            gate.connect,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		TLSClientConfig:        p.RootTLS,
		TLSHandshakeTimeout:    DialTimeout,
		ResponseHeaderTimeout:  p.HeaderTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        90 * time.Second,
	}
	return &http.Client{Transport: gate, CheckRedirect: sameHost}
}

// sameHost lets a redirect stay where it is and refuses every other one, so that
// a key never follows it.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	if req.URL.Scheme != first.Scheme || authority(req.URL) != authority(first) {
		return refuse(req.URL.Hostname(), "a redirect leads to another host")
	}
	if len(via) > MaxRedirects {
		return refuse(req.URL.Hostname(), "too many redirects")
	}
	return nil
}
