// SPDX-License-Identifier: Apache-2.0
#include "app/serve/serve_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/serve/replica_steps.h"
#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/input_file.h"
#include "base/host/interrupt.h"
#include "base/text/percent.h"
#include "sw/driver/compile.h"
#include "workloads/serving/event_time.h"
#include "workloads/serving/load.h"
#include "workloads/serving/request_trace.h"
#include "workloads/serving/server_run.h"

namespace podsim::app::serve {

namespace model = workloads::serving;
using report::serving::ServingReport;

namespace {

constexpr std::int64_t samples_per_core = 16, sequences_of_replica = 32;
constexpr std::int64_t default_page = 128, default_chunk = 512, prefix_block = 512;
constexpr double default_seconds = 600;
constexpr double default_transfer_latency = 1e-3, default_transfer_rate = 12.5e9;
constexpr double default_repair = 60;

const model::PublishedTrace* trace_named(const std::string& name) {
  for (const model::PublishedTrace& trace : model::published_traces()) {
    if (trace.name == name) return &trace;
  }
  return nullptr;
}

/// What the lengths and the reuse of the requests are.
struct PromptLaws {
  model::TokenLengths input, output;
  double reuse;
  std::string text;
};

PromptLaws prompt_laws(const ServeOptions& options) {
  if (const model::PublishedTrace* trace = trace_named(options.lengths)) {
    const double reuse = options.reuse.value_or(trace->reuse);
    std::string text = fmt::format("lengths as in {}: {}", trace->name, trace->source);
    if (reuse > 0) text += fmt::format("; {} of the prompts in the cache already", base::text::percent(reuse));
    return {trace->input, trace->output, reuse, std::move(text)};
  }
  const std::int64_t prompt = options.prompt.value_or(512), output = options.answer.value_or(128);
  return {model::TokenLengths::constant(prompt), model::TokenLengths::constant(output), options.reuse.value_or(0),
          fmt::format("prompts of {} tokens, answers of {}", prompt, output)};
}

double arrival_rate(const ServeOptions& options) {
  if (options.rate) return *options.rate;
  const model::PublishedTrace* trace = trace_named(options.lengths);
  if (trace != nullptr && trace->rate > 0) return trace->rate;
  throw base::InputError("how many requests arrive?",
                         "--rate 8/s, --trace FILE or --lengths NAME of a published trace");
}

std::string arrivals_text(double rate, double cv) {
  const std::string law = cv == 1   ? "Poisson"
                          : cv == 0 ? "constant gaps"
                                    : fmt::format("gamma gaps of coefficient of variation {:g}", cv);
  return fmt::format("{:.4g} requests/s, {}", rate, law);
}

void draw_requests(const ServeOptions& options, bool tokens, std::int64_t page, ServingReport& report) {
  model::Load load;
  load.arrivals.rate = report.rate = arrival_rate(options);
  const model::PublishedTrace* trace = trace_named(options.lengths);
  load.arrivals.cv = options.cv.value_or(trace != nullptr && trace->cv > 0 ? trace->cv : 1);
  load.requests = options.requests;
  if (!load.requests || options.seconds) {
    load.until = workloads::goodput::nanoseconds(options.seconds.value_or(base::Duration(default_seconds)));
  }
  if (tokens) {
    PromptLaws laws = prompt_laws(options);
    load.input = std::move(laws.input);
    load.output = std::move(laws.output);
    load.reuse = laws.reuse;
    report.lengths = std::move(laws.text);
  }
  load.urgent = options.urgent.value_or(0);
  load.page = page;
  load.seed = options.seed;
  report.requests = model::requests_of(load);
  report.arrivals = fmt::format("{}, seed {}", arrivals_text(load.arrivals.rate, load.arrivals.cv), options.seed);
  if (report.requests.empty()) throw base::InputError("no request arrives in this time", "more --seconds or --rate");
}

void read_trace(const ServeOptions& options, bool tokens, ServingReport& report) {
  report.requests = model::read_requests(options.trace, base::host::read_input("--trace", options.trace));
  const double span = workloads::goodput::seconds(report.requests.back().arrival);
  report.rate = span > 0 ? double(report.requests.size() - 1) / span : 0;
  if (options.rate) {
    if (span == 0) throw base::InputError("all requests of the trace arrive at once: they have no rate");
    const double factor = report.rate / *options.rate;
    for (model::Request& request : report.requests) {
      request.arrival = model::event_time(workloads::goodput::seconds(request.arrival) * factor,
                                          "requests of the trace arrive for longer", "a higher --rate");
    }
    report.rate = *options.rate;
  }
  if (options.requests && std::int64_t(report.requests.size()) > *options.requests) {
    report.requests.resize(std::size_t(*options.requests));
  }
  if (!tokens) {
    for (model::Request& request : report.requests) {
      request.input = request.output = 0;
      request.blocks.clear();
    }
  }
  report.arrivals = fmt::format("{} requests of {} at {:.4g}/s", report.requests.size(), options.trace, report.rate);
}

void check_blocks(const std::vector<model::Request>& requests, std::int64_t page) {
  if (prefix_block % page == 0) return;
  if (std::ranges::all_of(requests, [](const model::Request& of) { return of.blocks.empty(); })) return;
  throw base::InputError(
      fmt::format("blocks of the trace have {} tokens, which are no whole pages of {}", prefix_block, page),
      fmt::format("a --page that divides {}", prefix_block));
}

/// Tokens of the longest request whose cache, all but its last token, fits a replica.
std::int64_t longest_sequence(const std::vector<model::Request>& requests, std::int64_t room) {
  std::int64_t longest = 1;
  for (const model::Request& request : requests) {
    const std::int64_t tokens = request.input + request.output;
    if (tokens - 1 <= room) longest = std::max(longest, tokens);
  }
  return longest;
}

/// A model of a replica, and how its settings are given.
struct ServedModel {
  std::string name, flag;
  const workloads::ModelSettings& settings;
  std::int64_t positions;  ///< that are trained; 0: it has none
};

/// A model whose longest sequence is shorter than a request is not that model any more. Whether it has too few.
bool check_positions(const ServedModel& of, std::int64_t longest, ServingReport& report) {
  if (of.positions == 0 || longest <= of.positions) return false;
  const std::string what =
      fmt::format("a request has {} tokens, the {} positions for {}", longest, of.name, of.positions);
  if (of.settings.contains("model.sequence")) {
    throw base::InputError(what, fmt::format("{} model.sequence={}", of.flag, longest));
  }
  report.warnings.push_back(what + ": its programs have as many as the longest request");
  return true;
}

/// The memory for keys and values, and what it takes to send them.
void plan_cache(const ServeOptions& options, ReplicaSteps& programs, ServingReport& report) {
  model::ServerPlan& plan = report.plan;
  const CacheRoom room = programs.cache_room(plan.max_batch);
  report.cache_bytes_per_token = room.bytes_per_token;
  const std::int64_t tokens = options.cache_tokens.value_or(room.tokens);
  if (tokens > room.tokens) {
    throw sw::driver::OutOfMemory(
        fmt::format("the memory of a replica has room for {} tokens of keys and values, not for {}", room.tokens,
                    tokens),
        "a lower --cache-tokens, or a larger --slice");
  }
  plan.cache_pages = tokens / plan.page;
  if (plan.cache_pages < 1) {
    throw sw::driver::OutOfMemory(fmt::format("the memory of a replica has no room for {} sequences", plan.max_batch),
                                  "a lower --max-batch, or a larger --slice");
  }
  plan.transfer_latency =
      workloads::goodput::nanoseconds(options.transfer_latency.value_or(base::Duration(default_transfer_latency)));
  plan.transfer_seconds_per_token =
      room.bytes_per_token / options.transfer_rate.value_or(base::Bandwidth(default_transfer_rate)).si();
}

}  // namespace

void check_flags(const ServeOptions& options, bool tokens) {
  const auto refuse = [](const char* flags, const char* why, const char* hint) {
    throw base::InputError(fmt::format("{} {}", flags, why), hint);
  };
  if (!options.trace.empty() && (!options.lengths.empty() || options.prompt || options.answer || options.reuse ||
                                 options.cv || options.seconds || options.urgent)) {
    refuse("--lengths, --prompt, --answer, --reuse, --cv, --seconds and --urgent", "draw requests",
           "a trace has its own: leave them out, or leave out --trace");
  }
  if (!options.lengths.empty() && (options.prompt || options.answer)) {
    refuse("--prompt and --answer", "are for requests of one length", "leave them out, or leave out --lengths");
  }
  if (tokens && options.batch_timeout) {
    refuse("--batch-timeout", "is for workloads without tokens",
           "a server of tokens admits requests to its batch at every step");
  }
  const bool of_tokens = !options.lengths.empty() || options.prompt || options.answer || options.reuse ||
                         options.chunk || options.page || options.cache_tokens || options.cached ||
                         options.decode_replicas > 0 || !options.draft.empty() || options.expert_skew;
  if (!tokens && of_tokens) {
    refuse(
        "--lengths, --prompt, --answer, --reuse, --chunk, --page, --cache-tokens, --cached, --decode-replicas, "
        "--draft and --expert-skew",
        "are for workloads that decode", "a decoder of Transformers, such as gpt_6b");
  }
  if (options.decode_replicas == 0 && (options.transfer_rate || options.transfer_latency)) {
    refuse("--transfer-rate and --transfer-latency", "are of caches that are sent", "add --decode-replicas N");
  }
  if (options.draft.empty() && (options.draft_tokens || options.accept || !options.draft_settings.empty())) {
    refuse("--draft-tokens, --accept and --draft-set", "are of a model that drafts tokens", "add --draft WORKLOAD");
  }
  if (!options.draft.empty() && !options.accept) {
    throw base::InputError("which share of the drafted tokens is accepted?",
                           "--accept 0.7: it depends on the model, its draft and the text");
  }
  if (options.repair && !options.between_stops) {
    refuse("--repair", "is of replicas that stop", "add --between-stops TIME");
  }
  if (options.level && !tokens && (options.level->ttft || options.level->tpot)) {
    refuse("ttft and tpot", "are times of tokens", "--slo 'latency<100ms'");
  }
}

model::ServerPlan server_plan(const ServeOptions& options, bool tokens, const ReplicaSlice& slice) {
  model::ServerPlan plan;
  plan.tokens = tokens;
  plan.replicas = options.replicas;
  plan.decode_replicas = options.decode_replicas;
  plan.router = options.router.value_or(tokens ? model::Router::least_loaded : model::Router::shared);
  plan.idle_watts = slice.idle_watts;
  plan.max_batch = options.max_batch.value_or(tokens ? sequences_of_replica : samples_per_core * slice.cores);
  if (options.batch_timeout) plan.batch_timeout = workloads::goodput::nanoseconds(*options.batch_timeout);
  plan.buckets.most_decoding = plan.max_batch;
  if (!tokens) {
    plan.buckets.unit = slice.cores;
    plan.buckets.page = 0;
    return plan;
  }
  plan.chunk = options.chunk.value_or(options.decode_replicas > 0 ? 0 : default_chunk);
  plan.page = plan.buckets.page = options.page.value_or(default_page);
  plan.block = (prefix_block + plan.page - 1) / plan.page * plan.page;
  plan.cached = options.cached.value_or(model::CachedTokens::mean);
  if (!options.draft.empty()) plan.drafting = {options.drafted(), options.accept.value_or(0), options.seed};
  plan.buckets.most_prefill = plan.chunk;
  // A chunk has a quarter of its tokens at least, so that there are few programs.
  plan.buckets.least_prefill = std::max<std::int64_t>(16, plan.chunk / 4);
  return plan;
}

ServingReport run_serve(const ServeOptions& options) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  const bool tokens = has_tokens(options.run.workload);
  check_flags(options, tokens);
  ReplicaSteps programs(options, tokens);
  ServingReport report;
  report.workload = options.run.workload;
  report.draft = options.draft;
  report.expert_skew = options.expert_skew;
  report.machine = programs.slice().machine;
  report.slice = programs.slice().slice;
  report.chips = programs.slice().chips;
  report.seed = options.seed;
  report.warm_up_s = options.warm_up.si();
  report.step_overhead_s = options.step_overhead.si();
  if (options.level) report.level = *options.level;
  report.plan = server_plan(options, tokens, programs.slice());
  if (options.trace.empty()) {
    draw_requests(options, tokens, report.plan.page, report);
  } else {
    read_trace(options, tokens, report);
  }
  if (tokens) {
    check_blocks(report.requests, report.plan.page);
    plan_cache(options, programs, report);
    const std::int64_t longest = longest_sequence(report.requests, report.plan.cache_pages * report.plan.page);
    const bool longer =
        check_positions({"model", "--set", options.run.build.model, programs.positions()}, longest, report);
    const bool longer_draft =
        check_positions({"draft", "--draft-set", options.draft_settings, programs.draft_positions()}, longest, report);
    programs.limit_tokens(longest);
    if (longer || longer_draft) plan_cache(options, programs, report);
  }
  if (options.between_stops) {
    report.plan.outages = model::random_outages(report.plan.all_replicas(), *options.between_stops,
                                                options.repair.value_or(base::Duration(default_repair)),
                                                report.requests.back().arrival, options.seed);
  }
  report.outcome =
      model::serve(report.plan, report.requests, [&](const model::StepShape& shape) { return programs.cost(shape); });
  report.programs = programs.programs();
  for (const std::string& warning : programs.warnings()) report.warnings.push_back(warning);
  report.summary = model::summary_of(report.plan, report.requests, report.outcome, report.level,
                                     workloads::goodput::nanoseconds(options.warm_up));
  if (report.summary.requests == 0) {
    report.warnings.emplace_back("no request is counted: all are refused, or arrive before --warm-up ends");
  }
  report.wall_s = base::host::seconds_since(begin);
  return report;
}

}  // namespace podsim::app::serve
