// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Published figures of failures over days, and the model of `podsim goodput` with the rates of their sources: `podsim
/// validate faults`.
namespace podsim::validation::jobs {

struct FaultFigure {
  std::string figure;          ///< "interruptions of a job of 2048 hosts in 54 days"
  std::string source;          ///< "Llama 3 report"
  std::string published;       ///< "466", "more than 90 %"
  double least = 0, most = 0;  ///< what agrees with it: its range, or the spread of what was drawn
  double simulated = 0;
  std::string unit;      ///< "%", "a day"; empty for counts
  std::string rests_on;  ///< the rate that was put in, and what is assumed
  bool agrees() const { return simulated >= least && simulated <= most; }
};

/// All figures, simulated. They take less than a second.
std::vector<FaultFigure> fault_figures();

/// A line per figure, and below what each rests on.
std::string faults_text(const std::vector<FaultFigure>& figures);
std::string faults_json(const std::vector<FaultFigure>& figures);

}  // namespace podsim::validation::jobs
