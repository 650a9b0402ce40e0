package outbound

import "net/netip"

// reserved4 are the IPv4 ranges that no public service lives in, and the
// addresses at which a cloud answers its own machines.
var reserved4 = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carrier-grade NAT, and one cloud's metadata
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // one cloud's host agent, inside public space
	"169.254.0.0/16",   // link-local, and most clouds' metadata
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments, and one cloud's metadata
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
)

// global6 is the only IPv6 space that is handed out to the public; what
// translates to IPv4 (::ffff:0:0, ::/96, 64:ff9b::) lies outside of it.
var global6 = netip.MustParsePrefix("2000::/3")

// reserved6 are the ranges inside global6 that tunnel to IPv4 or are for paper.
var reserved6 = prefixes(
	"2001::/23",     // Teredo, ORCHID, protocol assignments
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4
	"3fff::/20",     // documentation
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Public reports whether an address belongs to the public internet. Loopback,
// private, link-local, metadata, documentation and tunnelling addresses do not,
// in whatever form they are written; neither does one with a zone.
func Public(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return !within(addr, reserved4)
	}
	return global6.Contains(addr) && !within(addr, reserved6)
}

func within(addr netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
