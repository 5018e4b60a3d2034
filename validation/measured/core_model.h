// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "hlo/graph.h"
#include "sw/compiler/op_costs.h"
#include "sw/driver/compiler_year.h"
#include "sw/target_machine.h"

namespace podsim::validation::measured {

/// Times of whole modules on one core of a machine.
class CoreModel {
 public:
  /// `cache` may be null; it outlives this.
  explicit CoreModel(const sw::TargetMachine& machine, sw::compiler::OpCache* cache = nullptr)
      : machine_(machine), costs_(machine_, cache) {}

  struct Times {
    double modelled_s = 0;
    double roofline_s = 0;  ///< Point::roofline
  };
  /// Compiles the module and adds the times of its ops. Equal ops of all calls are modelled once.
  Times times_of(hlo::Module module, const sw::driver::CompilerYear& compiler = {});
  /// The part of ops with a convolution or dot.
  Times product_times_of(hlo::Module module, const sw::driver::CompilerYear& compiler = {});
  /// Point::roofline of an op; a count that is not known is zero.
  double roofline_s(std::optional<double> flops, std::optional<double> bytes) const;
  const sw::TargetMachine& machine() const { return machine_; }
  sw::compiler::OpCosts& costs() { return costs_; }

 private:
  Times times_of(const hlo::Module& fused, bool products_alone);

  sw::TargetMachine machine_;
  sw::compiler::OpCosts costs_;
};

}  // namespace podsim::validation::measured
