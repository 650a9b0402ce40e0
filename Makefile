# Two commands matter: make demo and make test. Both set up what they need, say
# what they do, and work again at once.
SHELL := /bin/bash
export CGO_ENABLED = 0
LISTEN ?= 127.0.0.1:8787
DATA ?= demo-data
BIN := bin/in-app-agent
LINT := .cache/bin/golangci-lint
# SQLite's C, translated to Go, is not watched: it has no goroutines of its own, and
# would take most of the time. Its driver and all that is ours are.
RACE := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc/...=-race=false
# Packages whose tests start goroutines; they run three times under the race detector.
RACY := ./internal/engine ./internal/httpapi ./internal/sse ./store/sqlite ./server ./provider/... ./capability/...

.PHONY: demo build check test e2e crash crash-plants crowd overload soak bench fuzz fmt generate ui ui-size clean

demo: build ## a slide deck with the chat beside it; LISTEN= and DATA= are passed on
	@exec $(BIN) demo --listen "$(LISTEN)" --data "$(DATA)" $(ARGS)

build: ## bin/in-app-agent
	@test -x $(BIN) || echo "building $(BIN) (the first time takes a few minutes)"
	@go build -trimpath -ldflags="-s -w" -o $(BIN) ./cmd/in-app-agent

check: ## format, lint, types, floors, generated files, unit tests without race
	@.ci/deps chromium
	@.ci/deps lint
	@.ci/deps chroma
	@.ci/deps npm ui examples/dididecks/web
	@.ci/suite format bash -c 'test -z "$$(gofmt -l $$(git ls-files "*.go"))" || { gofmt -l $$(git ls-files "*.go"); exit 1; }'
	@.ci/suite modules go mod tidy -diff
	@.ci/suite lint $(LINT) run ./...
	@.ci/suite unit .ci/gotest -short ./...
	@.ci/suite ui bash -c 'cd ui && npm run --silent check && npm run --silent test'
	@.ci/suite page bash -c 'cd examples/dididecks/web && npm run --silent check && npm run --silent test && npm run --silent fresh'

test: ## everything: installs what it misses, then checks, races, browsers, foreign clients
	@.ci/deps chromium
	@.ci/deps npm ui examples/dididecks/web e2e/browser e2e/foreign
	@.ci/deps minilm
	@$(MAKE) --no-print-directory check
	@.ci/suite race env CGO_ENABLED=1 .ci/gotest $(RACE) -shuffle=on -timeout 20m ./...
	@.ci/suite race-again env CGO_ENABLED=1 .ci/gotest $(RACE) -shuffle=on -timeout 30m -count=2 $(RACY)
	@.ci/suite whole .ci/gotest -timeout 20m ./store/... ./provider/... ./corpus/... ./examples/... ./internal/engine ./cmd/... ./e2e/retrieval
	@.ci/suite ui-browser bash -c 'cd ui && npm run --silent test:browser'
	@$(MAKE) --no-print-directory build
	@.ci/suite page-browser bash -c 'cd examples/dididecks/web && npm run --silent test:browser'
	@$(MAKE) --no-print-directory e2e
	@.ci/suite crash $(MAKE) --no-print-directory crash SEEDS=50 SEED=
	@.ci/suite crash-plants $(MAKE) --no-print-directory crash-plants SEEDS=50 SEED=
	@.ci/suite crowd $(MAKE) --no-print-directory crowd USERS=40 FOR=60
	@.ci/suite overload $(MAKE) --no-print-directory overload
	@echo "all suites are green"

e2e: build ## the real binary, a real browser, a fake provider on the real wire
	@.ci/deps chromium
	@.ci/deps npm e2e/browser
	@go build -trimpath -o bin/fakeprovider ./e2e/fakeprovider
	@.ci/suite e2e bash -c 'cd e2e/browser && npm test --silent'

crash: ## kills the real binary at every step of a turn: SEEDS= how many, SEED= the first, alone that one again
	@CRASH_SEEDS=$(or $(SEEDS),$(if $(SEED),1,50)) CRASH_SEED=$(SEED) go test -count=1 -timeout 0 -v -run '^TestNoSeed' ./e2e/crash

crash-plants: ## every planted fault must be caught within SEEDS= (50)
	@go test -count=1 -tags failpoint ./internal/failpoint ./examples/dididecks/plant
	@CRASH_PLANTS=$(or $(SEEDS),50) CRASH_SEED=$(SEED) go test -count=1 -timeout 0 -v -run '^TestEveryPlantedFaultIsCaught$$' ./e2e/crash

crowd: ## many people at once against a server that is killed every few seconds: USERS=40 FOR=60
	@CROWD_USERS=$(or $(USERS),40) CROWD_SECONDS=$(or $(FOR),60) go test -count=1 -timeout 0 -v -run '^TestACrowd' ./e2e/crowd

overload: ## twice the streams that a core can serve, and IDLE=5000 streams that nobody speaks on
	@CROWD_OVERLOAD=1 CROWD_IDLE=$(or $(IDLE),5000) go test -count=1 -timeout 0 -v -run '^TestACrowd(Twice|OfIdle)' ./e2e/crowd

soak: ## what needs waiting, by hand, about 90 minutes; writes docs/evidence
	@mkdir -p docs/evidence
	@CRASH_REPORT=$(CURDIR)/docs/evidence/crash.md .ci/suite crash $(MAKE) --no-print-directory crash SEEDS=$(or $(SEEDS),1000)
	@.ci/suite crash-plants $(MAKE) --no-print-directory crash-plants SEEDS=50
	@CROWD_REPORT=$(CURDIR)/docs/evidence/crowd.md .ci/suite crowd $(MAKE) --no-print-directory crowd USERS=200 FOR=600
	@.ci/suite lock env LOCK_SECONDS=30 go test -count=1 -v -run '^TestADatabaseThatIsLockedForLong' ./e2e/api
	@.ci/deps chroma
	@.ci/suite isolation env CORPUS_ISOLATION=1 go test -count=1 -v -run '^TestChromaSearches' ./corpus/chroma
	@.ci/suite broken-stores env STORETEST_ALL=1 go test -count=1 -run '^TestEveryBrokenStore' ./store/sqlite
	@.ci/suite fuzz .ci/fuzz $(or $(FUZZTIME),1m)

bench: ## micro-benchmarks beside the code
	@go test -run '^$$' -bench . -benchmem ./capability/... ./store/sqlite/... ./internal/...

fuzz: ## every fuzz target for FUZZTIME (default 10s)
	@.ci/fuzz $(or $(FUZZTIME),10s)

generate: ## the TypeScript of the wire types
	@go generate ./...

ui-size: ## gzip JavaScript of a working chat page against its budget
	@.ci/deps npm ui
	@cd ui && npm run --silent size

fmt:
	@gofmt -w $$(git ls-files '*.go')
	@cd ui && npm run --silent fmt --if-present

clean:
	@rm -rf bin .cache ui/dist
