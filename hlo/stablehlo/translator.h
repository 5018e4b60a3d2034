// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/stablehlo/computation_writer.h"
#include "hlo/stablehlo/sharding_text.h"
#include "hlo/stablehlo/source_location.h"

namespace podsim::hlo::stablehlo {

/// Translates a module to HLO text: its functions and regions become computations. Operations are translated by the
/// functions of operation_table.h.
class Translator {
 public:
  Translator(std::string file, std::string_view text, ModuleText module);

  HloText run();

  TypeTable& types() { return module_.types; }
  const ShardingTexts& shardings() const { return shardings_; }
  std::string_view resources() const { return module_.resources; }
  SourceLocations& locations() { return locations_; }
  /// The operation's name in the text.
  LineOrigin origin(std::string_view where) const;

  /// Translates the operations of a region; the last one gives the results.
  std::vector<Value> write_operations(const Region& region, ComputationWriter& writer);
  /// The computation of a region whose arguments are its parameters, as reductions have it. Equal ones are one.
  std::string combiner(const Region& region, const ComputationWriter& outer);
  /// The computation of one operation on two scalars of this type.
  std::string combiner(std::string_view opcode, std::string_view type, LineOrigin origin);
  /// The values of `writer` that regions use without defining them, constants last: those are written anew inside.
  struct Captures {
    std::vector<std::string_view> uses;
    std::vector<std::string_view> constants;
  };
  Captures captures(const std::vector<const Region*>& regions, const ComputationWriter& writer) const;
  /// Writes the constants of an outer computation into `writer`.
  void sink(const Captures& captures, const ComputationWriter& outer, ComputationWriter& writer);
  /// Ends a computation and returns its name.
  std::string finish(std::string_view stem, ComputationWriter& writer, const std::vector<Value>& results,
                     bool always_tuple, LineOrigin origin);
  /// Name of the computation of a function; it is written if that has not happened.
  std::string function(std::string_view name, LineOrigin at);
  int& next_number() { return next_; }

  void warn_once(std::string_view where, const std::string& message, const std::string& hint = "");
  [[noreturn]] void fail(std::string_view where, const std::string& message, const std::string& hint = "") const;
  /// Calls read(); a Fault in it is about `value`.
  template <typename Read>
  auto located(std::string_view value, const Read& read) const {
    try {
      return read();
    } catch (const Fault& fault) {
      fail(value, fault.what(), fault.hint);
    }
  }
  /// The HLO sharding of an sdy or mhlo attribute among these, as ", sharding={...}", and their frontend attributes of
  /// Shardy; empty if there is none.
  std::string sharding(const Attributes& attributes, const std::vector<std::string_view>& manual);
  std::string shardy(std::string_view value, const std::vector<std::string_view>& manual);

 private:
  void write_header();
  void write_entry();
  const Function& entry() const;
  void write_parameters(const Function& function, ComputationWriter& writer);
  void write_operation(const Operation& operation, ComputationWriter& writer);
  void append(std::string_view head, ComputationWriter& writer, LineOrigin origin);
  void report(const Fault& fault);
  /// Annotates the results of a function as its signature says.
  void constrain(const Function& function, std::vector<Value>& results, ComputationWriter& writer);
  void check_operand_types(const Operation& operation, const ComputationWriter& writer);
  std::string tiles(const Attributes& attributes, const std::vector<std::string_view>& manual);
  std::string frontend(const Attributes& attributes) const;
  void note_unused(const Attributes& attributes);
  std::string unique(std::string_view stem);
  std::string donations(const Function& function) const;

  std::string file_;
  std::string_view text_;
  ModuleText module_;
  ShardingTexts shardings_;
  SourceLocations locations_;
  HloText made_;
  int next_ = 0, errors_ = 0;
  std::map<std::string_view, const Function*> functions_;
  std::map<std::string_view, std::string> written_;  ///< functions with their computations; empty: being written
  std::set<std::string> names_, warned_;
  std::set<const Attributes*> used_;                        ///< whose shardings were translated
  std::unordered_map<std::string, std::string> combiners_;  ///< by their instructions
};

}  // namespace podsim::hlo::stablehlo
