# Every target works on a fresh Debian 12 machine: it installs the packages that are missing (or says
# which), builds what it needs, and ends with an exit code that can be believed.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.DEFAULT_GOAL := help
.PHONY: help run build test bench bench-serve lint analyze attack attack-all test-containers soak soak-serve sanitize fuzz install format clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: ## build, then show a sandboxed program, a blocked attempt, and the server
	@scripts/bootstrap build
	@scripts/build release cove
	@scripts/demo

build: ## release build of the command, the library and the tests
	@scripts/bootstrap build test
	@scripts/build release

test: ## release build; unit, conformance, toolchain, attack, image and differential suites
	@scripts/bootstrap build test
	@scripts/build release
	@scripts/test unit conformance toolchain attack image differential

bench: ## measure against bare python, bubblewrap, docker and compilers by hand; writes docs/benchmarks.md
	@scripts/bootstrap build test bench
	@scripts/build release
	@scripts/bench

bench-serve: ## load a server with 1 to 256 connections; writes docs/benchmarks-serve.md
	@scripts/bootstrap build
	@scripts/build release cove
	@scripts/bench-serve

lint: ## format, clang-tidy, include direction, file sizes
	@scripts/bootstrap build lint
	@scripts/lint

analyze: ## clang's static analyzer over src/ (long: a quarter of an hour)
	@scripts/bootstrap build lint
	@scripts/tidy --analyze

attack: ## the attack suite as the user who calls
	@scripts/bootstrap build test
	@scripts/build release
	@scripts/test attack

attack-all: ## the attack suite as root, as an ordinary user, and at the landlock level
	@scripts/bootstrap build test
	@scripts/build release
	@scripts/attack-all

test-containers: ## the conformance suite on Docker and Podman, in engines of its own (root)
	@scripts/bootstrap build test
	@scripts/build release
	@scripts/test-containers

soak: ## 10,000 mixed executions, then look for anything left behind
	@scripts/bootstrap build test
	@scripts/build release
	@scripts/test soak

soak-serve: ## 100,000 mixed requests (or 30 minutes), then look for anything left behind
	@scripts/bootstrap build test
	@scripts/build release cove
	@python3 tests/soak/serve_soak.py

sanitize: ## unit tests under address+undefined, then thread sanitizer
	@scripts/bootstrap build test
	@scripts/sanitize

fuzz: ## run each fuzz target for FUZZ_SECONDS (60)
	@scripts/bootstrap build lint
	@scripts/build fuzz fuzzers
	@scripts/fuzz $(FUZZ_SECONDS)

install: ## install below PREFIX (/usr/local)
	@scripts/bootstrap build
	@scripts/build release installed -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
	@cmake --install build/release

format: ## rewrite our sources as .clang-format says
	@scripts/bootstrap lint
	@scripts/format

clean: ## remove build/
	@rm -rf build
