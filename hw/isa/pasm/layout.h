// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/isa/pasm/data_words.h"
#include "hw/isa/pasm/expression.h"
#include "hw/isa/pasm/syntax.h"

namespace podsim::hw::isa::pasm {

/// Where everything stands and what every name means. Values are worked out when they are asked for, so that names may
/// be used before the line that defines them; what depends on itself is reported.
///
/// Blocks and overlays' images without an address follow the one before in their memory, at the next multiple of 1024
/// words (8 in SMEM); resident code follows the resident code before.
///
/// A block's name is its word address; `.words` behind it is its size, `.row` the row of VMEM that it begins with. A
/// segment's name is its bundle address; `.words` behind an overlay's is the size of its image, `.image` its address.
class Layout : public SymbolValues {
 public:
  Layout(Report& report, const FileText& file);
  std::optional<Number> value_of(const std::string& name, Span span) override;

  // Nothing where there is no value, which has been reported.
  std::optional<std::int64_t> segment_address(std::size_t segment);
  std::optional<std::int64_t> image_address(std::size_t segment);
  std::optional<std::int64_t> block_address(std::size_t block);
  std::optional<std::int64_t> block_words(std::size_t block);
  std::optional<std::int64_t> label_address(std::size_t label);

  /// Reports blocks of one memory that overlap, and resident segments that do.
  void check_overlaps();

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { constant, label, segment, block } kind;
    std::size_t index;
    Span span;
  };
  /// A value that is worked out once.
  struct Lazy {
    enum class State : std::uint8_t { unknown, at_work, known } state = State::unknown;
    std::optional<Number> value;
  };
  struct Extent {
    std::int64_t begin, end;
    const Name* name;
  };

  using Compute = std::function<std::optional<Number>()>;

  void define_all();
  void define(const Name& name, Symbol::Kind kind, std::size_t index);
  std::optional<Number> once(Lazy& lazy, const Name& name, const Compute& compute);
  std::optional<std::int64_t> once_whole(Lazy& lazy, const Name& name, const Compute& compute);
  std::optional<Number> compute_label(const LabelText& label);
  std::optional<Number> compute_segment(std::size_t segment);
  std::optional<Number> compute_placed(const std::optional<Expression>& address, Placed placed, std::size_t place);
  std::optional<Number> symbol_value(const Symbol& symbol);
  std::optional<Number> property(const std::string& name, Span span);
  std::optional<Number> row_of(std::size_t block, Span span);
  std::optional<Number> undefined(const std::string& name, Span span);
  std::optional<std::int64_t> end_of(Placed placed);
  MemorySpace space_of(Placed placed) const;
  void check_overlaps(std::vector<Extent> extents, const std::string& where);

  Report& report_;
  const FileText& file_;
  Evaluator evaluator_;
  DataWords data_words_;
  std::map<std::string, Symbol> symbols_;
  std::vector<Lazy> constants_, labels_, segments_, images_, blocks_, words_;
  std::vector<std::size_t> block_places_, image_places_;  ///< in FileText::placed
  int depth_ = 0;                                         ///< of values being worked out for one another
};

}  // namespace podsim::hw::isa::pasm
