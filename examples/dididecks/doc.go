// Package dididecks is a host app: slide decks that live in git. It shows how an
// app puts an agent inside its own rules. Its capabilities read a slide, propose
// an edit or a variant on a side branch, and merge it only when a person accepts;
// its Host says who may open which deck; its routes serve the deck's page.
//
//	app, err := dididecks.Open(ctx, dididecks.Options{DataDir: dir, Orgs: []string{"demo"}})
//	registry.Add(app.Capabilities()...)
//	mux.Handle("/api/decks/", app.Routes())
package dididecks
