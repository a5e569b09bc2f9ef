#include "engine/engine_metrics.h"

namespace cove {

void declare_engine_metrics(Metrics& metrics) {
  if (metrics.is_declared("cove_executions_total")) return;
  metrics.declare_counter("cove_executions_total",
                          "Executions that are over, by language, backend and status.");
  // From a fraction of a millisecond (warm guests) to the longest timeout people set.
  const std::vector<double> seconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                       0.25,   0.5,   1,      2.5,   5,    10,    30,   60};
  metrics.declare_histogram("cove_queue_seconds", "From submission to start.", seconds);
  metrics.declare_histogram("cove_run_seconds", "From start to result, set-up included.", seconds);
  metrics.declare_histogram("cove_sandbox_setup_seconds",
                            "From an execution's start to that of its program: making a sandbox, "
                            "or taking one that waited.",
                            {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                             0.25, 0.5, 1, 2.5, 5});
  metrics.declare_gauge("cove_jobs_running", "Executions and cells of sessions that run now.");
  metrics.declare_gauge("cove_jobs_queued", "Executions and cells of sessions that wait now.");
  metrics.declare_counter("cove_refusals_total", "Requests refused before they ran, by reason.");
  metrics.declare_counter("cove_output_bytes_total", "Bytes of stdout and stderr handed out.");
  metrics.declare_counter("cove_request_bytes_total",
                          "Bytes of code, stdin and files that were accepted.");
  metrics.declare_counter("cove_history_lost_total", "History records that could not be stored.");
  metrics.declare_counter("cove_audit_lost_total", "Audit entries that could not be written.");
  metrics.declare_counter("cove_pool_hits_total", "Executions served by a waiting guest.");
  metrics.declare_counter("cove_pool_misses_total",
                          "Executions that found no waiting guest and started cold.");
  metrics.declare_gauge("cove_pool_ready", "Guests that wait for work now.");
  for (const auto* name : {"cove_jobs_running", "cove_jobs_queued"}) metrics.set(name, {}, 0);
  for (const auto* name : {"cove_output_bytes_total", "cove_request_bytes_total",
                           "cove_history_lost_total", "cove_audit_lost_total"}) {
    metrics.add(name, {}, 0);
  }
}

}  // namespace cove
