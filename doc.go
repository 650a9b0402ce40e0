// Package agent is the vocabulary of In-App Agent: what a turn, an event, a
// capability, a receipt and a key are, and the ports that the rest implements.
// It imports the standard library only.
//
// The outside folders are the sockets that you plug things into (provider,
// store, corpus, vault, auth, capability), internal is the road that a turn
// travels, and server is the only place where they meet. Which package may
// import which is a test: internal/floors.
//
// A host program declares capabilities, says who may open a project, and mounts
// the handlers:
//
//	reg := capability.NewRegistry()
//	reg.Add(capability.Func(capability.Spec{
//		Name: "note.read", Title: "Read a note", Description: "Gives the text of a note.",
//		Kind: agent.KindRead, Tier: agent.TierViewer,
//	}, func(ctx context.Context, call *agent.Call, in struct{ ID string }) (string, error) {
//		return notes.Text(ctx, call.Principal.OrgID, in.ID)
//	}))
//	srv, err := server.New(server.Config{App: "Notes", Data: "./data", Registry: reg, Host: host})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer srv.Close()
//	log.Fatal(http.ListenAndServe("127.0.0.1:8787", srv.Handler()))
package agent
