// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/study_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "hlo/weights/weight_type.h"
#include "noc/faults.h"
#include "noc/slice.h"
#include "sw/collectives/algorithm.h"
#include "sw/driver/compiler_year.h"
#include "sw/placement/mesh_placement.h"
#include "workloads/job/loop_time.h"
#include "workloads/optimizer.h"

namespace podsim::studies::plan {

namespace {

constexpr std::int64_t max_bytes = std::int64_t(1) << 40;  // limit of `podsim collective`
constexpr std::array<std::string_view, 10> of_single_runs{"json",      "output", "vcd",  "trace",    "compare",
                                                          "show_mesh", "set",    "help", "op_cache", "limit"};

/// A location that covers the text.
base::SourceLocation whole(const std::string& text) {
  return {.file = "value", .line = 0, .column = 1, .length = std::max(int(text.size()), 1), .line_text = text};
}

void check_slice(const std::string& text) { static_cast<void>(noc::parse_slice_sizes(text, whole(text))); }

void check_mesh(const std::string& text) {
  try {
    static_cast<void>(sw::placement::parse_mesh(text));
  } catch (const base::InputError& error) {
    std::vector<base::Diagnostic> diagnostics = error.diagnostics();
    for (base::Diagnostic& diagnostic : diagnostics) diagnostic.location.line = 0;
    throw base::InputError(std::move(diagnostics));
  }
}

void check_update_axes(const std::string& text) {
  if (text.empty()) throw base::InputError("say on, off or axes of the mesh");
}

void check_weights(const std::string& text) { static_cast<void>(hlo::weights::parse_weight_type(text)); }

void check_loop(const std::string& text) { static_cast<void>(workloads::job::parse_loop(text)); }

void check_faults(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) static_cast<void>(noc::parse_fault(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

StudyFlag argument(std::string key, FlagType type = FlagType::text) {
  return {.key = std::move(key), .word = "", .form = FlagForm::argument, .type = type};
}

StudyFlag text_flag(std::string key, std::string word, std::function<void(const std::string&)> check = {}) {
  return {.key = std::move(key), .word = std::move(word), .check = std::move(check)};
}

StudyFlag file_flag(std::string key, std::string word) {
  return {.key = std::move(key), .word = std::move(word), .type = FlagType::file};
}

StudyFlag choice(std::string key, std::string word, std::vector<std::string> choices) {
  return {.key = std::move(key), .word = std::move(word), .type = FlagType::choice, .choices = std::move(choices)};
}

StudyFlag count(std::string key, std::string word, std::int64_t least, std::int64_t most) {
  return {.key = std::move(key), .word = std::move(word), .type = FlagType::whole, .least = least, .most = most};
}

StudyFlag toggle(std::string key, std::string word) {
  return {.key = std::move(key),
          .word = std::move(word),
          .form = FlagForm::toggle,
          .type = FlagType::choice,
          .choices = {"on", "off"}};
}

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : workloads::optimizer_kinds()) names.push_back(name);
  return names;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names{"auto"};
  for (sw::collectives::Algorithm algorithm : sw::collectives::algorithms())
    names.emplace_back(sw::collectives::to_string(algorithm));
  return names;
}

/// The faults of a slice.
StudyFlag fault_flag() {
  StudyFlag fault = text_flag("fault", "--fault", check_faults);
  fault.form = FlagForm::repeated;
  return fault;
}

std::vector<StudyFlag> run_flags() {
  return {argument("workload", FlagType::file),
          file_flag("machine", "--machine"),
          text_flag("slice", "--slice", check_slice),
          count("batch_per_core", "--batch-per-core", 1, 1 << 20),
          choice("optimizer", "--optimizer", optimizer_names()),
          count("steps", "--steps", 1, 1'000'000),
          choice("input", "--input", {"on", "off"}),
          text_flag("loop", "--loop", check_loop),
          choice("detail", "--detail", {"auto", "tile", "replay", "chip"}),
          choice("fold", "--fold", {"on", "off"}),
          choice("overlap", "--overlap", {"none", "collectives"}),
          choice("compiler", "--compiler", sw::driver::compiler_names()),
          choice("contention", "--contention", {"on", "off"}),
          choice("algorithm", "--algorithm", algorithm_names()),
          fault_flag(),
          count("fault_seed", "--fault-seed", 0, max_bytes),
          choice("memory", "--memory", {"stream", "bank"}),
          text_flag("mesh", "--mesh", check_mesh),
          file_flag("sharding", "--sharding"),
          toggle("inference", "--inference"),
          text_flag("weights", "--weights", check_weights),
          choice("rematerialise", "--rematerialise", {"auto", "none", "dots", "unbatched-dots", "layer"}),
          text_flag("weight_update_sharding", "--weight-update-sharding", check_update_axes),
          toggle("windowed_einsum", "--windowed-einsum"),
          toggle("decode", "--decode"),
          count("stages", "--stages", 1, 1024),
          count("micro_batches", "--micro-batches", 1, 4096),
          file_flag("schedule", "--schedule"),
          count("chunks", "--chunks", 1, 64),
          text_flag("divide_at", "--divide-at"),
          count("place_operators", "--place-operators", 2, 64),
          count("batch_per_replica", "--batch-per-replica", 1, 1 << 20),
          choice("train", "--train", optimizer_names()),
          text_flag("loss", "--loss"),
          text_flag("parameters", "--parameters"),
          choice("precision", "--precision", {"f32", "bf16"}),
          file_flag("costs", "--costs"),
          {.key = "trips", .word = "--trips", .form = FlagForm::repeated}};
}

/// A number from 0; the command checks the rest of its range.
StudyFlag number_flag(std::string key, std::string word) {
  return {.key = std::move(key), .word = std::move(word), .type = FlagType::number};
}

/// Flags of `run` that jobs of many steps have too.
std::vector<StudyFlag> job_flags() {
  std::vector<StudyFlag> flags = run_flags();
  std::erase_if(flags, [](const StudyFlag& flag) {
    constexpr std::array<std::string_view, 18> left_out{"detail",
                                                        "fold",
                                                        "decode",
                                                        "inference",
                                                        "weights",
                                                        "overlap",
                                                        "contention",
                                                        "algorithm",
                                                        "memory",
                                                        "rematerialise",
                                                        "weight_update_sharding",
                                                        "stages",
                                                        "micro_batches",
                                                        "schedule",
                                                        "chunks",
                                                        "divide_at",
                                                        "place_operators",
                                                        "batch_per_replica"};
    return std::ranges::find(left_out, flag.key) != left_out.end();
  });
  return flags;
}

StudyFlag seed_flag() { return count("seed", "--seed", 0, 2'147'483'647); }

std::vector<StudyFlag> train_flags() {
  constexpr std::int64_t max_steps = 10'000'000;
  std::vector<StudyFlag> flags = job_flags();
  flags.insert(flags.end(), {choice("clients", "--clients", {"one", "per-host"}), number_flag("epochs", "--epochs"),
                             number_flag("evaluate_every", "--evaluate-every"),
                             count("train_steps", "--train-steps", 1, 1'000'000'000),
                             count("checkpoint", "--checkpoint", 1, max_steps), toggle("restore", "--restore"),
                             count("runs", "--runs", 1, 100'000), seed_flag(), number_flag("spread", "--spread")});
  return flags;
}

/// Work from one checkpoint to the next: a time, or "best", which the command finds.
StudyFlag interval_flag() {
  StudyFlag interval = text_flag("checkpoint_every", "--checkpoint-every");
  interval.type = FlagType::time;
  interval.choices = {"best"};
  return interval;
}

/// A time, which the command checks further.
StudyFlag time_flag(std::string key, std::string word) {
  return text_flag(std::move(key), std::move(word), [](const std::string& text) {
    if (base::looks_dimensional(text) &&
        base::parse_dimensional(text, whole(text)).kind == base::Dimensional::Kind::duration) {
      return;
    }
    throw base::InputError(fmt::format("'{}' is no time", text), "such as '10 ms'");
  });
}

std::vector<StudyFlag> serve_flags() {
  constexpr std::int64_t most = 1'000'000'000;
  return {argument("workload", FlagType::text),
          file_flag("machine", "--machine"),
          text_flag("slice", "--slice", check_slice),
          choice("compiler", "--compiler", sw::driver::compiler_names()),
          text_flag("mesh", "--mesh", check_mesh),
          file_flag("sharding", "--sharding"),
          toggle("windowed_einsum", "--windowed-einsum"),
          text_flag("rate", "--rate"),
          number_flag("cv", "--cv"),
          time_flag("seconds", "--seconds"),
          count("requests", "--requests", 1, most),
          file_flag("trace", "--trace"),
          text_flag("lengths", "--lengths"),
          count("prompt", "--prompt", 1, most),
          count("answer", "--answer", 1, most),
          number_flag("reuse", "--reuse"),
          number_flag("urgent", "--urgent"),
          seed_flag(),
          count("replicas", "--replicas", 1, most),
          count("decode_replicas", "--decode-replicas", 1, most),
          choice("router", "--router", {"round_robin", "least_loaded", "shared"}),
          text_flag("transfer_rate", "--transfer-rate"),
          time_flag("transfer_latency", "--transfer-latency"),
          time_flag("between_stops", "--between-stops"),
          time_flag("repair", "--repair"),
          count("max_batch", "--max-batch", 1, most),
          count("chunk", "--chunk", 0, most),
          count("page", "--page", 1, most),
          count("cache_tokens", "--cache-tokens", 1, max_bytes),
          choice("cached", "--cached", {"mean", "longest"}),
          number_flag("expert_skew", "--expert-skew"),
          text_flag("draft", "--draft"),
          count("draft_tokens", "--draft-tokens", 1, 64),
          number_flag("accept", "--accept"),
          time_flag("batch_timeout", "--batch-timeout"),
          time_flag("step_overhead", "--step-overhead"),
          text_flag("slo", "--slo"),
          time_flag("warm_up", "--warm-up")};
}

std::vector<StudyFlag> goodput_flags() {
  std::vector<StudyFlag> flags = job_flags();
  std::erase_if(flags, [](const StudyFlag& flag) {
    constexpr std::array<std::string_view, 9> of_steps{"loop",       "fault",     "fault_seed", "train", "loss",
                                                       "parameters", "precision", "costs",      "trips"};
    return std::ranges::find(of_steps, flag.key) != of_steps.end();
  });
  flags.insert(flags.end(),
               {number_flag("days", "--days"), count("seeds", "--seeds", 1, 100'000), seed_flag(), interval_flag(),
                count("spares", "--spares", 0, 65'536), choice("without_spare", "--without-spare", {"reslice", "wait"}),
                choice("checks", "--checks", {"on", "off"})});
  return flags;
}

std::vector<StudyFlag> collective_flags() {
  StudyFlag kind = argument("kind", FlagType::choice);
  for (sw::collectives::CollectiveKind of : sw::collectives::collective_kinds)
    kind.choices.emplace_back(sw::collectives::to_string(of));
  StudyFlag bytes = text_flag("bytes", "--bytes");
  bytes.type = FlagType::bytes;
  return {kind,
          bytes,
          file_flag("machine", "--machine"),
          text_flag("slice", "--slice", check_slice),
          text_flag("groups", "--groups"),
          choice("algorithm", "--algorithm", algorithm_names()),
          choice("network", "--network", {"message", "packet"}),
          choice("dtype", "--dtype", {"bf16", "f32"}),
          choice("fold", "--fold", {"on", "off"}),
          fault_flag(),
          count("seed", "--seed", 0, max_bytes),
          toggle("verify", "--verify")};
}

void check_whole(const StudyFlag& flag, const std::string& text) {
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string range = fmt::format("between {} and {}", flag.least, flag.most);
  if (error == std::errc::invalid_argument || rest != text.data() + text.size()) {
    throw base::InputError(fmt::format("'{}' is not a whole number", text), range);
  }
  if (error != std::errc() || number < flag.least || number > flag.most) {
    throw base::InputError(fmt::format("{} is out of range of '{}'", text, flag.key), range);
  }
}

void check_number(const std::string& text) {
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number < 0) {
    throw base::InputError(fmt::format("'{}' is not a number from 0", text));
  }
}

void check_choice(const StudyFlag& flag, const std::string& text) {
  if (std::ranges::find(flag.choices, text) != flag.choices.end()) return;
  const std::string nearest = base::did_you_mean(text, flag.choices);
  throw base::InputError(fmt::format("'{}' is no value of '{}'", text, flag.key),
                         nearest.empty() ? fmt::format("one of: {}", fmt::join(flag.choices, ", ")) : nearest);
}

void check_bytes(const std::string& text) {
  double bytes = 0;
  if (!text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    bytes = std::stod(text);
  } else {
    const base::Dimensional value = base::parse_dimensional(text, whole(text));
    if (value.kind == base::Dimensional::Kind::bytes) bytes = value.si;
  }
  if (!(bytes >= 1 && bytes <= double(max_bytes))) {
    throw base::InputError(fmt::format("'{}' is not an amount of data from 1 B to 1 TiB", text));
  }
}

void check_time(const StudyFlag& flag, const std::string& text) {
  if (std::ranges::find(flag.choices, text) != flag.choices.end()) return;
  const bool is_time = base::looks_dimensional(text) &&
                       base::parse_dimensional(text, whole(text)).kind == base::Dimensional::Kind::duration;
  if (is_time) return;
  throw base::InputError(fmt::format("'{}' is no time", text),
                         fmt::format("such as '30 min', or {}", fmt::join(flag.choices, ", ")));
}

}  // namespace

const std::vector<StudyFlag>& study_flags(std::string_view command) {
  static const std::map<std::string_view, std::vector<StudyFlag>> flags{{"run", run_flags()},
                                                                        {"train", train_flags()},
                                                                        {"collective", collective_flags()},
                                                                        {"goodput", goodput_flags()},
                                                                        {"serve", serve_flags()}};
  return flags.at(command);
}

const StudyFlag* find_flag(std::string_view command, std::string_view key) {
  const auto& flags = study_flags(command);
  const auto found = std::ranges::find(flags, key, &StudyFlag::key);
  return found == flags.end() ? nullptr : &*found;
}

void check_flag_value(const StudyFlag& flag, const std::string& text) {
  if (flag.type == FlagType::whole) check_whole(flag, text);
  if (flag.type == FlagType::number) check_number(text);
  if (flag.type == FlagType::choice) check_choice(flag, text);
  if (flag.type == FlagType::bytes) check_bytes(text);
  if (flag.type == FlagType::time) check_time(flag, text);
  if (flag.check) flag.check(text);
}

std::vector<std::string> required_flags(std::string_view command) {
  if (command == "collective") return {"kind", "bytes", "slice"};
  return {"workload"};
}

std::span<const std::string_view> study_commands() {
  static constexpr std::array<std::string_view, 5> commands{"run", "train", "collective", "goodput", "serve"};
  return commands;
}

std::span<const std::string_view> output_flags() { return of_single_runs; }

}  // namespace podsim::studies::plan
