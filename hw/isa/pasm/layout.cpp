// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hw/isa/encoding.h"
#include "hw/isa/fixed_sizes.h"

namespace podsim::hw::isa::pasm {
namespace {

constexpr std::int64_t last_word = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t last_bundle = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t row_words = register_lanes;
constexpr int deepest_dependence = 500;

std::int64_t alignment(MemorySpace space) {
  return space == MemorySpace::smem ? descriptor_words : register_sublanes * row_words;
}

std::int64_t next_multiple(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

std::optional<Number> number_of(std::optional<std::int64_t> value) {
  return value ? std::optional(Number::of(*value)) : std::nullopt;
}

}  // namespace

Layout::Layout(Report& report, const FileText& file)
    : report_(report),
      file_(file),
      evaluator_(report, *this),
      data_words_(report, evaluator_),
      constants_(file.constants.size()),
      labels_(file.labels.size()),
      segments_(file.segments.size()),
      images_(file.segments.size()),
      blocks_(file.blocks.size()),
      words_(file.blocks.size()),
      block_order_(file.blocks.size()),
      image_order_(file.segments.size()) {
  for (std::size_t place = 0; place < file.placed.size(); ++place) {
    const StorageItem& placed = file.placed[place];
    (placed.image ? image_order_ : block_order_)[placed.index] = place;
  }
  define_all();
}

// Names.

void Layout::define_all() {
  for (std::size_t i = 0; i < file_.constants.size(); ++i) define(file_.constants[i].name, Symbol::Kind::constant, i);
  for (std::size_t i = 0; i < file_.labels.size(); ++i) define(file_.labels[i].name, Symbol::Kind::label, i);
  for (std::size_t i = 0; i < file_.segments.size(); ++i) define(file_.segments[i].name, Symbol::Kind::segment, i);
  for (std::size_t i = 0; i < file_.blocks.size(); ++i) define(file_.blocks[i].name, Symbol::Kind::block, i);
}

void Layout::define(const Name& name, Symbol::Kind kind, std::size_t index) {
  if (name.quoted) return;
  auto [found, fresh] = symbols_.emplace(name.text, Symbol{kind, index, name.span});
  bool labels =
      kind == Symbol::Kind::label && found->second.kind == kind;  // reported by the assembler, with quoted labels
  if (fresh || labels) return;
  Span first = found->second.span, second = name.span;
  if (first.offset > second.offset) std::swap(first, second);
  report_.error(second, fmt::format("'{}' is defined already", name.text),
                fmt::format("it is defined on line {}", report_.line(first)));
}

std::optional<Number> Layout::undefined(const std::string& name, Span span) {
  std::vector<std::string> names;
  for (const auto& [known, symbol] : symbols_) names.push_back(known);
  report_.error(span, fmt::format("nothing is called '{}'", name), base::did_you_mean(name, names));
  return std::nullopt;
}

std::optional<Number> Layout::value_of(const std::string& name, Span span) {
  if (depth_ > deepest_dependence) {
    report_.error(span, fmt::format("the value of '{}' takes too many others to work out", name));
    return std::nullopt;
  }
  auto found = symbols_.find(name);
  ++depth_;
  std::optional<Number> value = found == symbols_.end() ? property(name, span) : symbol_value(found->second);
  --depth_;
  return value;
}

std::optional<Number> Layout::symbol_value(const Symbol& symbol) {
  switch (symbol.kind) {
    case Symbol::Kind::constant: {
      const ConstantText& constant = file_.constants[symbol.index];
      return once(constants_[symbol.index], constant.name, [&] { return evaluator_.number(constant.value); });
    }
    case Symbol::Kind::label:
      return number_of(label_address(symbol.index));
    case Symbol::Kind::segment:
      return number_of(segment_address(symbol.index));
    case Symbol::Kind::block:
      break;
  }
  return number_of(block_address(symbol.index));
}

std::optional<Number> Layout::property(const std::string& name, Span span) {
  std::size_t dot = name.rfind('.');
  auto found = dot == std::string::npos ? symbols_.end() : symbols_.find(name.substr(0, dot));
  if (found == symbols_.end()) return undefined(name, span);
  const Symbol& symbol = found->second;
  std::string_view what = std::string_view(name).substr(dot + 1);
  bool block = symbol.kind == Symbol::Kind::block;
  bool overlay = symbol.kind == Symbol::Kind::segment && file_.segments[symbol.index].overlay;
  if (block && what == "words") return number_of(block_words(symbol.index));
  if (block && what == "row") return row_of(symbol.index, span);
  if (overlay && what == "words") {
    return Number::of(std::int64_t(file_.segments[symbol.index].bundles.size()) * bundle_words);
  }
  if (overlay && what == "image") return number_of(image_address(symbol.index));
  const char* hint = block     ? "blocks have .words and .row"
                     : overlay ? "overlays have .words and .image"
                               : "blocks have .words and .row, overlays .words and .image";
  report_.error(span, fmt::format("'{}' has no '.{}'", found->first, what), hint);
  return std::nullopt;
}

std::optional<Number> Layout::row_of(std::size_t block, Span span) {
  const BlockText& text = file_.blocks[block];
  if (text.space != MemorySpace::vmem) {
    report_.error(span, fmt::format("'{}' is in {}, and only VMEM has rows", text.name.text, to_string(text.space)));
    return std::nullopt;
  }
  std::optional<std::int64_t> address = block_address(block);
  if (!address) return std::nullopt;
  if (*address % row_words == 0) return Number::of(*address / row_words);
  report_.error(span, fmt::format("'{}' begins at word {}, in the middle of a row", text.name.text, *address),
                "rows are 128 words");
  return std::nullopt;
}

// Values.

std::optional<Number> Layout::once(Lazy& lazy, const Name& name, const Compute& compute) {
  if (lazy.state == Lazy::State::at_work) {
    report_.error(name.span, fmt::format("the value of '{}' depends on itself", name.text));
    return std::nullopt;
  }
  if (lazy.state == Lazy::State::unknown) {
    lazy.state = Lazy::State::at_work;
    lazy.value = compute();
    lazy.state = Lazy::State::known;
  }
  return lazy.value;
}

std::optional<std::int64_t> Layout::once_whole(Lazy& lazy, const Name& name, const Compute& compute) {
  std::optional<Number> value = once(lazy, name, compute);
  return value ? std::optional(value->integer) : std::nullopt;
}

std::optional<std::int64_t> Layout::label_address(std::size_t label) {
  const LabelText& text = file_.labels[label];
  return once_whole(labels_[label], text.name, [&] { return compute_label(text); });
}

std::optional<Number> Layout::compute_label(const LabelText& label) {
  if (label.address) return number_of(evaluator_.integer(*label.address, "a bundle's address", 0, last_word));
  std::optional<std::int64_t> begin = segment_address(label.segment);
  return begin ? std::optional(Number::of(*begin + std::int64_t(label.bundle))) : std::nullopt;
}

std::optional<std::int64_t> Layout::segment_address(std::size_t segment) {
  return once_whole(segments_[segment], file_.segments[segment].name, [&] { return compute_segment(segment); });
}

std::optional<Number> Layout::compute_segment(std::size_t segment) {
  const SegmentText& text = file_.segments[segment];
  if (text.address) return number_of(evaluator_.integer(*text.address, "a bundle's address", 0, last_bundle));
  for (std::size_t before = segment; before-- > 0;) {
    if (file_.segments[before].overlay) continue;
    std::optional<std::int64_t> begin = segment_address(before);
    if (!begin) return std::nullopt;
    return Number::of(*begin + std::int64_t(file_.segments[before].bundles.size()));
  }
  return Number::of(std::int64_t(0));
}

MemorySpace Layout::space_of(StorageItem placed) const {
  return placed.image ? MemorySpace::hbm : file_.blocks[placed.index].space;
}

std::optional<std::int64_t> Layout::end_of(StorageItem placed) {
  std::optional<std::int64_t> begin = placed.image ? image_address(placed.index) : block_address(placed.index);
  std::optional<std::int64_t> words =
      placed.image ? std::optional(std::int64_t(file_.segments[placed.index].bundles.size()) * bundle_words)
                   : block_words(placed.index);
  return begin && words ? std::optional(*begin + *words) : std::nullopt;
}

std::optional<Number> Layout::compute_address(const std::optional<Expression>& address, StorageItem placed,
                                              std::size_t place) {
  if (address) return number_of(evaluator_.integer(*address, "a word's address", 0, last_word));
  MemorySpace space = space_of(placed);
  while (place-- > 0) {
    if (space_of(file_.placed[place]) != space) continue;
    std::optional<std::int64_t> end = end_of(file_.placed[place]);
    return end ? std::optional(Number::of(next_multiple(*end, alignment(space)))) : std::nullopt;
  }
  return Number::of(std::int64_t(0));
}

std::optional<std::int64_t> Layout::image_address(std::size_t segment) {
  const SegmentText& text = file_.segments[segment];
  return once_whole(images_[segment], text.name, [&] {
    return compute_address(text.image, {true, segment}, image_order_[segment]);
  });
}

std::optional<std::int64_t> Layout::block_address(std::size_t block) {
  const BlockText& text = file_.blocks[block];
  return once_whole(blocks_[block], text.name, [&] {
    return compute_address(text.address, {false, block}, block_order_[block]);
  });
}

std::optional<std::int64_t> Layout::block_words(std::size_t block) {
  const BlockText& text = file_.blocks[block];
  if (text.descriptor) return descriptor_words;
  return once_whole(words_[block], text.name, [&] { return number_of(data_words_.count(text.items)); });
}

// Overlaps.

void Layout::check_overlaps() {
  for (MemorySpace space : {MemorySpace::hbm, MemorySpace::vmem, MemorySpace::smem}) {
    std::vector<Extent> extents;
    for (const StorageItem& placed : file_.placed) {
      if (space_of(placed) != space) continue;
      auto begin = placed.image ? image_address(placed.index) : block_address(placed.index);
      auto end = end_of(placed);
      const Name& name = placed.image ? file_.segments[placed.index].name : file_.blocks[placed.index].name;
      if (begin && end) extents.push_back({*begin, *end, &name});
    }
    check_overlaps(std::move(extents), to_string(space));
  }
  std::vector<Extent> resident;
  for (std::size_t i = 0; i < file_.segments.size(); ++i) {
    auto begin = segment_address(i);
    auto size = std::int64_t(file_.segments[i].bundles.size());
    if (begin && !file_.segments[i].overlay) resident.push_back({*begin, *begin + size, &file_.segments[i].name});
  }
  check_overlaps(std::move(resident), "instruction memory");
}

void Layout::check_overlaps(std::vector<Extent> extents, const std::string& where) {
  std::erase_if(extents, [](const Extent& extent) { return extent.begin == extent.end; });
  std::stable_sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const Extent &low = extents[i - 1], &high = extents[i];
    if (high.begin < low.end) {
      bool later = high.name->span.offset > low.name->span.offset;
      const Name &at = later ? *high.name : *low.name, &other = later ? *low.name : *high.name;
      report_.error(at.span,
                    fmt::format("'{}' overlaps '{}' in {} at address {}", at.text, other.text, where, high.begin));
    }
    if (low.end > high.end) std::swap(extents[i - 1], extents[i]);
  }
}

}  // namespace podsim::hw::isa::pasm
