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

/// Assigns addresses, and evaluates names. Values are computed on first use, so that names may be used before the line
/// that defines them. A value that depends on itself is reported.
///
/// Blocks and images of overlays without an address follow the previous one in their memory, at the next multiple of
/// 1024 words (8 in SMEM). Resident code follows the previous resident code.
///
/// The value of a block's name is its word address; the suffix `.words` gives its size, `.row` its first VMEM row. The
/// value of a segment's name is its bundle address; for overlays `.words` gives the size of the image, `.image` its
/// address.
class Layout : public SymbolValues {
 public:
  Layout(Report& report, const FileText& file);
  std::optional<Number> value_of(const std::string& name, Span span) override;

  // Each returns std::nullopt after reporting that there is no value.
  std::optional<std::int64_t> segment_address(std::size_t segment);
  std::optional<std::int64_t> image_address(std::size_t segment);
  std::optional<std::int64_t> block_address(std::size_t block);
  std::optional<std::int64_t> block_words(std::size_t block);
  std::optional<std::int64_t> label_address(std::size_t label);

  /// Reports overlapping blocks of a memory, and overlapping resident segments.
  void check_overlaps();

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { constant, label, segment, block } kind;
    std::size_t index;
    Span span;
  };
  /// A value that is computed on first use.
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
  std::optional<Number> compute_address(const std::optional<Expression>& address, StorageItem placed,
                                        std::size_t place);
  std::optional<Number> symbol_value(const Symbol& symbol);
  std::optional<Number> property(const std::string& name, Span span);
  std::optional<Number> row_of(std::size_t block, Span span);
  std::optional<Number> undefined(const std::string& name, Span span);
  std::optional<std::int64_t> end_of(StorageItem placed);
  MemorySpace space_of(StorageItem placed) const;
  void check_overlaps(std::vector<Extent> extents, const std::string& where);

  Report& report_;
  const FileText& file_;
  Evaluator evaluator_;
  DataWords data_words_;
  std::map<std::string, Symbol> symbols_;
  std::vector<Lazy> constants_, labels_, segments_, images_, blocks_, words_;
  std::vector<std::size_t> block_order_, image_order_;  ///< index in FileText::placed
  int depth_ = 0;                                       ///< nesting of values that are being computed
};

}  // namespace podsim::hw::isa::pasm
