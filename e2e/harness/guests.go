package harness

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/auth"
	"github.com/lossless-group/in-app-agent/store/sqlite"
)

// Guests makes so many people in the org of the development login's user "pay", and
// signs them in, as the program does that keeps the people of a shared database.
func (s *Server) Guests(n int) []*User {
	s.tb.Helper()
	ctx := s.tb.Context()
	store, err := sqlite.Open(ctx, sqlite.Config{App: filepath.Join(s.Data, "agent.db"), Beside: true})
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	secret, err := auth.LoadOrCreateSecret(filepath.Join(s.Data, "session.secret"))
	if err != nil {
		s.tb.Fatal(err)
	}
	issuer, err := auth.New(auth.Config{Sessions: store, Secret: secret})
	if err != nil {
		s.tb.Fatal(err)
	}
	list := make([]*User, n)
	for i := range list {
		if list[i], err = s.guest(ctx, store, issuer, fmt.Sprintf("guest%d", i)); err != nil {
			s.tb.Fatal(err)
		}
	}
	return list
}

func (s *Server) guest(ctx context.Context, store *sqlite.Store, issuer *auth.Auth, name string) (*User, error) {
	id := "user_" + name
	if err := store.PutUser(ctx, agent.User{ID: id, Name: name, Email: name + "@example.test"}); err != nil {
		return nil, err
	}
	if err := store.PutMembership(ctx, agent.Membership{UserID: id, OrgID: "org_paying", Role: agent.RoleEditor}); err != nil {
		return nil, err
	}
	login, err := issuer.Issue(ctx, id, "org_paying")
	if err != nil {
		return nil, err
	}
	u := s.Anonymous()
	u.Name, u.cookie = name, (&http.Cookie{Name: login.Cookie.Name, Value: login.Cookie.Value}).String()
	return u, nil
}
