package policy

import (
	"slices"
	"strings"
)

// minKnown is the shortest value that is looked for by itself. A shorter one, which only
// an org's own pattern finds, would be found inside of anything.
const minKnown = 6

// known finds the values of a thread wherever they stand, also where their form alone
// gives nothing away: what was kept back once does not leave later.
type known struct {
	bits   [1 << 10]uint64 // which beginnings there are, by a hash
	byHead map[uint32][]string
}

func head(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func bit(head uint32) (word int, mask uint64) {
	h := head * 2654435761 >> 16
	return int(h >> 6), 1 << (h & 63)
}

func (k *known) add(value string) {
	if len(value) < minKnown {
		return
	}
	if k.byHead == nil {
		k.byHead = map[uint32][]string{}
	}
	h := head(value)
	word, mask := bit(h)
	k.bits[word] |= mask
	k.byHead[h] = append(k.byHead[h], value)
	slices.SortStableFunc(k.byHead[h], func(a, b string) int { return len(b) - len(a) })
}

func (k *known) has(value string) bool {
	return len(value) >= minKnown && slices.Contains(k.byHead[head(value)], value)
}

// find adds the places of the values in a text, the longest first where several begin.
func (k *known) find(text string, found []Found) []Found {
	if k.byHead == nil || len(text) < minKnown {
		return found
	}
	for i := 0; i+minKnown <= len(text); i++ {
		h := head(text[i:])
		if word, mask := bit(h); k.bits[word]&mask == 0 {
			continue
		}
		for _, value := range k.byHead[h] {
			if strings.HasPrefix(text[i:], value) && !runsOn(text, i, i+len(value)) {
				found = append(found, Found{Start: i, End: i + len(value), Kind: kindKnown})
				i += len(value) - 1
				break
			}
		}
	}
	return found
}

// runsOn reports whether a number goes on before or after a place, which makes it
// another one.
func runsOn(text string, start, end int) bool {
	number := func(i int) bool { return classes[text[i]] == digit }
	return start > 0 && number(start) && number(start-1) || end < len(text) && number(end-1) && number(end)
}

// kindKnown marks the place of a value that has a placeholder already.
const kindKnown = kindSecret
