package providertest

// flaw is one way in which a model can be broken.
type flaw string

const (
	dropsDelta       flaw = "drops a delta"
	doublesDelta     flaw = "tells a delta twice"
	reorders         flaw = "swaps two deltas"
	holdsBack        flaw = "holds everything back until the end"
	twoDones         flaw = "ends twice"
	goesOnAfterError flaw = "yields after an error"
	ignoresCancel    flaw = "ignores the context"
	ignoresStop      flaw = "stays connected when the range stops"
	losesUsage       flaw = "loses the cache tokens"
	zeroUsage        flaw = "reports zero for what is unknown"
	oneStop          flaw = "gives one stop reason for all"
	cutIsSuccess     flaw = "takes a cut for the end"
	retries          flaw = "tries again by itself"
	leaksKey         flaw = "quotes the provider, key included, as the cause"
	repeatsWords     flaw = "shows people the provider's words"
	oneCode          flaw = "does not know overload"
	losesWait        flaw = "loses Retry-After"
	swallowsErrors   flaw = "swallows errors inside the stream"
	swallowsGarbage  flaw = "skips what does not parse"
	strict           flaw = "fails at an unknown event"
	keepsNUL         flaw = "keeps a NUL"
	lastFragment     flaw = "keeps the last fragment of the arguments"
	emptyArguments   flaw = "gives no arguments as no JSON"
	cutArguments     flaw = "turns cut arguments into an empty object"
	sharedIDs        flaw = "lets two calls share an id"
	rewritesRaw      flaw = "marshals raw blocks again"
	dropsRaw         flaw = "does not replay raw blocks"
	losesSignature   flaw = "loses the signature"
	foreignRaw       flaw = "sends another provider's raw blocks"
	stickyKey        flaw = "uses the first key for all"
	shuffledTools    flaw = "sends tools in changing order"
	blankSlabs       flaw = "sends blank text"
	losesMarks       flaw = "loses breakpoints"
	patientForever   flaw = "waits in silence for ever"
	unbounded        flaw = "takes whatever comes"
)

// proofs say which case is meant to catch a flaw, and which others it may also
// break because they stand on the same ground.
var proofs = []struct {
	flaw  flaw
	meant string
	near  []string
}{
	{dropsDelta, "text arrives in order and adds up to the answer", []string{
		"calls at the same time do not mix",
	}},
	{doublesDelta, "text arrives in order and adds up to the answer", []string{
		"calls at the same time do not mix",
	}},
	{reorders, "text arrives in order and adds up to the answer", []string{
		"calls at the same time do not mix",
	}},
	{holdsBack, "a delta is told as soon as it arrives", []string{
		"each failure inside the stream becomes its code",
		"what was told before a cut stays told",
		"cancelling hangs up at once, leaks nothing and gives the context's error",
		"stopping the range hangs up at once and leaks nothing",
	}},
	{twoDones, "the opening comes first and the answer last, once each", nil},
	{goesOnAfterError, "nothing follows an error", []string{
		"each failure inside the stream becomes its code",
		"what was told before a cut stays told",
	}},
	{ignoresCancel, "cancelling hangs up at once, leaks nothing and gives the context's error", []string{
		"a context that is over before the call gives its error",
		"the caller's deadline is the caller's, not the provider's",
	}},
	{ignoresStop, "stopping the range hangs up at once and leaks nothing", []string{
		"a delta is told as soon as it arrives",
	}},
	{losesUsage, "usage is what was reported", []string{
		"usage that is zero is zero",
	}},
	{zeroUsage, "usage that was not reported is nil", nil},
	{oneStop, "each stop reason has one meaning", []string{
		"arguments cut by the token limit are kept as text",
	}},
	{cutIsSuccess, "a stream that is cut is an error and never an answer", []string{
		"nothing follows an error",
		"an adapter never tries again by itself",
	}},
	{retries, "an adapter never tries again by itself", nil},
	{leaksKey, "each refusal becomes its code", []string{
		"each failure inside the stream becomes its code",
	}},
	{repeatsWords, "each refusal becomes its code", []string{
		"each failure inside the stream becomes its code",
	}},
	{oneCode, "each refusal becomes its code", []string{
		"each failure inside the stream becomes its code",
	}},
	{losesWait, "the wait that the provider asks for is handed on", nil},
	{swallowsErrors, "each failure inside the stream becomes its code", []string{
		"nothing follows an error",
	}},
	{swallowsGarbage, "an event that does not parse is an error", []string{
		"nothing follows an error",
	}},
	{strict, "events of unknown kinds and signs of life are skipped", nil},
	{keepsNUL, "a broken rune is replaced, a NUL dropped, and nothing raw is kept", nil},
	{lastFragment, "arguments may be split at every byte", []string{
		"parallel calls keep their order, names, ids and arguments",
	}},
	{emptyArguments, "no arguments are an empty object", nil},
	{cutArguments, "arguments that do not parse are kept as text, and nothing raw", []string{
		"arguments cut by the token limit are kept as text",
	}},
	{sharedIDs, "calls that share an id get their own, and nothing raw is kept", nil},
	{rewritesRaw, "an answer is replayed byte for byte to its own provider", []string{
		"a replayed message takes the rolling breakpoint without losing a byte",
	}},
	{dropsRaw, "an answer is replayed byte for byte to its own provider", []string{
		"a signature survives the replay",
		"a replayed message takes the rolling breakpoint without losing a byte",
	}},
	{losesSignature, "a signature survives the replay", nil},
	{foreignRaw, "another provider's raw bytes are never sent", nil},
	{stickyKey, "each call presents its own key", nil},
	{shuffledTools, "tools arrive in the order given, with their schemas byte for byte", nil},
	{blankSlabs, "blank text and nothing else is never sent", []string{
		"system slabs arrive in order, and blank ones not at all",
	}},
	{losesMarks, "breakpoints stand where they are asked for", nil},
	{patientForever, "silence ends in a timeout", nil},
	{unbounded, "a flood that is no event is refused early", []string{
		"an answer without end is refused",
	}},
}
