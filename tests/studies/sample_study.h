// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "studies/store/study_results.h"
#include "studies/store/study_store.h"

/// Studies with metrics from formulas, written as databases without a sweep.
namespace podsim::studies {

struct SampleAxis {
  std::string name, unit;
  std::vector<std::pair<std::string, std::optional<double>>> values;  ///< text and number
  int group = 0;
};

/// The numbers of a point's axes, by name.
using SamplePlace = std::map<std::string, double>;

struct SampleStudy {
  std::string title = "A sample", question = "What does it show?";
  std::vector<SampleAxis> axes;  ///< the product of the groups, the last fastest
  std::vector<std::pair<std::string, std::function<double(const SamplePlace&)>>> derived;
  /// Name, unit and formula. A point lacks the metric if the formula gives no number.
  struct Metric {
    std::string name;
    std::function<double(const SamplePlace&)> value;
  };
  std::vector<Metric> metrics;
  std::function<bool(const SamplePlace&)> fails = [](const SamplePlace&) { return false; };
  plan::StudyReport report;
  std::int64_t baseline = 0;  ///< position
};

/// Texts with their numbers, "64" and 64.
SampleAxis numbers(const std::string& name, const std::vector<double>& values, int group);
/// Texts without numbers.
SampleAxis words(const std::string& name, const std::vector<std::string>& values, int group);

/// Writes the database; the id of the point at position 7 is "p0007".
void write_sample(const SampleStudy& study, const std::filesystem::path& file);

/// Step time of 16 points: chips 4 to 32, links of 41 and 82 GB/s, batches of 64 and 128:
/// batch / 1000 + 0.8 / (link / 10^9) + 0.001 log2(chips) seconds, of which the batch's part is compute. The point of
/// 32 chips and the slow link fails with the larger batch.
SampleStudy link_study();

/// A file that is removed with its folder.
class SampleFile {
 public:
  explicit SampleFile(const SampleStudy& study);
  ~SampleFile();
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  store::StudyResults results() const { return store::read_study_results(path_); }

 private:
  std::filesystem::path folder_, path_;
};

}  // namespace podsim::studies
