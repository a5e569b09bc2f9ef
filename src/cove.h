#pragma once

// Everything a program that embeds Cove needs:
//
//   auto data = cove::data_dir();
//   auto catalog = cove::RuntimeCatalog::load(*data + "/profiles");
//   auto executor = cove::NativeExecutor::create(*catalog, {});
//   auto result = (*executor)->execute({.code = "print(6 * 7)", .language = "python"});
//
// Each call gives a Result: look at has_value() before *. See docs/library.md and examples/embed.

#include "base/data_dir.h"
#include "base/result.h"
#include "base/version.h"
#include "executor/code_executor.h"
#include "executor/container/container_executor.h"
#include "executor/local/local_executor.h"
#include "executor/native/native_executor.h"
#include "executor/with_retries.h"
#include "image/image_import.h"
#include "image/image_store.h"
#include "model/capabilities.h"
#include "model/execution_request.h"
#include "model/execution_result.h"
#include "model/request_codec.h"
#include "model/result_codec.h"
#include "policy/explain.h"
#include "policy/presets.h"
#include "policy/validate.h"
#include "runtime/runtime_catalog.h"
#include "session/session_service.h"
#include "tool/code_tool.h"
#include "toolchain/compiling_executor.h"
