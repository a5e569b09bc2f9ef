#pragma once
#include <functional>
#include <memory>
#include <string>

#include "api/api_services.h"
#include "api/call.h"
#include "api/event_codec.h"
#include "api/submission_codec.h"

namespace cove {

// How the end of a job becomes an answer.
using JobAnswer = std::function<HttpResponse(const JobRecord& record)>;

// How a submission that was not taken becomes one; answer_refusal(), if it does not say.
using JobRefusal = std::function<void(const Error& error)>;

// Decoding a large body takes long enough to hold up other connections: it moves to a worker.
void with_body(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
               std::function<void()> work);

// Submits, and answers when the job is over. A client that goes away cancels it.
void run_job(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
             DecodedSubmission submission, JobAnswer answer, const JobRefusal& refused = {});
// Submits, and sends events while it runs: started, notice, stdout, stderr, dropped, result or
// error.
void stream_job(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
                DecodedSubmission submission, EventFormat format);
// Submits, and answers 202 with the id.
void start_job(const std::shared_ptr<ApiServices>& services, const std::shared_ptr<Call>& call,
               DecodedSubmission submission);

Submission make_submission(DecodedSubmission decoded, const Caller& caller, const Call& call);
// Answers with the error; a full queue says when to come again.
void answer_refusal(const ApiServices& services, Call& call, const Error& error);

}  // namespace cove
