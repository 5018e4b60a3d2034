// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace podsim::sw::codegen::fusion {

/// An op that the generator cannot write, and why.
class NoCode : public base::InputError {
 public:
  /// `cause` is a word for tables: an opcode; or what the code would need more of ("vmem", "registers", "machine": a
  /// limit of the ISA); or what of an array it has no form for ("type", "layout", "tuple"). `detail` is the sentence.
  NoCode(std::string cause, const std::string& detail) : InputError(detail), cause_(std::move(cause)) {}
  const std::string& cause() const { return cause_; }

 private:
  std::string cause_;
};

}  // namespace podsim::sw::codegen::fusion
