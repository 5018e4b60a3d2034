// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "hw/bundle/bundle_run.h"
#include "hw/isa/pasm/assembler.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle {

/// Programs as text, run on the machine with round numbers: 1 GHz, 100 B per cycle from HBM, reads 20 cycles,
/// writes 10.
struct Pasm {
  Machine machine = round_machine();
  BundleRunOptions options;

  BundleRunResult run(const std::string& text) {
    memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
    return run(isa::pasm::assemble("test.pasm", text), hbm);
  }
  BundleRunResult run(const isa::Program& program, memory::DeviceMemory& hbm) {
    const BundleRunResult result = run_bundles(machine, program, hbm, options);
    EXPECT_EQ(sum(result), result.cycles);
    return result;
  }
  /// Runs a program whose expectations must hold.
  BundleRunResult pass(const std::string& text) {
    isa::Program program = isa::pasm::assemble("test.pasm", text);
    memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
    const BundleRunResult result = run(program, hbm);
    for (const FailedExpectation& failed : result.failed) {
      ADD_FAILURE() << failed.expectation->location.line_text << ": word " << failed.first << " is " << failed.found
                    << " and not " << failed.expected << "\n"
                    << text;
    }
    return result;
  }
  std::int64_t cycles(const std::string& text) { return pass(text).cycles.value(); }
  /// Message with which the run fails; empty if it reached its halt.
  std::string verdict(const std::string& text) {
    try {
      run(text);
    } catch (const base::SimulationError& error) {
      return error.what();
    }
    return "";
  }

  static base::Cycles sum(const BundleRunResult& result) {
    base::Cycles cycles{result.bundles};
    for (const base::Cycles stalled : result.stalls) cycles += stalled;
    return cycles;
  }
};

inline std::int64_t stalled(const BundleRunResult& result, Stall reason) {
  return result.stalls[std::size_t(reason)].value();
}

}  // namespace podsim::hw::bundle
