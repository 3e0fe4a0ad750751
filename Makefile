# The two commands of the README are `make demo` and `make test`. Both make .venv first.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared/data
WORKS ?= .cache/works.snapshot
ALL ?= .cache/all.snapshot
PDFS ?= .cache/pdfs
# Most of what tests wait for is the disk: their folders are in memory where there is room for them.
export PYTEST_DEBUG_TEMPROOT := $(shell test -w /dev/shm && test "$$(df -Pk /dev/shm | awk 'END {print $$4}')" -gt 4000000 && echo /dev/shm)
unexport PYTHONDONTWRITEBYTECODE  # or each run would rewrite the assertions of all tests anew
# A third of the time tests wait for servers and processes, so there are three workers for two processors.
# Each worker begins with a part of the tests, so that a module's fixtures are made once and not by all.
PYTEST = $(BIN)/python -m pytest -n 3 --dist worksteal -q
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

.PHONY: venv demo test test-all quick durations coverage lint style bench recipes peers soak fuzz docs site lock changelog audit sbom clean
.DEFAULT_GOAL := demo

venv: .venv/.ready

.venv/.ready: requirements.txt pyproject.toml
	@$(MAKE_ENVIRONMENT)
	@echo "installing into .venv: citeproof and all it is developed with (1.6 GB)"
	@$(PIP) install --require-hashes -r requirements.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch .venv/.base $@

# What `make demo` needs: citeproof and the packages it runs with, as users have it.
.venv/.base: requirements-base.txt pyproject.toml
	@$(MAKE_ENVIRONMENT)
	@echo "installing citeproof into .venv"
	@$(PIP) install --require-hashes -r requirements-base.txt
	@$(PIP) install --no-deps -e .
	@touch $@

# A .venv without pip is what Debian's Python leaves behind where python3-venv is missing: it is made again.
define MAKE_ENVIRONMENT
$(PYTHON) -c 'import sys; sys.exit("citeproof needs Python 3.11 or newer; run: make PYTHON=python3.11 ...") if sys.version_info < (3, 11) else None'
$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || { rm -rf .venv; exit 1; }
endef

# Check the bundled examples against the starter snapshot; the first run makes that snapshot.
demo: .venv/.base
	@$(BIN)/citeproof index starter --if-missing
	@code=0; $(BIN)/citeproof check --offline examples/references.bib examples/answer.md || code=$$?; \
	echo; echo "citeproof ended with exit code $$code (1: problems found, as the examples intend)"; \
	test $$code -eq 0 -o $$code -eq 1 -o $$code -eq 4

# What takes long, or needs a browser, a cluster, a database or another program: `make test` leaves it to `make test-all`.
LONG = slow or soak or growth or browser

# Lint, types and every test that is not long. The types are checked while the tests run.
test: style
	@mkdir -p .cache; $(BIN)/mypy >.cache/types.txt 2>&1 & types=$$!; \
	code=0; $(PYTEST) -m "not ($(LONG))" || code=$$?; \
	wait $$types || { cat .cache/types.txt; exit 1; }; exit $$code

# The long tests: faults, Ray, browsers, other programs, a sample of the generated matrices.
test-all: venv
	@$(PYTEST) -m "$(LONG)"

# Measure every test and write tests/long_tests.txt anew: what is in it belongs to `make test-all`.
durations: venv
	@rm -rf .cache/durations
	-@$(PYTEST) -p tests.durations
	@$(BIN)/python -m tests.durations

# `make test` without lint, types and development data.
quick: venv
	@$(PYTEST) -m "not ($(LONG) or data)"

# Branch coverage of the whole suite, but for what measures processor time. Readers in the sandbox are seen, but for
# those that a command in a process of its own starts.
coverage: venv
	@rm -rf .cache/coverage && mkdir -p .cache/coverage
	-@$(BIN)/coverage run -m pytest -n 2 -q -m "not growth" -o timeout=1200
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report
	@$(BIN)/coverage json -q -o .cache/coverage/report.json
	@$(BIN)/python -m tests.coverage_summary

