// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "sw/compiler/op_cache.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace podsim::app::options {

/// Saves what is new in a cache, and prints its warnings.
void save_costs(sw::compiler::OpCache& cache);

/// --op-cache FILE of a command.
class OpCacheOption {
 public:
  OpCacheOption() = default;
  /// With the file of a flag that was declared elsewhere; empty: without the flag.
  explicit OpCacheOption(std::string file) : file_(std::move(file)) {}
  /// This must outlive the parsing.
  CLI::Option* add_to(CLI::App& command);
  /// The cache in the file; nullptr without the flag. Throws InputError at the flag if it cannot be opened.
  sw::compiler::OpCache* open();
  /// See save_costs().
  void close();

 private:
  std::string file_;
  std::optional<sw::compiler::OpCache> cache_;
};

}  // namespace podsim::app::options
