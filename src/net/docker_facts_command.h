#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cove {

// `cove-net docker-facts`, which `cove doctor` asks: the Docker engine of the environment and what
// a container there is held to, as one JSON object. An engine that does not answer is one, too.
void add_docker_facts_command(CLI::App& app, int& exit_code);

// `cove-net bench-docker`, which `cove bench` asks: makes a persistent container and then, for each
// line of its input, runs a program in it and writes how many milliseconds that took.
void add_bench_docker_command(CLI::App& app, int& exit_code);

}  // namespace cove
