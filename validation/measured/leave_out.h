// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/config.h"

namespace podsim::validation::measured {

/// A parameter of the machine that a fit may change: its evidence is "measured".
struct FittedParameter {
  std::string key;
  std::string shipped;               ///< value in the machine file
  std::string in_sample;             ///< value fitted to all sources
  std::vector<std::string> told_by;  ///< sources whose error moves by 0.1 points or more at half or twice its value
};

/// A source that was left out of the fit. Errors are those of the source.
struct LeftOut {
  std::string source;
  double shipped = 0, in_sample = 0, left_out = 0;
  /// The largest error with any parameter that this source alone tells at half, once and twice its value: the others
  /// do not tell which of them it is.
  double at_worst = 0;
  std::vector<std::string> values;  ///< of each parameter, fitted to the other sources
};

struct LeaveOut {
  std::string folder;
  std::vector<FittedParameter> parameters;
  std::vector<LeftOut> sources;
  std::size_t evaluations = 0;  ///< of a source under a set of values
  double wall_s = 0;            ///< host time
};

/// Fits every measured parameter of the machines to all sources of `folder`, and then to all but one, for each of
/// `names`, into `result`. `configure` returns the configuration of a machine by its name. A fit is deterministic:
///
///   - The error of a source is that of its points, weighted by their time if it is a profile; of mobile networks every
///     eighth is taken. The mean over the sources, each of the same weight, is made small.
///   - A step of a parameter is a factor of 2^(1/4) on its value in every machine, within a quarter and four times it.
///   - From the values of the machine file on, every parameter in turn goes up or down by four steps if that helps, as
///     long as any does; then by two and by one (coordinate descent).
///   - A parameter that does not change a source at half and at twice its value is taken not to act on it.
///
/// Throws base::InputError for a name that no source has.
void leave_out(const std::string& folder, const std::vector<std::string>& names,
               const std::function<base::Config(const std::string&)>& configure, LeaveOut& result,
               const std::function<void(double)>& progress = {});

std::string leave_out_text(const LeaveOut& result);
std::string leave_out_json(const LeaveOut& result);

}  // namespace podsim::validation::measured
