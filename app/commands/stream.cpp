// SPDX-License-Identifier: Apache-2.0
// Part of app/commands/commands.h.
#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/popularity_svg.h"
#include "app/options/file_option.h"
#include "app/options/limit_option.h"
#include "base/host/arguments.h"
#include "base/host/host_clock.h"
#include "base/host/interrupt.h"
#include "base/host/output_file.h"
#include "base/host/standard_output.h"
#include "base/progress.h"
#include "workloads/streams/stream_report.h"

namespace podsim::app::commands {
namespace {

namespace streams = workloads::streams;

constexpr std::int64_t max_interactions = 100'000'000'000;
constexpr std::int64_t max_stream_seed = std::numeric_limits<std::int64_t>::max();

struct StreamCommand {
  std::int64_t interactions = 100'000'000, batch = 32768, shards = 64;
  streams::SeedOptions seed;
  bool json = false;
  std::string svg;
};

/// Figures of both tables, and their curves for the chart.
std::vector<streams::StreamReport::Table> tables_of(const std::string& origin, const streams::StreamCounts& counts,
                                                    std::int64_t shards, std::vector<PopularityCurve>& curves) {
  std::vector<streams::StreamReport::Table> tables;
  for (const auto& [name, table] : {std::pair("users", &counts.users), std::pair("items", &counts.items)}) {
    tables.push_back(streams::table_figures(name, *table, shards));
    curves.push_back(popularity_curve(std::string(name) + " of the " + origin, table->lookups));
  }
  return tables;
}

void run_stream(const StreamCommand& command) {
  base::host::throw_on_interrupt();
  const auto begin = base::host::HostClock::now();
  streams::StreamReport report;
  report.seed = command.seed;
  report.shards = command.shards;
  std::vector<PopularityCurve> curves;
  const streams::InteractionSeed seed = streams::interaction_seed(command.seed);
  report.seed_s = base::host::seconds_since(begin);
  const streams::FractalExpansion expansion(seed, report.expansion);
  report.users = expansion.users();
  report.items = expansion.items();
  report.expected_interactions = expansion.expected_interactions();
  report.singular_values = streams::singular_values(expansion.reduced());
  const auto batch_of = [&](std::int64_t factor) { return std::max<std::int64_t>(1, command.batch / factor); };
  report.seed_tables = tables_of(
      "seed",
      streams::seed_counts(seed, batch_of(report.expansion.user_factor), batch_of(report.expansion.item_factor)),
      command.shards, curves);
  const auto stream_begin = base::host::HostClock::now();
  base::Progress progress("streaming");
  streams::InteractionStream stream(expansion);
  const streams::StreamCounts counts =
      streams::stream_counts(expansion, stream, command.interactions, command.batch, [&](std::int64_t done) {
        base::host::end_if_interrupted();
        progress.update(double(done) / double(command.interactions));
      });
  report.streamed = counts.interactions;
  report.stream_s = base::host::seconds_since(stream_begin);
  report.tables = tables_of("expansion", counts, command.shards, curves);
  report.wall_s = base::host::seconds_since(begin);
  if (!command.svg.empty()) base::host::write_file(command.svg, popularity_svg(curves));
  base::host::print_result(command.json ? streams::stream_json(report) : streams::stream_text(report));
}

void add_stream_number(CLI::App& command, const std::string& flag, std::int64_t& value, std::int64_t most,
                       const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [flag, most, &value](const std::string& text) {
            value = base::host::parse_whole_number(flag, text, 1, most);
          },
          help)
      ->option_text("N");
}

}  // namespace

void add_stream(CLI::App& program) {
  auto options = std::make_shared<StreamCommand>();
  CLI::App* command =
      program.add_subcommand("stream", "Stream look-ups of a recommender and count how popular rows are")
          ->group("Commands");
  add_stream_number(*command, "--interactions", options->interactions, max_interactions,
                    "Of users with items, to stream and count [100000000]");
  add_stream_number(
      *command, "--batch", options->batch, 1 << 30,
      "Look-ups of a table in which duplicates are counted; in the\nseed as many times fewer as it has rows "
      "fewer [32768]");
  add_stream_number(*command, "--shards", options->shards, 1 << 20, "Chips over which rows are dealt in turn [64]");
  command
      ->add_option_function<std::string>(
          "--seed",
          [options](const std::string& text) {
            options->seed.seed = std::uint64_t(base::host::parse_whole_number("--seed", text, 0, max_stream_seed));
          },
          "Of all random numbers [1]")
      ->option_text("N");
  options::add_limit_option(*command);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  options::add_file_option(*command, "--svg", options->svg, "Look-ups of a row by its rank, in a chart");
  command->footer(R"(Examples:
  podsim stream
  podsim stream --interactions 1200000000 --batch 65536 --shards 2048
  podsim stream --svg popularity.svg --json)");
  command->callback([options] { run_stream(*options); });
}

}  // namespace podsim::app::commands
