// SPDX-License-Identifier: Apache-2.0
#include "app/serve/serve_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "app/options/file_option.h"
#include "app/options/flag_values.h"
#include "base/diagnostic.h"
#include "base/dimensional.h"
#include "base/host/arguments.h"
#include "workloads/serving/load.h"
#include "workloads/serving/token_lengths.h"

namespace podsim::app::serve {

namespace model = workloads::serving;

namespace {

using Kind = base::Dimensional::Kind;

constexpr std::int64_t most_tokens = 10'000'000, most_replicas = 4096, most_sequences = 1 << 20;
constexpr std::int64_t most_drafted = 64;  ///< so that the least number of keys holds them
constexpr double most_rate = 1e7, most_seconds = 1e7;

double serving_quantity(const char* flag, const std::string& text, Kind kind, double most, const char* example) {
  const base::Dimensional value = base::parse_dimensional(text, base::host::argument_location(flag, text));
  base::host::locate_errors(flag, text, [&] {
    if (value.kind == kind && value.si <= most) return;
    throw base::InputError(fmt::format("'{}' is not {} up to {:g}", text, base::to_string(kind), most), example);
  });
  return value.si;
}

void add_whole(CLI::App& command, const char* flag, std::optional<std::int64_t>& value, std::int64_t least,
               std::int64_t most, const char* help) {
  command
      .add_option_function<std::string>(
          flag,
          [&value, flag, least, most](const std::string& text) {
            value = base::host::parse_whole_number(flag, text, least, most);
          },
          help)
      ->option_text("N");
}

void add_share(CLI::App& command, const char* flag, std::optional<double>& value, const char* help) {
  command
      .add_option_function<std::string>(
          flag,
          [&value, flag](const std::string& text) { value = serving_number(flag, text, "", 0, 1, "a share of one"); },
          help)
      ->option_text("SHARE");
}

std::vector<std::string> trace_names() {
  std::vector<std::string> names;
  for (const model::PublishedTrace& trace : model::published_traces()) names.push_back(trace.name);
  return names;
}

void add_lengths(CLI::App& command, ServeOptions& options) {
  command
      .add_option_function<std::string>(
          "--lengths",
          [&options](const std::string& text) {
            const std::vector<std::string> names = trace_names();
            options.lengths = names[base::host::parse_choice("--lengths", text, "a published trace", names)];
          },
          "Prompts and answers as long as in a published trace, drawn\nindependently; with its rate and burstiness "
          "unless --rate\nand --cv say otherwise")
      ->type_name(options::alternatives(trace_names()))
      ->option_text("NAME");
  add_whole(command, "--prompt", options.prompt, 1, most_tokens, "Tokens of every prompt [512]");
  add_whole(command, "--answer", options.answer, 1, most_tokens, "Tokens of every answer [128]");
  add_share(command, "--reuse", options.reuse,
            "Share of the prompts' tokens that are in the cache already,\nin whole pages [that of the trace; 0]");
}

}  // namespace

void add_time(CLI::App& command, const char* flag, const std::function<void(base::Duration)>& take, const char* help) {
  command
      .add_option_function<std::string>(
          flag,
          [flag, take](const std::string& text) {
            take(base::Duration(serving_quantity(flag, text, Kind::duration, most_seconds, "such as '10 ms'")));
          },
          help)
      ->option_text("TIME");
}

double serving_number(const char* flag, const std::string& text, const std::string& suffix, double least, double most,
                      const char* what) {
  std::string_view number = text;
  if (!suffix.empty() && number.ends_with(suffix)) number.remove_suffix(suffix.size());
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  base::host::locate_errors(flag, text, [&] {
    if (is_number && value >= least && value <= most) return;
    throw base::InputError(fmt::format("'{}' is not {}", text, what), fmt::format("from {:g} to {:g}", least, most));
  });
  return value;
}

void add_load_flags(CLI::App& command, ServeOptions& options) {
  command
      .add_option_function<std::string>(
          "--rate",
          [&options](const std::string& text) {
            options.rate = serving_number("--rate", text, "/s", 1e-6, most_rate, "a number of requests per second");
          },
          "Requests per second, such as 8/s [that of the trace]")
      ->option_text("N/s");
  command
      .add_option_function<std::string>(
          "--cv",
          [&options](const std::string& text) {
            options.cv = serving_number("--cv", text, "", 0, 100, "a coefficient of variation");
          },
          "Coefficient of variation of the gaps between requests:\n1 is Poisson, 0 constant, above 1 they come in "
          "bursts [1]")
      ->option_text("CV");
  add_time(
      command, "--seconds", [&options](base::Duration time) { options.seconds = time; },
      "Time in which requests arrive, such as '10 min' [600 s]");
  add_whole(command, "--requests", options.requests, 1, model::most_requests,
            "Requests that arrive [as many as in the time]");
  options::add_file_option(command, "--trace", options.trace,
                           "Requests of a file: CSV with arrival_s, input and output, or\nthe forms of Azure's and "
                           "Mooncake's traces; --rate scales\nits times");
  add_lengths(command, options);
  add_share(command, "--urgent", options.urgent, "Share of requests that are served before the others [0]");
  command
      .add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            options.seed =
                std::uint64_t(base::host::parse_whole_number("--seed", text, 0, std::numeric_limits<int>::max()));
          },
          "What is random follows from it [1]")
      ->option_text("N");
}

