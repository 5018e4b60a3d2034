// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/isa/bundle.h"
#include "hw/isa/pasm/expression.h"
#include "hw/isa/pasm/syntax.h"

namespace podsim::hw::isa::pasm {

/// Makes bundles from parsed operations: assigns slots, evaluates literals, and reports illegal bundles.
class BundleBuilder {
 public:
  BundleBuilder(Report& report, Evaluator& evaluator, std::size_t strings)
      : report_(report), evaluator_(evaluator), strings_(std::int64_t(strings)) {}
  Bundle build(const BundleText& text);

 private:
  using Slots = std::array<const Operation*, slots>;

  Slots assign(const BundleText& text);
  bool take(Slots& taken, const Operation& operation);
  void report_full(const Slots& taken, const Operation& operation);
  Instruction instruction(const Operation& operation);
  Value value(const Operation& operation, OperandKind kind, const Operand& operand);
  void report_faults(Bundle bundle, const Slots& operations);

  Report& report_;
  Evaluator& evaluator_;
  std::int64_t strings_;
};

}  // namespace podsim::hw::isa::pasm
