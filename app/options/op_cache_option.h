// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sw/compiler/op_cache.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace podsim::app::options {

/// --op-cache FILE of a command.
class OpCacheOption {
 public:
  /// This must outlive the parsing.
  CLI::Option* add_to(CLI::App& command);
  /// The cache in the file; nullptr without the flag. Throws InputError at the flag if it cannot be opened.
  sw::compiler::OpCache* open();
  /// Saves what is new, and prints warnings.
  void close();

 private:
  std::string file_;
  std::optional<sw::compiler::OpCache> cache_;
};

}  // namespace podsim::app::options
