// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "hw/bundle/bundle_run.h"

namespace podsim::report {

/// Lists the bundles of a run in the order in which they issued: cycle, length and cause of the wait, address, source
/// line, text. Each issue is a line, so the bundles of a loop appear once per iteration. A label is above its bundle.
///
///     cycle  wait  for        address  line  bundle
///         0                         0     6  { s.mov s1, 4 }
///       214   206  sync_flag        9    15  { sync.wait 1, 1 }
class KernelListing {
 public:
  /// `program` must outlive the listing.
  explicit KernelListing(const hw::isa::Program& program);
  void add(const hw::bundle::IssueRecord& record);
  /// The lines added so far.
  const std::string& text() const { return text_; }

 private:
  struct Disassembled {
    hw::isa::Bundle bundle;
    std::string text;
  };
  const std::string& disassembled(const hw::bundle::IssueRecord& record);
  std::string line_of(std::uint32_t address) const;

  const hw::isa::Program& program_;
  std::multimap<std::uint32_t, std::string> labels_;  ///< by address
  std::map<std::uint32_t, Disassembled> bundles_;     ///< an overlay may replace one
  std::string text_;
};

}  // namespace podsim::report
