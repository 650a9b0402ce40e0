package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// encodings are ways to write an address that must not be reached. A name is
// resolved by the table below, so that the test needs no network.
var encodings = []string{
	// Plain private, loopback, link-local and metadata addresses.
	"https://127.0.0.1/", "https://127.1.2.3/", "https://0.0.0.0/", "https://10.0.0.1/", "https://10.255.255.255/",
	"https://172.16.0.1/", "https://172.31.255.254/", "https://192.168.0.1/", "https://169.254.169.254/latest/meta-data/",
	"https://169.254.0.1/", "https://100.64.0.1/", "https://100.100.100.200/", "https://168.63.129.16/", "https://192.0.0.192/",
	"https://192.0.2.1/", "https://198.18.0.1/", "https://198.51.100.1/", "https://203.0.113.1/", "https://192.88.99.1/",
	"https://224.0.0.1/", "https://240.0.0.1/", "https://255.255.255.255/",
	// Octal, hexadecimal, decimal, short.
	"https://0177.0.0.1/", "https://0x7f.0.0.1/", "https://0x7f000001/", "https://2130706433/", "https://017700000001/",
	"https://127.1/", "https://127.0.1/", "https://0/", "https://0x0/", "https://0xa9fea9fe/", "https://2852039166/",
	"https://0251.0376.0251.0376/", "https://127.0.0.0x1/", "https://1.1.1.1.1/", "https://256.256.256.256/", "https://name.0x7f/",
	// IPv6 in its forms, mapped, compatible, translated, tunnelled, with zones.
	"https://[::1]/", "https://[::]/", "https://[0:0:0:0:0:0:0:1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/",
	"https://[::ffff:a9fe:a9fe]/", "https://[0:0:0:0:0:ffff:10.0.0.1]/", "https://[::127.0.0.1]/", "https://[::7f00:1]/",
	"https://[64:ff9b::7f00:1]/", "https://[64:ff9b::169.254.169.254]/", "https://[64:ff9b:1::a00:1]/",
	"https://[2002:7f00:1::]/", "https://[2002:a9fe:a9fe::1]/", "https://[2001:0:7f00:1::]/", "https://[2001:10::1]/",
	"https://[2001:db8::1]/", "https://[3fff::1]/", "https://[fc00::1]/", "https://[fd00:ec2::254]/", "https://[fe80::1]/",
	"https://[fec0::1]/", "https://[ff02::1]/", "https://[fe80::1%25lo]/", "https://[::1%25eth0]/", "https://[100::1]/", "https://[5f00::1]/",
	// Names.
	"https://localhost/", "https://LOCALHOST/", "https://localhost./", "https://localhost.localdomain/", "https://a.localtest.test/",
	"https://mixed.test/", "https://mapped.test/", "https://nat64.test/", "https://metadata.google.internal/", "https://none.test/",
	// Parser differences.
	"https://public.test@127.0.0.1/", "https://user:secret@public.test/", "https://public.test%2f@127.0.0.1/",
	"https://127。0。0。1/", "https://①②⑦.⓪.⓪.①/", "https://public.test\u3002127.0.0.1/", "https://ⓛocalhost/",
	"http://public.test/", "ftp://public.test/", "file:///etc/passwd", "gopher://127.0.0.1/", "https:///nothing", "//127.0.0.1/",
}

var names = map[string][]string{
	"public.test": {"93.184.216.34"}, "localhost": {"127.0.0.1", "::1"}, "localhost.localdomain": {"127.0.0.1"},
	"a.localtest.test": {"127.0.0.1"}, "mixed.test": {"93.184.216.34", "10.0.0.1"}, "mapped.test": {"::ffff:127.0.0.1"},
	"nat64.test": {"64:ff9b::7f00:1"}, "metadata.google.internal": {"169.254.169.254"}, "none.test": nil,
}

