#pragma once
#include "engine/metrics.h"

namespace cove {

// Declares what the engine counts, and what servers around it fill in:
//   cove_executions_total{language,backend,status}  status: as in results, or "error"
//   cove_queue_seconds{language}, cove_run_seconds{language}   histograms
//   cove_sandbox_setup_seconds{language,backend,start}   histogram; start: "warm" or "cold"
//   cove_jobs_running, cove_jobs_queued
//   cove_refusals_total{reason}                     reason: an error code, "queue_full" or "rate"
//   cove_output_bytes_total, cove_request_bytes_total
//   cove_history_lost_total, cove_audit_lost_total  records that could not be written
//   cove_pool_hits_total, cove_pool_misses_total, cove_pool_ready {backend, language}
//                                                   by a collector of whoever owns the pool
// Engine::create does it by itself; a second time is without effect. `language` is a language that
// the backend supports; anything else is "other".
void declare_engine_metrics(Metrics& metrics);

}  // namespace cove
