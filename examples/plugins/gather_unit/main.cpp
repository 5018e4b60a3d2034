// SPDX-License-Identifier: Apache-2.0
// The program podsim whose cores have one more unit: it gathers rows of a table, one every so many cycles.
#include <memory>

#include "app/program.h"
#include "hw/parts/custom/custom_unit.h"

namespace {

namespace custom = podsim::hw::parts::custom;
using podsim::base::Cycles;

class GatherUnit final : public custom::CustomUnit {
 public:
  std::string_view name() const override { return "gather"; }
  std::string_view title() const override { return "gather unit"; }
  std::string_view counted_in() const override { return "rows"; }
  std::vector<custom::CustomKey> keys() const override {
    return {{.name = "interval_cycles", .value = 4, .least = 1, .most = 4096, .source = "an example"},
            {.name = "latency_cycles", .value = 20, .least = 0, .most = 4096, .source = "an example"}};
  }
  /// A row every interval, and the latency once in each phase of a tile.
  Cycles duration(std::int64_t rows, const custom::CustomValues& values) const override {
    return Cycles(rows * values[0] + values[1]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  custom::register_unit(std::make_shared<GatherUnit>());
  return podsim::app::run_program(argc, argv);
}