func resolve(_ context.Context, host string) ([]netip.Addr, error) {
	list, known := names[strings.ToLower(host)]
	if !known {
		return nil, fmt.Errorf("no such host %s", host)
	}
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

// tripwire is a dialler that reaches nothing and remembers what it was asked for.
type tripwire struct{ dialled []string }

var errUnplugged = errors.New("the test has no network")

func (w *tripwire) dial(_ context.Context, _, address string) (net.Conn, error) {
	w.dialled = append(w.dialled, address)
	return nil, errUnplugged
}

func TestNoSpellingOfAPrivateAddressIsReached(t *testing.T) {
	if len(encodings) < 60 {
		t.Fatalf("%d encodings, want at least 60", len(encodings))
	}
	for _, address := range encodings {
		t.Run(address, func(t *testing.T) {
			wire := &tripwire{}
			client := NewClient(Policy{AnyPublic: true, Resolve: resolve, dial: wire.dial})
			res, err := client.Get(address)
			if err == nil {
				_ = res.Body.Close()
				t.Fatalf("%s was reached", address)
			}
			if len(wire.dialled) > 0 {
				t.Errorf("%v was dialled", wire.dialled)
			}
		})
	}
}

func TestAPublicAddressIsDialledAsItWasResolved(t *testing.T) {
	for address, want := range map[string]string{
		"https://public.test/":            "93.184.216.34:443",
		"https://PUBLIC.test:8443/":       "93.184.216.34:8443",
		"https://8.8.8.8/":                "8.8.8.8:443",
		"https://[2606:4700:4700::1111]/": "[2606:4700:4700::1111]:443",
		"https://[::ffff:8.8.8.8]/":       "8.8.8.8:443",
		"https://172.15.255.255/":         "172.15.255.255:443",
		"https://172.32.0.0/":             "172.32.0.0:443",
		"https://100.63.255.255/":         "100.63.255.255:443",
		"https://100.128.0.0/":            "100.128.0.0:443",
		"https://[2001:200::1]/":          "[2001:200::1]:443",
		"https://[2003::1]/":              "[2003::1]:443",
	} {
		wire := &tripwire{}
		client := NewClient(Policy{AnyPublic: true, Resolve: resolve, dial: wire.dial})
		if _, err := client.Get(address); !errors.Is(err, errUnplugged) {
			t.Errorf("%s: %v", address, err)
		}
		if len(wire.dialled) != 1 || wire.dialled[0] != want {
			t.Errorf("%s dialled %v, want %s", address, wire.dialled, want)
		}
	}
}

func TestANameThatChangesItsAddressIsCheckedEachTimeItIsDialled(t *testing.T) {
	wire, lookups := &tripwire{}, 0
	rebind := func(context.Context, string) ([]netip.Addr, error) {
		lookups++
		if lookups > 1 {
			return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	client := NewClient(Policy{AnyPublic: true, Resolve: rebind, dial: wire.dial})
	var refused *RefusedError
	if _, err := client.Get("https://public.test/"); errors.As(err, &refused) {
		t.Errorf("the public answer was refused: %v", err)
	}
	if _, err := client.Get("https://public.test/"); !errors.As(err, &refused) {
		t.Errorf("the private answer was not refused: %v", err)
	}
	if len(wire.dialled) != 1 || lookups != 2 {
		t.Errorf("dialled %v after %d lookups, want one each", wire.dialled, lookups)
	}
}

func TestOnlyNamedHostsAreReached(t *testing.T) {
	hosts := []Host{{Name: "public.test"}, {Name: "Other.test:8443"}, {Name: "localhost:11434", Private: true}}
	for address, allowed := range map[string]bool{
		"https://public.test/v1":       true,
		"https://public.test:443/":     true,
		"https://PUBLIC.TEST/":         true,
		"https://public.test:8443/":    false,
		"https://public.test./":        false,
		"https://evilpublic.test/":     false,
		"https://public.test.evil/":    false,
		"https://sub.public.test/":     false,
		"http://public.test/":          false,
		"http://localhost:11434/v1":    true,
		"https://localhost:11434/":     true,
		"http://localhost:11435/":      false,
		"http://127.0.0.1:11434/":      false,
		"https://other.test/":          false,
		"https://public.test@8.8.8.8/": false,
	} {
		wire := &tripwire{}
		client := NewClient(Policy{Hosts: hosts, Resolve: resolve, dial: wire.dial})
		_, err := client.Get(address)
		if reached := errors.Is(err, errUnplugged); reached != allowed {
			t.Errorf("%s: reached is %v, want %v: %v", address, reached, allowed, err)
		}
	}
}

func TestARefusalIsAnErrorThatNamesTheHostAndNothingElse(t *testing.T) {
	client := NewClient(Policy{})
	req, err := http.NewRequest(http.MethodPost, "https://public.test/secret-path?token=abc", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Do(req)
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	if refused.Host != "public.test" || strings.Contains(refused.Error(), "secret") || strings.Contains(refused.Error(), "abc") {
		t.Errorf("the refusal says %q", refused.Error())
	}
}

func FuzzAHostThatIsAdmittedIsNamed(f *testing.F) {
	for _, e := range encodings {
		f.Add(e)
	}
	f.Add("https://public.test:443/")
	f.Fuzz(func(t *testing.T, address string) {
		wire := &tripwire{}
		client := NewClient(Policy{Hosts: []Host{{Name: "public.test"}}, Resolve: resolve, dial: wire.dial})
		req, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			return
		}
		_, _ = client.Do(req)
		for _, d := range wire.dialled {
			if d != "93.184.216.34:443" {
				t.Errorf("%q dialled %s", address, d)
			}
		}
	})
}
