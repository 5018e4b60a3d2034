// SPDX-License-Identifier: Apache-2.0
// Part of report/serving/serving_report.h.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "report/serving/serving_report.h"

namespace podsim::report::serving {
namespace model = workloads::serving;

namespace {
using ServingJson = nlohmann::ordered_json;

ServingJson figures_json(const model::LatencyFigures& of) {
  return {{"mean", of.mean}, {"p50", of.p50}, {"p90", of.p90}, {"p95", of.p95}, {"p99", of.p99}, {"most", of.most}};
}

ServingJson counts_json(const model::ServingCounts& of) {
  return {{"arrived", of.arrived},
          {"finished", of.finished},
          {"refused", of.refused},
          {"steps", of.steps},
          {"lost_steps", of.lost_steps},
          {"preemptions", of.preemptions},
          {"requeued", of.requeued},
          {"transfers", of.transfers},
          {"prompt_tokens_read", of.prefilled},
          {"prompt_tokens_reused", of.reused},
          {"tokens_made", of.made},
          {"tokens_dropped", of.dropped}};
}

ServingJson replicas_json(const ServingReport& r) {
  ServingJson rows = ServingJson::array();
  const double all_s = workloads::goodput::seconds(r.outcome.end);
  for (const model::ReplicaOutcome& of : r.outcome.replicas) {
    const double busy_s = workloads::goodput::seconds(of.busy);
    rows.push_back({{"busy_s", busy_s},
                    {"away_s", workloads::goodput::seconds(of.away)},
                    {"steps", of.steps},
                    {"finished", of.finished},
                    {"running", of.running.mean()},
                    {"joules", of.work.joules + r.plan.idle_watts * (all_s - busy_s)},
                    {"mxu", all_s > 0 ? of.work.mxu_s / all_s : 0},
                    {"hbm", all_s > 0 ? of.work.hbm_s / all_s : 0}});
  }
  return rows;
}

ServingJson programs_json(const ServingReport& r) {
  ServingJson rows = ServingJson::array();
  for (const StepProgram& of : r.programs) {
    ServingJson row = r.plan.tokens ? ServingJson{{"decoding", of.shape.decoding},
                                                  {"cached", of.shape.cached},
                                                  {"prefill_tokens", of.shape.prefill_tokens},
                                                  {"prefill_cached", of.shape.prefill_cached}}
                                    : ServingJson{{"samples", of.shape.decoding}};
    if (!r.draft.empty()) row["drafts"] = of.drafts;
    row["step_s"] = of.cost.seconds;
    row["step_j"] = of.cost.joules;
    row["mxu"] = of.cost.mxu_s / of.cost.seconds;
    row["hbm"] = of.cost.hbm_s / of.cost.seconds;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string serving_json(const ServingReport& r, bool with_wall) {
  const model::ServingSummary& sum = r.summary;
  ServingJson json = {{"schema_version", 1},
                      {"command", "serve"},
                      {"workload", r.workload},
                      {"machine", r.machine},
                      {"slice", r.slice},
                      {"chips", r.chips},
                      {"replicas", r.plan.replicas},
                      {"decode_replicas", r.plan.decode_replicas},
                      {"max_batch", r.plan.max_batch},
                      {"chunk", r.plan.chunk},
                      {"arrivals", r.arrivals},
                      {"lengths", r.lengths},
                      {"rate", r.rate},
                      {"seed", r.seed},
                      {"requests", sum.requests},
                      {"time_s", sum.seconds},
                      {"requests_per_s", sum.requests_per_s}};
  if (r.plan.tokens) {
    json["input_tokens_per_s"] = sum.input_per_s;
    json["output_tokens_per_s"] = sum.output_per_s;
  }
  json["wait_s"] = figures_json(sum.wait);
  if (r.plan.tokens) {
    json["ttft_s"] = figures_json(sum.first_token);
    json["tpot_s"] = figures_json(sum.per_token);
    json["gap_s"] = figures_json(sum.gap);
  }
  json["latency_s"] = figures_json(sum.latency);
  if (r.level.any()) {
    json["slo"] = r.level.text();
    json["slo_share"] = sum.level_share;
    json["goodput_per_s"] = sum.level_per_s;
  }
  json["busy"] = sum.busy;
  json["mean_batch"] = sum.mean_batch;
  json["padding"] = sum.padding;
  json["utilization"] = {
      {"mxu", sum.mxu}, {"hbm", sum.hbm}, {"mxu_in_steps", sum.mxu_in_steps}, {"hbm_in_steps", sum.hbm_in_steps}};
  json["energy"] = {{"joules", sum.joules},
                    {"idle_j", sum.idle_joules},
                    {"chip_w", r.watts_per_chip()},
                    {"chip_idle_w", r.plan.idle_watts / double(r.chips)},
                    {"request_j", sum.joules_per_request}};
  if (r.plan.tokens) json["energy"]["token_j"] = sum.joules_per_token;
  json["queue"] = {{"mean", r.outcome.waiting.mean()}, {"most", r.outcome.waiting.most()}};
  if (r.plan.tokens) {
    json["cache"] = {{"pages", r.plan.cache_pages},
                     {"page_tokens", r.plan.page},
                     {"bytes_per_token", r.cache_bytes_per_token},
                     {"mean", r.outcome.pages.mean()},
                     {"most", r.outcome.pages.most()}};
  }
  if (r.expert_skew) json["expert_skew"] = *r.expert_skew;
  if (!r.draft.empty()) {
    json["draft"] = {{"workload", r.draft},
                     {"tokens", r.plan.drafting.tokens},
                     {"accept", r.plan.drafting.accept},
                     {"tokens_per_step", sum.tokens_per_turn}};
  }
  if (r.plan.decode_replicas > 0) {
    json["transfers"] = {{"wait_s", sum.transfer_wait}, {"busiest_port", sum.busiest_port}};
  }
  json["counts"] = counts_json(r.outcome.counts);
  json["of_replicas"] = replicas_json(r);
  json["programs"] = programs_json(r);
  json["warnings"] = r.warnings;
  if (with_wall) json["wall_s"] = r.wall_s;
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::report::serving