namespace {

void add_batch_flags(CLI::App& command, ServeOptions& options) {
  add_whole(command, "--max-batch", options.max_batch, 1, most_sequences,
            "Sequences of a replica's batch, or samples of a step, at\nmost [32; 16 a core without tokens]");
  add_whole(command, "--chunk", options.chunk, 0, most_tokens,
            "Tokens of prompts that a step reads, together with a token\nof each sequence; 0: a prompt has a step of "
            "its own [512;\n0 with --decode-replicas]");
  command
      .add_option_function<std::string>(
          "--expert-skew",
          [&options](const std::string& text) {
            options.expert_skew = serving_number("--expert-skew", text, "", 0, 10, "an exponent");
          },
          "Each expert of the model, not of the draft, has slots for the\ntokens of the busiest, the expert of rank r "
          "drawn with r^-Z\n[the model's slots]")
      ->option_text("Z");
  add_whole(command, "--page", options.page, 1, 65'536, "Tokens of a page of the cache [128]");
  add_whole(command, "--cache-tokens", options.cache_tokens, 1, 1'000'000'000'000,
            "Tokens that a replica's cache has room for [what the memory\nleaves]");
  static const std::vector<std::string> cached{"mean", "longest"};
  command
      .add_option_function<std::string>(
          "--cached",
          [&options](const std::string& text) {
            options.cached = model::CachedTokens(base::host::parse_choice("--cached", text, "a choice", cached));
          },
          "What attention reads for each sequence of a batch. mean: the\npages of each; longest: as many as the "
          "longest has [mean]")
      ->type_name(options::alternatives(cached));
  add_time(
      command, "--batch-timeout", [&options](base::Duration time) { options.batch_timeout = time; },
      "How long a sample waits for a whole batch [0 s: a step\nbegins as soon as the slice is free]");
  add_time(
      command, "--step-overhead", [&options](base::Duration time) { options.step_overhead = time; },
      "Time of the host for each step, before it begins [0 s]");
}

void add_draft_flags(CLI::App& command, ServeOptions& options) {
  command
      .add_option("--draft", options.draft,
                  "A smaller model of the same slice that drafts tokens, which\nthe model checks in one step [none]")
      ->option_text("WORKLOAD");
  command
      .add_option_function<std::vector<std::string>>(
          "--draft-set",
          [&options](const std::vector<std::string>& assignments) {
            for (const std::string& text : assignments) {
              const std::size_t equals = text.find('=');
              base::host::locate_errors("--draft-set", text, [&] {
                if (text.starts_with("model.") && equals != std::string::npos) return;
                throw base::InputError(fmt::format("'{}' is no setting of a model", text), "model.layers=6");
              });
              options.draft_settings[text.substr(0, equals)] = text.substr(equals + 1);
            }
          },
          "Change a setting of the model that drafts, such as\nmodel.layers=6; may be repeated")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
  add_whole(command, "--draft-tokens", options.draft_tokens, 1, most_drafted, "Tokens that it drafts for a step [4]");
  command
      .add_option_function<std::string>(
          "--accept",
          [&options](const std::string& text) {
            options.accept = serving_number("--accept", text, "", 0, 1, "a probability");
          },
          "Probability that a drafted token is accepted, each for\nitself")
      ->option_text("P");
}

void add_replica_flags(CLI::App& command, ServeOptions& options) {
  command
      .add_option_function<std::string>(
          "--replicas",
          [&options](const std::string& text) {
            options.replicas = base::host::parse_whole_number("--replicas", text, 1, most_replicas);
          },
          "Slices that serve, each with a copy of the model [1]")
      ->option_text("N");
  command
      .add_option_function<std::string>(
          "--decode-replicas",
          [&options](const std::string& text) {
            options.decode_replicas = base::host::parse_whole_number("--decode-replicas", text, 1, most_replicas);
          },
          "Further slices that make tokens; those of --replicas read\nprompts, and send them the caches [none]")
      ->option_text("N");
  static const std::vector<std::string> routers{"round_robin", "least_loaded", "shared"};
  command
      .add_option_function<std::string>(
          "--router",
          [&options](const std::string& text) {
            options.router = model::Router(base::host::parse_choice("--router", text, "a router", routers));
          },
          "Who gets a request: the replicas in turns, the one with the\nfewest, or the first with room out of one "
          "queue\n[least_loaded; shared without tokens]")
      ->type_name(options::alternatives(routers))
      ->option_text("ROUTER");
  command
      .add_option_function<std::string>(
          "--transfer-rate",
          [&options](const std::string& text) {
            const double rate = serving_quantity("--transfer-rate", text, Kind::bandwidth, 1e15, "such as '12.5 GB/s'");
            if (rate <= 0) throw base::InputError("--transfer-rate is above 0");
            options.transfer_rate = base::Bandwidth(rate);
          },
          "Of a replica's network port, which sends one cache at a time\nand receives one [12.5 GB/s, assumed]")
      ->option_text("RATE");
  add_time(
      command, "--transfer-latency", [&options](base::Duration time) { options.transfer_latency = time; },
      "Until the first byte of a cache is there [1 ms, assumed]");
  add_time(
      command, "--between-stops",
      [&options](base::Duration time) {
        if (time.si() <= 0) throw base::InputError("--between-stops is above 0");
        options.between_stops = time;
      },
      "Mean time from which a replica works until it stops [never]");
  add_time(
      command, "--repair", [&options](base::Duration time) { options.repair = time; },
      "Until a replica that stopped is back [60 s, assumed]");
}

}  // namespace

void add_server_flags(CLI::App& command, ServeOptions& options) {
  add_replica_flags(command, options);
  add_batch_flags(command, options);
  add_draft_flags(command, options);
}

}  // namespace podsim::app::serve
