// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler_parameters.h"

#include <limits>

#include "base/parameters/section.h"

namespace podsim::sw {

namespace {

constexpr base::Bytes max_transfer{1LL << 50};

struct LargestSegment {
  base::Bytes operator()(const base::parameters::Reading& reading, const std::string& key) const {
    constexpr base::Bytes least{4096};
    const base::Bytes segment = base::parameters::kind::Size{max_transfer}(reading, key);
    if (segment >= least) return segment;
    reading.config.reject(key, "'" + key + "' must be at least " + base::to_string(least),
                          "shorter messages are more headers and launches than data");
  }
};

}  // namespace

const base::parameters::Section<CompilerParameters>& CompilerParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  using Compiler = CompilerParameters;
  static const base::parameters::Section<CompilerParameters> keys(
      "compiler", {
                      {"exposed_vector_fraction", &Compiler::exposed_vector_fraction, share(), {ops}},
                      {"prologue_columns", &Compiler::prologue_columns, positive(), {ops}},
                      {"min_tile", &Compiler::min_tile, Size{max_transfer}, {ops}},
                      {"op_launch_cycles", &Compiler::op_launch, cycles(0), {ops}},
                      {"row_lookup_cycles", &Compiler::row_lookup, cycles(0), {ops}},
                      {"row_read_cycles", &Compiler::row_read, cycles(0), {ops}},
                      {"row_update_cycles", &Compiler::row_update, cycles(0), {ops}},
                      {"block_piece_cycles", &Compiler::block_piece, cycles(0), {ops}},
                      {"moved_row_operations", &Compiler::moved_row_operations, positive(), {ops}},
                      {"packing_share", &Compiler::packing_share, share(), {ops}},
                      {"resident_table", &Compiler::resident_table, Size{max_transfer}, {ops}},
                      {"small_operand", &Compiler::small_operand, Size{max_transfer}, {ops}},
                      {"vmem_for_values", &Compiler::vmem_for_values, AnySize{}, {ops}},
                      {"transfers_in_turns", &Compiler::transfers_in_turns, Flag{}, {ops}},
                  });
  return keys;
}

const base::parameters::Section<PassParameters>& PassParameters::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  constexpr double smallest = std::numeric_limits<double>::min(), largest = std::numeric_limits<double>::infinity();
  static const base::parameters::Section<PassParameters> keys(
      "compiler",
      {
          {"combine_all_reduce", &PassParameters::combine_all_reduce, Size{max_transfer}, {collectives}},
          {"small_op_share", &PassParameters::small_op_share, Real{1e-6, 1, "must be between 1e-6 and 1"}, {ops}},
          {"recompute_above", &PassParameters::recompute_above, share(), {ops}},
          {"order_gain", &PassParameters::order_gain, share(), {ops}},
          {"reshape_padding", &PassParameters::reshape_padding, Real{smallest, largest, "must be more than 0"}, {ops}},
          {"partition_link_rate", &PassParameters::partition_link, Rate{}, {ops}},
          {"partition_products_per_s",
           &PassParameters::partition_products,
           Real{1, largest, "must be at least 1"},
           {ops}},
          {"partition_memory_rate", &PassParameters::partition_memory, Rate{}, {ops}},
      });
  return keys;
}

const base::parameters::Section<CollectiveCode>& CollectiveCode::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<CollectiveCode> keys(
      "compiler", {
                      {"largest_segment", &CollectiveCode::largest_segment, LargestSegment{}, {collectives, packets}},
                      {"collective_launch", &CollectiveCode::launch, Time{}, {collectives, packets}},
                      {"collective_launch_doubling", &CollectiveCode::launch_doubling, Time{}, {collectives, packets}},
                  });
  return keys;
}

const base::parameters::Section<FrameworkHost>& FrameworkHost::section() {
  using namespace base::parameters::kind;
  using enum base::parameters::KeyLevel;
  static const base::parameters::Section<FrameworkHost> keys(
      "host", {
                  {"traced_op", &FrameworkHost::traced_op, Time{}, {frameworks}},
                  {"traced_step", &FrameworkHost::traced_step, Time{}, {frameworks}},
              });
  return keys;
}

}  // namespace podsim::sw
