// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace podsim::workloads::job {

/// What a part of a job does for a while.
struct JobSpan {
  std::string group, lane;  ///< "job" and "device", or "host 0" and "decode"
  std::string name;         ///< "step 3"
  base::Time begin, end;
};

/// What happens in a job, by lanes, for a timeline. The first `most` spans of each lane are kept.
class JobRecord {
 public:
  static constexpr std::size_t most = 400;

  /// Adds a span, unless it has no length or its lane is full.
  void add(const std::string& group, const std::string& lane, std::string name, base::Time begin, base::Time end) {
    if (end <= begin || ++counts_[{group, lane}] > most) return;
    spans_.push_back({group, lane, std::move(name), begin, end});
  }
  const std::vector<JobSpan>& spans() const { return spans_; }
  void set_end(base::Time end) { end_ = end; }
  /// When all ended that was to be recorded, full lanes included.
  base::Time end() const { return end_; }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;
  std::vector<JobSpan> spans_;
  base::Time end_;
};

}  // namespace podsim::workloads::job