lint: style
	@$(BIN)/mypy

style: venv
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.naming
	@mkdir -p .cache
	@CITEPROOF_CORPUS_SKIP='CHANGELOG.md,tests/**,examples/**' CITEPROOF_CORPUS_DOIS=format \
		$(BIN)/citeproof corpus -r --offline -o .cache/corpus.txt || { cat .cache/corpus.txt; exit 1; }

# The figures of docs/measured.md. DATA is the folder of development data, which is not part of this repository.
bench: venv
	@test -d $(DATA) || { echo "no development data at $(DATA); run: make bench DATA=folder"; exit 2; }
	@test -d $(WORKS) || $(BIN)/citeproof index build --from works $(DATA)/records/works.jsonl.zst --name works --out $(WORKS)
	$(BIN)/python bench/build_speed.py $(DATA)/records/works.jsonl.zst
	$(BIN)/python bench/retrieval.py $(WORKS)
	$(BIN)/python bench/hallmark.py $(DATA)/bench/hallmark_dev_public.jsonl --snapshot $(WORKS)
	$(BIN)/python bench/end_to_end.py $(DATA)/records/works.jsonl.zst
	$(BIN)/python bench/parse_quality.py $(DATA)/parsing/dev.jsonl.zst
	$(BIN)/python bench/quotations.py
	$(BIN)/python bench/parse_quality.py $(DATA)/parsing/train.jsonl.zst --split
	@test -d $(PDFS) || $(BIN)/python bench/pdf_corpus.py $(DATA)/records/works.jsonl.zst --out $(PDFS)
	$(BIN)/python bench/pdf_quality.py $(PDFS)
	@test -d $(ALL) || $(BIN)/citeproof index build --from works $(DATA)/records/works.jsonl.zst --name works --covers all --out $(ALL)
	$(BIN)/python bench/live.py $(ALL)
	$(BIN)/python -m bench.latency $(ALL)
	$(BIN)/python -m bench.fabricated_ids $(ALL)
	$(BIN)/python bench/citecheck_live.py $(DATA)/bench/citecheck_half.jsonl
	$(BIN)/python bench/at_once.py $(ALL)
	$(BIN)/python bench/cross_sources.py $(DATA)/recordings/title_lookups_refchecker.tar.zst
	$(BIN)/python bench/audit_speed.py --events 200000
	$(BIN)/python bench/audit_verify.py --events 200000
	$(BIN)/python bench/audit_overhead.py $(ALL)
	$(BIN)/python bench/corpus_speed.py

# Benchmarks made by both recipes from the half of the works that the judge was not fitted on, five seeds
# each, run in a closed world of all works. CSL=folder adds styles.
RECIPES ?= .cache/recipes
SEEDS ?= 1 2 3 4 5
MAKE_FROM = $(DATA)/records/works.jsonl.zst --part 2/2 $(addprefix --seed ,$(SEEDS)) $(if $(CSL),--csl $(CSL))
recipes: venv
	@test -d $(DATA) || { echo "no development data at $(DATA); run: make recipes DATA=folder"; exit 2; }
	@test -d $(ALL) || $(BIN)/citeproof index build --from works $(DATA)/records/works.jsonl.zst --name works --covers all --out $(ALL)
	@mkdir -p $(RECIPES)
	$(BIN)/citeproof bench make citecheck $(MAKE_FROM) --venue 'Phys\. Rev|Rev\. Mod\. Phys' --topics physics --count 1000 -o '$(RECIPES)/physics-{seed}.jsonl'
	$(BIN)/citeproof bench make citecheck $(MAKE_FROM) --with-id pmid --count 1000 -o '$(RECIPES)/biomedicine-{seed}.jsonl'
	$(BIN)/citeproof bench make citecheck $(MAKE_FROM) --foreign --count 1000 -o '$(RECIPES)/languages-{seed}.jsonl'
	$(BIN)/citeproof bench make citeaudit $(MAKE_FROM) -o '$(RECIPES)/audit-{seed}.jsonl'
	for set in physics biomedicine languages audit; do $(BIN)/citeproof bench run $(RECIPES)/$$set-*.jsonl --split test --fresh --offline --snapshot $(ALL) || exit; done

