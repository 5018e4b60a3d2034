// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "hw/parts/counter.h"

namespace podsim::hw::parts::custom {

/// A key of the unit's section of the machine, a whole number: its value unless the machine file or --set has another.
struct CustomKey {
  std::string name;  ///< "interval_cycles"
  std::int64_t value = 0, least = 0, most = 0;
  std::string evidence = "assumed";  ///< published, measured, derived or assumed
  std::string source = {};           ///< the publication, measurement or reasoning behind the value
};
/// The values of the keys, in the order of keys().
using CustomValues = std::vector<std::int64_t>;

/// A unit of the core that a program adds to those of hw/core_units.h. Custom calls give it work: a price of a file
/// for --costs has the unit's name as a key. The texts of a unit stay the same as long as it lives.
class CustomUnit {
 public:
  virtual ~CustomUnit();

  /// Names its section, module, statistic, counts and the key of prices: "gather".
  virtual std::string_view name() const = 0;
  /// In reports: "gather unit".
  virtual std::string_view title() const = 0;
  /// What work is counted in: "rows".
  virtual std::string_view counted_in() const = 0;
  virtual std::vector<CustomKey> keys() const = 0;
  /// The law: time of `work` > 0 in a phase of a tile, in cycles of the core clock. A function of its arguments alone,
  /// which does not fall as the work grows.
  virtual base::Cycles duration(std::int64_t work, const CustomValues& values) const = 0;
  /// Registers of 8 x 128 words that the work moves from VMEM and to it; none unless overridden.
  virtual VmemRegisters vmem(std::int64_t work) const;
  /// Energy of `work` in joules, all of the unit included; none unless overridden.
  virtual double joules(std::int64_t work) const;
  /// Area of the unit in mm2; none unless overridden.
  virtual double area() const;
};

/// Makes a unit one of every core: its section belongs to every machine, its module to every core at detail tile and
/// chip. A program adds one unit at most. To be called before the program runs. Throws std::invalid_argument for a
/// second one, and for a name that is taken or is not a word (base/registry.h).
void register_unit(std::shared_ptr<const CustomUnit> unit);

/// The registered unit; nullptr if there is none.
const CustomUnit* custom_unit();

/// The section of the registered unit as a machine file has it, with evidence; empty if there is none.
std::string custom_section();

}  // namespace podsim::hw::parts::custom
