// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/custom/custom_unit.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/registry.h"
#include "base/text/toml_string.h"
#include "hw/parts/custom/custom_part.h"

namespace podsim::hw::parts::custom {
namespace {

std::shared_ptr<const CustomUnit>& the_unit() {
  static std::shared_ptr<const CustomUnit> unit;
  return unit;
}

}  // namespace

CustomUnit::~CustomUnit() = default;

VmemRegisters CustomUnit::vmem(std::int64_t) const { return {}; }
double CustomUnit::joules(std::int64_t) const { return 0; }
double CustomUnit::area() const { return 0; }

void register_unit(std::shared_ptr<const CustomUnit> unit) {
  if (the_unit()) throw std::invalid_argument("a core has one unit of a program's own at most");
  // Sections of machines and of workloads, parts of a core, and what a price of a call may say.
  base::check_registered_name(
      unit->name(),
      {"machine",    "core",   "mxu",        "vector",    "cross_lane", "scalar",  "dma",          "hbm",
       "hbm_timing", "ici",    "switch",     "chip",      "host",       "input",   "pod",          "model",
       "compiler",   "vmem",   "tile_level", "sequencer", "sync",       "target",  "flops",        "bytes",
       "cycles",     "memory", "kernel",     "operands",  "results",    "op_name", "vector_flops", "arguments"});
  the_unit() = std::move(unit);
  // A list of units keeps names as pointers.
  static const std::string name(the_unit()->name()), title(the_unit()->title()), counted(the_unit()->counted_in());
  static const std::string busy = fmt::format("the {} works", title);
  Unit::names = {.name = name.c_str(),
                 .title = title.c_str(),
                 .bound = title.c_str(),
                 .busy = busy.c_str(),
                 .timeline = name.c_str(),
                 .color = base::trace::GtkwColor::indigo};
  Events::counter = {counted.c_str(), counted.c_str(), "that calls ask of it"};
}

const CustomUnit* custom_unit() { return the_unit().get(); }

std::string custom_section() {
  const CustomUnit* unit = custom_unit();
  if (unit == nullptr) return "";
  std::string text = fmt::format("[{}]\n", unit->name());
  for (const CustomKey& key : unit->keys()) {
    text += fmt::format("{} = {{ value = {}, evidence = {}, source = {} }}\n", key.name, key.value,
                        base::text::toml_string(key.evidence), base::text::toml_string(key.source));
  }
  return text;
}

}  // namespace podsim::hw::parts::custom
