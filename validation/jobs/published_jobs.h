// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Published loops, trainings and starts of jobs on TPU v3, with the commands that simulate them: `podsim validate
/// jobs`.
namespace podsim::validation::jobs {

enum class JobKind { loop, training, start };

/// A published figure of a job.
struct PublishedJob {
  JobKind kind = JobKind::loop;
  std::string network;  ///< "resnet50"
  std::string slice;    ///< "16x16"
  double seconds = 0;
  std::string source;
  bool used = false;                      ///< a key of the machine or a number of epochs was derived from it
  std::vector<std::string> command = {};  ///< the arguments of podsim, "run" or "train" first

  /// Where the command's JSON has the figure, in seconds.
  const char* pointer() const;
};

/// A published figure and what its command gave.
struct SimulatedJob {
  PublishedJob published;
  std::optional<double> seconds;
  std::string problem = {};  ///< why there is no time
};

/// All figures: loops, trainings (published_runs()), starts.
std::vector<PublishedJob> published_jobs();

/// simulated / published - 1; 0 if it was not simulated.
double error_of(const SimulatedJob& job);

/// A line per figure, the mean size of the errors of each kind where nothing was derived from the figure, and the
/// commands.
std::string jobs_text(const std::vector<SimulatedJob>& jobs);
std::string jobs_json(const std::vector<SimulatedJob>& jobs);
std::string jobs_csv(const std::vector<SimulatedJob>& jobs);

}  // namespace podsim::validation::jobs
