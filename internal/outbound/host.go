package outbound

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Host is one destination that the operator named.
type Host struct {
	// Name is a host name or an IP address, with ":port" where the port is not the
	// scheme's own. It is compared exactly, apart from the case of its letters.
	Name string
	// Private lets the name resolve to an address that is not public, and lets
	// plain HTTP be spoken to it: a model server on the same machine, for example.
	Private bool
}

// HostOf gives the Host entry of a base URL that the operator configured.
// It fails with *RefusedError where the URL could not be dialled at all.
func HostOf(base string, private bool) (Host, error) {
	u, err := url.Parse(base)
	if err != nil {
		return Host{}, &RefusedError{Host: "(unreadable)", Reason: "the address is not a URL"}
	}
	if err := checkURL(u); err != nil {
		return Host{}, err
	}
	return Host{Name: authority(u), Private: private}, nil
}

// RefusedError says which destination was refused, and why. It names no path
// and no query, because those can carry what must not be logged.
type RefusedError struct {
	Host   string
	Reason string
}

// Error gives host and reason.
func (e *RefusedError) Error() string { return "outbound: " + e.Host + " refused: " + e.Reason }

func refuse(host, reason string) error { return &RefusedError{Host: host, Reason: reason} }

// checkURL refuses what different parsers read differently, before anything is
// compared with a list or resolved.
func checkURL(u *url.URL) error {
	host := u.Hostname()
	if host == "" {
		host = "(none)"
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return refuse(host, "the scheme is neither https nor http")
	case u.User != nil:
		return refuse(host, "the address carries credentials")
	case host == "(none)":
		return refuse(host, "the address names no host")
	case !plainHost(host):
		return refuse("(unreadable)", "the host holds characters that a host name has not")
	case strings.HasSuffix(host, "."):
		return refuse(host, "the host ends in a dot")
	case endsInNumber(host):
		return refuse(host, "the host is an IP address in an unusual spelling")
	}
	return nil
}

// plainHost accepts letters, digits, dot, hyphen, underscore, and the colons of
// an IPv6 address. Zones, percent signs and IDN dots are refused with the rest.
func plainHost(host string) bool {
	for i := range len(host) {
		c := host[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '.', c == '-', c == '_', c == ':':
		default:
			return false
		}
	}
	return true
}

// endsInNumber reports whether a resolver could take the name for an IPv4
// address although it is none in the usual form: 0x7f.1, 2130706433, 0177.0.0.1.
func endsInNumber(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if strings.HasPrefix(last, "0x") {
		return strings.Trim(last[2:], "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// authority is the form in which hosts are compared: lower case, the port only
// where it is not the scheme's own.
func authority(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" || (u.Scheme == "https" && port == "443") || (u.Scheme == "http" && port == "80") {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, port)
}