# The long runs and every case of the large matrices; `make test-all` does a twentieth, or a handful, of each.
soak: venv
	@CITEPROOF_SOAK_SHARE=1 $(BIN)/pytest -q -m "soak or growth or hypothesis"

# Other open tools and citeproof on the same items in one loopback world: docs/comparison.md and its chart.
# Tools are installed from the package registry below .cache/peers. PEERS_BIB: bibliographies, beside HALLMARK.
PEERS_BIB ?= $(wildcard .cache/peers/bib/*.bib)
peers: venv
	@test -d $(DATA) || { echo "no development data at $(DATA); run: make peers DATA=folder"; exit 2; }
	@test -d $(ALL) || $(BIN)/citeproof index build --from works $(DATA)/records/works.jsonl.zst --name works --covers all --out $(ALL)
	$(BIN)/python -m bench.peers --snapshot $(ALL) --hallmark $(DATA)/bench/hallmark_dev_public.jsonl $(if $(PEERS_BIB),--bib $(PEERS_BIB))

# Damaged documents for every parser and extractor, until each has had FUZZ_SECONDS of processor time since its last finding
# (tests/fuzz/ledger.json adds it up; Ctrl-C and go on later); FUZZ="extractor-*" chooses.
FUZZ_SECONDS ?= 600
fuzz: venv
	@$(BIN)/python -m tests.fuzz $(FUZZ) --seconds $(FUZZ_SECONDS)

# Write the generated parts of docs/ anew.
docs: venv
	@$(BIN)/python docs/generate.py
	@$(BIN)/python -m release.man_page

# The documentation as web pages, in .cache/site; broken links and anchors are errors.
site: venv
	@$(BIN)/mkdocs build --strict --quiet
	@echo "the site is in .cache/site"

# Pin every package with the hashes of its files, for every platform and Python from 3.11 on. Pins that still fit stay;
# `make lock UPGRADE=--upgrade` takes the newest of everything. requirements.txt is the environment of development, the
# others are for installing citeproof alone with one extra.
LOCKED_EXTRAS := server ocr memory
LOCK = .venv-lock/bin/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-annotate --no-header --no-emit-index-url --no-emit-find-links $(UPGRADE)
lock:
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip -qq --disable-pip-version-check install uv==0.13.7
	$(LOCK) pyproject.toml requirements.in -o requirements.txt
	{ echo '# Every package of the development environment, pinned with the hashes of its files; written by `make lock`.'; \
	  cat requirements.txt; } > .venv-lock/made && mv .venv-lock/made requirements.txt
	$(LOCK) pyproject.toml -c requirements.txt -o requirements-base.txt
	{ echo "# citeproof's own packages, without extras, pinned with the hashes of their files; written by \`make lock\`."; \
	  cat requirements-base.txt; } > .venv-lock/made && mv .venv-lock/made requirements-base.txt
	for extra in $(LOCKED_EXTRAS); do \
	  $(LOCK) pyproject.toml --extra $$extra -c requirements.txt -o requirements-$$extra.txt || exit; \
	  { echo "# citeproof's own packages and those of the extra \`$$extra\`, pinned with the hashes of their files; written by \`make lock\`."; \
	    cat requirements-$$extra.txt; } > .venv-lock/made && mv .venv-lock/made requirements-$$extra.txt || exit; done
	rm -rf .venv-lock

# Licences of all that is installed with citeproof and its extras, and the bill of materials (CycloneDX); no network.
audit: venv
	@$(BIN)/python -m release.licence_audit

sbom: venv
	@$(BIN)/python -m release.bill_of_materials

# The section of this version in CHANGELOG.md, from changelog.d/; again after a fragment was added. REMOVE=--remove deletes the fragments.
changelog: venv
	@$(BIN)/python -m release.build_changelog $(REMOVE)

clean:
	rm -rf .venv .venv-lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
