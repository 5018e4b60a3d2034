// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "studies/plan/study.h"
#include "studies/plan/study_flags.h"
#include "workloads/workload.h"

namespace podsim::studies::plan {

/// The keys that the points of a study may set: flags of its command, values of its machine, keys of its workloads.
class StudyKeys {
 public:
  /// `machine` supplies the schema of the machine's keys.
  StudyKeys(std::string command, base::Config machine, const std::vector<std::string>& workloads);

  const std::string& command() const { return command_; }
  const base::Config& machine() const { return machine_; }

  const StudyFlag* flag(std::string_view key) const { return find_flag(command_, key); }
  const base::ConfigEntry* machine_entry(std::string_view key) const;  ///< nullptr if it is not a key of the machine
  const workloads::ModelKey* model_key(
      std::string_view key) const;  ///< of the first workload with the key; nullptr if there is none
  bool known(std::string_view key) const;
  /// True for "model.NAME" where a workload is a function of a Python file, whose argument NAME it may be.
  bool is_argument(std::string_view key) const;

  /// SI unit of a key's numbers: "B/s", "s", ...; "" for plain numbers and texts.
  std::string unit(std::string_view key) const;
  /// True if the key takes numbers, with or without a unit.
  bool is_number(std::string_view key) const;
  bool is_whole(std::string_view key) const;
  /// Converts a number in SI units to a value of the key. Throws base::InputError, without a location, if the key takes
  /// no numbers or not this one.
  StudyValue value(const std::string& key, double number) const;

  /// Error message for a key that is not known().
  std::string unknown(std::string_view key) const;
  std::string hint(std::string_view key) const;

 private:
  std::string command_;
  base::Config machine_;
  std::vector<workloads::ModelKey> model_;
  bool takes_any_model_key_ = false;
};

/// Symbol of the SI unit; "" if there is none.
std::string si_unit(base::Dimensional::Kind kind);

/// `number` as text with at most 10 significant digits, which drops binary rounding errors; whole numbers are exact.
std::string number_text(double number);

}  // namespace podsim::studies::plan
