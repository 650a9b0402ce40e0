package outbound

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// gate is the transport of a client: it admits a request, dials for it and
// counts what goes through.
type gate struct {
	policy Policy
	hosts  map[string]Host
	next   *http.Transport
}

// privateKey marks a request whose host the operator allowed to be private.
type privateKey struct{}

// RoundTrip admits and sends one request.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	host, err := g.admit(req.URL)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	m := g.meter(req)
	out := req.Clone(context.WithValue(req.Context(), privateKey{}, host.Private))
	out.Body = m.request(req.Body)
	if again := req.GetBody; again != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			return m.request(body), err
		}
	}
	res, err := g.next.RoundTrip(out)
	if err != nil {
		m.finish(0)
		return nil, err
	}
	res.Body = m.response(res.Body, res.StatusCode, g.policy.MaxResponse)
	return res, nil
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the sockets.
func (g *gate) CloseIdleConnections() { g.next.CloseIdleConnections() }

func (g *gate) admit(u *url.URL) (Host, error) {
	if err := checkURL(u); err != nil {
		return Host{}, err
	}
	name := authority(u)
	host, named := g.hosts[name]
	switch {
	case !named && !g.policy.AnyPublic:
		return Host{}, refuse(name, "the operator has not allowed this host")
	case u.Scheme != "https" && !host.Private:
		return Host{}, refuse(name, "plain HTTP is spoken only to hosts allowed as private")
	}
	return host, nil
}

// connect resolves a name once, checks every address that it has, and dials
// those very addresses, so that a second answer of the name server is never used.
func (g *gate) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, refuse(address, "the address has no port")
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if private, _ := ctx.Value(privateKey{}).(bool); !private {
		for _, a := range addrs {
			if !Public(a) {
				return nil, refuse(host, "it resolves to an address that is not public")
			}
		}
	}
	var failed error
	for _, a := range addrs {
		conn, err := g.policy.dial(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func (g *gate) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, DialTimeout)
	defer cancel()
	addrs, err := g.policy.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(addrs) == 0 {
		return nil, refuse(host, "it has no address")
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, nil
}
