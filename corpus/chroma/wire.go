package chroma

// got is the answer of get. Members that were not asked for are null.
type got struct {
	IDs        []string         `json:"ids"`
	Documents  []*string        `json:"documents"`
	Metadatas  []map[string]any `json:"metadatas"`
	Embeddings [][]float32      `json:"embeddings"`
}

func (g got) meta(i int) map[string]any {
	if i < len(g.Metadatas) {
		return g.Metadatas[i]
	}
	return nil
}

func (g got) document(i int) *string {
	if i < len(g.Documents) {
		return g.Documents[i]
	}
	return nil
}

// queried is the answer of query: a list for each vector asked.
type queried struct {
	IDs       [][]string         `json:"ids"`
	Documents [][]*string        `json:"documents"`
	Metadatas [][]map[string]any `json:"metadatas"`
	Distances [][]*float64       `json:"distances"`
}

// first gives the rows of the only vector that was asked, as far as all lists reach.
func (q queried) first() (g got, distances []*float64) {
	if len(q.IDs) == 0 || len(q.Documents) == 0 || len(q.Metadatas) == 0 || len(q.Distances) == 0 {
		return got{}, nil
	}
	g = got{IDs: q.IDs[0], Documents: q.Documents[0], Metadatas: q.Metadatas[0]}
	g.IDs = g.IDs[:min(len(g.IDs), len(q.Distances[0]))]
	return g, q.Distances[0]
}

func equal(key, value string) map[string]any {
	return map[string]any{key: map[string]any{"$eq": value}}
}

// all and anyOf join conditions; the server refuses a list of one.
func all(conditions ...map[string]any) map[string]any   { return joined("$and", conditions) }
func anyOf(conditions ...map[string]any) map[string]any { return joined("$or", conditions) }

func joined(how string, conditions []map[string]any) map[string]any {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return map[string]any{how: conditions}
}
