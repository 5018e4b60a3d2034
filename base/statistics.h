// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

/// Named counters with a unit and a description. Modules count; printing is separate.
namespace podsim::base {

class Statistic {
 public:
  Statistic(std::string name, std::string unit, std::string description)
      : name_(std::move(name)), unit_(std::move(unit)), description_(std::move(description)) {}
  void add(std::int64_t amount) { value_ += amount; }
  std::int64_t value() const { return value_; }
  const std::string& name() const { return name_; }
  const std::string& unit() const { return unit_; }
  const std::string& description() const { return description_; }

 private:
  std::string name_, unit_, description_;
  std::int64_t value_ = 0;
};

/// Owns statistics. References are valid for its lifetime. Names are dotted paths and unique.
class StatisticSet {
 public:
  /// std::logic_error if the name is taken.
  Statistic& add(std::string name, std::string unit, std::string description);
  const Statistic* find(std::string_view name) const;  ///< null if there is none
  auto begin() const { return statistics_.begin(); }
  auto end() const { return statistics_.end(); }
  /// One line each: name, value, unit, description, aligned.
  void write_text(std::ostream& out) const;

 private:
  std::deque<Statistic> statistics_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace podsim::base
