// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Published training steps of whole networks, training_steps.csv, with the commands that simulate them: `podsim
/// validate steps`.
namespace podsim::validation::measured::published {

/// A row of training_steps.csv.
struct PublishedStep {
  std::string network;     ///< "resnet50"
  std::string generation;  ///< "v3"
  std::string slice;       ///< "16x16"
  std::int64_t chips = 0;
  std::string batch;  ///< as published: "8192", "1M tokens"; may be empty
  std::string partitioning;
  std::string contains;  ///< "train + amortised eval"
  std::string source;    ///< "MLPERF v0.6 tpu-v3-32"; may be empty
  double min_s = 0;      ///< the published time; both ends of a bracket
  double max_s = 0;
  /// The arguments of podsim, "run" first; empty if no workload is the published network.
  std::vector<std::string> command = {};
  std::string reason = {};  ///< why there is no command
};

/// A published step and what its command gave.
struct SimulatedStep {
  PublishedStep published;
  std::optional<double> step_s;
  std::string problem = {};  ///< why there is no time
  /// What the products of a core's program take at the matrix units' peak.
  double products_s = 0;
};

/// True if the step is published as faster than the products of our program at the peak, so that another program ran:
/// its error says nothing of the model, and is in no median and no bias.
bool is_other_program(const SimulatedStep& step);

struct SimulatedSteps {
  std::string file;
  std::vector<SimulatedStep> steps;
  std::vector<SimulatedStep> between = {};  ///< on chips in between (scaling_lines.h), for charts
  double wall_s = 0;                        ///< host time
};

/// Reads training_steps.csv, with the columns workload, generation, chips, topology, global_batch, partitioning,
/// step_ms ("130.9", or a bracket "160 to 178") and what, and if there is one, source. A bad field is an InputError
/// with its location.
std::vector<PublishedStep> published_steps(const std::string& file, std::string_view text);

/// Sets the command of a step, from its own columns and what is published of their source (submission.h), or the reason
/// for which there is none.
void choose_command(PublishedStep& step);

/// simulated / published - 1; against the nearer end outside of a bracket, 0 inside of it.
double error_of(const SimulatedStep& step);

/// A line per row: published and simulated time, error, the share of the published time that products take at the peak,
/// what the published figure contains, and below the table median, bias (the mean error), both by the year of the
/// software (software_year.h), the commands, and the reasons of the rows that are not simulated.
std::string steps_text(const SimulatedSteps& steps);
std::string steps_json(const SimulatedSteps& steps);
std::string steps_csv(const SimulatedSteps& steps);

}  // namespace podsim::validation::measured::published
