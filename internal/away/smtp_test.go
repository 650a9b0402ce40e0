package away

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// postOffice is a mail server on a real socket: it speaks enough SMTP to be logged in
// to, with or without TLS, and keeps what it was given.
type postOffice struct {
	net.Listener
	cert    tls.Certificate
	roots   *tls.Config
	offer   bool   // STARTTLS is offered
	refuse  string // the command that is refused for good
	mu      sync.Mutex
	mails   []string
	said    []string // every command
	private []string // the commands that came over TLS
}

func newPostOffice(t *testing.T, wrap bool) *postOffice {
	t.Helper()
	https := httptest.NewTLSServer(nil) // only for its certificate
	defer https.Close()
	roots := x509.NewCertPool()
	roots.AddCert(https.Certificate())
	p := &postOffice{cert: https.TLS.Certificates[0], roots: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, offer: !wrap}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if wrap {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{p.cert}, MinVersion: tls.VersionTLS12})
	}
	p.Listener = l
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer conn.Close(); p.serve(conn, wrap) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return p
}

func (p *postOffice) serve(conn net.Conn, secure bool) {
	r := bufio.NewReader(conn)
	say := func(s string) { _, _ = conn.Write([]byte(s + "\r\n")) }
	say("220 post.example ready")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		verb := strings.ToUpper(strings.Fields(line + " x")[0])
		p.mu.Lock()
		p.said = append(p.said, line)
		if secure {
			p.private = append(p.private, line)
		}
		refuse, offer := p.refuse, p.offer
		p.mu.Unlock()
		switch {
		case verb == refuse:
			say("550 no")
		case verb == "EHLO":
			if offer && !secure {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN")
			say("250 ok")
		case verb == "STARTTLS" && !offer:
			say("502 not here")
		case verb == "STARTTLS":
			say("220 go on")
			c := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{p.cert}, MinVersion: tls.VersionTLS12})
			if c.Handshake() != nil {
				return
			}
			conn, r, secure = c, bufio.NewReader(c), true
			say = func(s string) { _, _ = c.Write([]byte(s + "\r\n")) }
		case verb == "AUTH":
			fields := strings.Fields(line)
			raw, _ := base64.StdEncoding.DecodeString(fields[len(fields)-1])
			if string(raw) == "\x00postman\x00s3cret-canary" {
				say("235 welcome")
			} else {
				say("535 wrong " + string(raw))
			}
		case verb == "DATA":
			say("354 go on")
			var mail strings.Builder
			for {
				l, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if l == ".\r\n" {
					break
				}
				mail.WriteString(strings.TrimPrefix(l, "."))
			}
			p.mu.Lock()
			p.mails = append(p.mails, mail.String())
			p.mu.Unlock()
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (p *postOffice) got() (mails, said, private []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.mails...), append([]string(nil), p.said...), append([]string(nil), p.private...)
}
