// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.h"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>
#include <utility>

#include "base/text/text_table.h"

namespace podsim::base {

Statistic& StatisticSet::add(std::string name, std::string unit, std::string description) {
  if (!index_.emplace(name, statistics_.size()).second) {
    throw std::logic_error(fmt::format("statistic '{}' is declared twice", name));
  }
  return statistics_.emplace_back(std::move(name), std::move(unit), std::move(description));
}

const Statistic* StatisticSet::find(std::string_view name) const {
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &statistics_[found->second];
}

void StatisticSet::write_text(std::ostream& out) const {
  using Align = text::TextTable::Align;
  text::TextTable table({Align::left, Align::right, Align::left, Align::left});
  for (const Statistic& statistic : statistics_) {
    table.row({statistic.name(), fmt::format("{}", statistic.value()), statistic.unit(), statistic.description()});
  }
  out << table.text();
}

}  // namespace podsim::base
