// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "studies/plan/study.h"

namespace podsim::studies::plan {

/// The configurations of the machines that points name, each read once.
class MachineCache {
 public:
  /// `folder` is where machine files are found. get() throws base::InputError as machine_config() does.
  explicit MachineCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const base::Config& get(const std::string& name);

 private:
  std::filesystem::path folder_;
  std::map<std::string, base::Config> machines_;
};

bool is_built_in_machine(const std::string& name);

/// Folder of the study's file; paths in the file are relative to it.
std::filesystem::path study_folder(const Study& study);
/// Path of a file that the study names.
std::filesystem::path study_file(const std::filesystem::path& folder, const std::string& written);

/// The settings of one point: axes have precedence over derived values, and these over the base.
class PointSettings {
 public:
  PointSettings(const Study& study, std::span<const StudyValue> axes, std::span<const StudyValue> derived)
      : study_(study), axes_(axes), derived_(derived) {}

  /// nullptr if the point does not set the key.
  const StudyValue* find(std::string_view key) const;
  /// The text of a key; `otherwise` if the point does not set it.
  std::string text(std::string_view key, std::string_view otherwise = "") const;
  std::string machine() const { return text("machine", "tpu-v3"); }
  /// Chips per dimension; empty if a file or mesh determines them.
  std::vector<std::int64_t> slice() const;

 private:
  const Study& study_;
  std::span<const StudyValue> axes_, derived_;
};

/// The value of a machine's key in SI units; std::nullopt if it is not a number.
std::optional<double> number_of(const base::ConfigEntry& entry);

/// The number that a name in an expression has at a point: a value that the point sets, chips, cores, slice_x, slice_y,
/// slice_z, a value of the machine, or the default of a key of the workload. std::nullopt if the name has no number.
std::optional<double> point_variable(const PointSettings& point, const std::string& name, MachineCache& machines);

/// Names for suggestions: all that point_variable() accepts at some point of the study.
std::vector<std::string> variable_names(const Study& study, const base::Config& machine);

}  // namespace podsim::studies::plan
