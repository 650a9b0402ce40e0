// Package presenter is a handler for the test of how handlers are read.
package presenter

func (a *api) sample(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	limit, err := queryInt(r, "limit")
	if err := decode(w, r, func(o *object) { read(o) }); err != nil {
		return err
	}
	_ = q.Get("q")
	_ = r.Header.Get("Accept")
	_, _ = a.Agent.Turn(r.Context(), limit)
	w.WriteHeader(http.StatusAccepted)
	return err
}

func read(o *object) {
	_ = o.required("name")
	part := "content"
	if _, ok := o.raw(part); !ok {
		part = "parts"
	}
}
