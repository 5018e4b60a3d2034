// SPDX-License-Identifier: Apache-2.0
#include "report/kernel_listing.h"

#include <fmt/format.h>

#include <iterator>

#include "hw/isa/pasm/assembler.h"

namespace podsim::report {
namespace {

constexpr const char* columns = "{:>9}  {:>6}  {:<15}  {:>7}  {:>5}  {}\n";

}  // namespace

KernelListing::KernelListing(const hw::isa::Program& program) : program_(program) {
  for (const auto& [name, address] : program.labels) labels_.emplace(address, name);
  text_ = fmt::format(columns, "cycle", "wait", "for", "address", "line", "bundle");
}

void KernelListing::add(const hw::bundle::IssueRecord& record) {
  const auto [first, last] = labels_.equal_range(record.address);
  for (auto label = first; label != last; ++label) {
    fmt::format_to(std::back_inserter(text_), columns, "", "", "", "", "", label->second + ":");
  }
  const bool waited = record.stalled > base::Cycles(0);
  fmt::format_to(std::back_inserter(text_), columns, record.cycle.value(),
                 waited ? std::to_string(record.stalled.value()) : "",
                 waited ? hw::bundle::to_string(record.reason) : "", record.address, line_of(record.address),
                 disassembled(record));
}

const std::string& KernelListing::disassembled(const hw::bundle::IssueRecord& record) {
  const auto known = bundles_.find(record.address);
  if (known != bundles_.end() && known->second.bundle == record.bundle) return known->second.text;
  Disassembled& entry = bundles_[record.address];
  entry = {record.bundle, hw::isa::pasm::disassemble(record.bundle, &program_)};
  return entry.text;
}

/// The source line of a bundle of the segment that is at this address when the program begins.
std::string KernelListing::line_of(std::uint32_t address) const {
  for (std::size_t i = 0; i < program_.segments.size() && i < program_.lines.size(); ++i) {
    const hw::isa::Segment& segment = program_.segments[i];
    const std::uint32_t offset = address - segment.address;
    if (segment.overlay || address < segment.address || offset >= program_.lines[i].size()) continue;
    return std::to_string(program_.lines[i][offset]);
  }
  return "";
}

}  // namespace podsim::report
