// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "hw/isa/dma_descriptor.h"
#include "hw/isa/pasm/bundle_builder.h"
#include "hw/isa/pasm/data_words.h"
#include "hw/isa/pasm/layout.h"
#include "hw/isa/pasm/parser.h"

namespace podsim::hw::isa::pasm {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Turns a parsed file into a program.
class Assembler {
 public:
  Assembler(Report& report, const FileText& file)
      : report_(report),
        file_(file),
        layout_(report, file),
        evaluator_(report, layout_),
        data_words_(report, evaluator_) {}

  Program run() {
    for (const StorageItem& placed : file_.placed) place(placed);  // in order, so that addresses never nest deeply
    for (std::size_t i = 0; i < file_.segments.size(); ++i) segment(i);
    check_first_segment();
    for (std::size_t i = 0; i < file_.blocks.size(); ++i) block(i);
    for (const ExpectationText& text : file_.expectations) expectation(text);
    labels();
    for (const ConstantText& constant : file_.constants) layout_.value_of(constant.name.text, constant.name.span);
    layout_.check_overlaps();
    program_.strings = file_.strings;
    return std::move(program_);
  }

 private:
  void place(const StorageItem& placed) {
    if (placed.image) {
      layout_.image_address(placed.index);
    } else {
      layout_.block_address(placed.index);
    }
  }

  void segment(std::size_t index) {
    const SegmentText& text = file_.segments[index];
    Segment segment;
    segment.name = text.name.text;
    segment.address = std::uint32_t(layout_.segment_address(index).value_or(0));
    segment.overlay = text.overlay;
    if (text.overlay) segment.image = std::uint32_t(layout_.image_address(index).value_or(0));
    BundleBuilder builder(report_, evaluator_, file_.strings.size());
    std::vector<std::uint32_t> lines;
    for (const BundleText& bundle : text.bundles) {
      segment.bundles.push_back(builder.build(bundle));
      lines.push_back(std::uint32_t(report_.line(bundle.span)));
    }
    program_.segments.push_back(std::move(segment));
    program_.lines.push_back(std::move(lines));
  }

  void check_first_segment() {
    if (file_.segments.empty()) {
      if (report_.empty()) report_.error({0, 0}, "there is no bundle in this file");
      return;
    }
    const SegmentText& first = file_.segments.front();
    std::optional<std::int64_t> address = layout_.segment_address(0);
    if (first.overlay) {
      report_.error(first.name.span, "the first code is an overlay, and nothing would be there to load it",
                    "resident code comes first and begins at address 0");
    } else if (address && *address != 0) {
      report_.error(first.address->span, fmt::format("execution begins at address 0, and this code at {}", *address));
    }
  }

  std::vector<std::uint32_t> words_of(std::span<const DataItem> items, std::optional<std::int64_t> count, Span span) {
    if (!count) return {};
    data_ += *count;
    if (data_ > max_data_words) {
      if (data_ - *count <= max_data_words)
        report_.error(span, "a program's data are at most 67108864 words, these are more");
      return {};
    }
    std::vector<std::uint32_t> words;
    data_words_.append(items, words);
    return words;
  }

  void block(std::size_t index) {
    const BlockText& text = file_.blocks[index];
    DataBlock block;
    block.name = text.name.text;
    block.space = text.space;
    block.address = std::uint32_t(layout_.block_address(index).value_or(0));
    if (text.descriptor) {
      block.words = descriptor_words_of(*text.descriptor);
    } else {
      block.words = words_of(text.items, layout_.block_words(index), text.name.span);
    }
    check_end(text.name, block);
    program_.data.push_back(std::move(block));
  }

  void check_end(const Name& name, const DataBlock& block) {
    if (block.address + std::uint64_t(block.words.size()) <= std::uint64_t(1) << 32) return;
    report_.error(name.span, fmt::format("'{}' goes on beyond the last address of 32 bits", name.text));
  }

  std::uint32_t field(const std::optional<Expression>& expression, const char* what, std::uint32_t preset,
                      std::int64_t most = 0xffffffff) {
    if (!expression) return preset;
    return std::uint32_t(evaluator_.integer(*expression, what, 0, most).value_or(0));
  }

  std::vector<std::uint32_t> descriptor_words_of(const DescriptorText& text) {
    DmaDescriptor descriptor;
    descriptor.route = text.route;
    descriptor.flag = field(text.flag, "a flag's number", 0, 0xffff);
    descriptor.source = field(text.source, "a word's address", 0);
    descriptor.destination = field(text.destination, "an address", 0);
    descriptor.words = field(text.words, "a count of words", 0);
    descriptor.rows = field(text.rows, "a count of rows", 1);
    descriptor.source_stride = field(text.source_stride, "a stride", descriptor.words);
    descriptor.destination_stride = field(text.destination_stride, "a stride", descriptor.words);
    descriptor.name = text.name;
    auto words = to_words(descriptor);
    return {words.begin(), words.end()};
  }

  void expectation(const ExpectationText& text) {
    Expectation expectation;
    expectation.space = text.space;
    expectation.address =
        std::uint32_t(evaluator_.integer(text.address, "a word's address", 0, 0xffffffff).value_or(0));
    check_space(text);
    if (text.tolerance) expectation.tolerance = tolerance(*text.tolerance);
    expectation.words = words_of(text.items, data_words_.count(text.items), text.span);
    expectation.location = report_.locate(text.span);
    if (text.items.empty()) {
      report_.error(text.span, "nothing is expected here", "data directives say what: .f32 1.0, 2.0");
    }
    program_.expectations.push_back(std::move(expectation));
  }

  /// Reports an address that is just a block's name if the block is in another memory.
  void check_space(const ExpectationText& text) {
    if (text.address.kind != Expression::Kind::symbol) return;
    for (const BlockText& block : file_.blocks) {
      if (block.name.quoted || block.name.text != text.address.symbol || block.space == text.space) continue;
      report_.error(text.address.span, fmt::format("'{}' is in {}, not in {}", block.name.text, to_string(block.space),
                                                   to_string(text.space)));
    }
  }

  double tolerance(const Expression& expression) {
    std::optional<double> value = evaluator_.real(expression, "a tolerance");
    if (value && *value < 0) report_.error(expression.span, "a tolerance is not negative");
    return value.value_or(0);
  }

  void labels() {
    std::map<std::string, Span> first;
    for (std::size_t i = 0; i < file_.labels.size(); ++i) {
      const Name& name = file_.labels[i].name;
      auto [found, fresh] = first.emplace(name.text, name.span);
      if (!fresh) {
        report_.error(name.span, fmt::format("'{}' is defined already", name.text),
                      fmt::format("it is defined on line {}", report_.line(found->second)));
      }
      std::optional<std::int64_t> address = layout_.label_address(i);
      if (address) program_.labels.emplace(name.text, std::uint32_t(*address));
    }
  }

  Report& report_;
  const FileText& file_;
  Layout layout_;
  Evaluator evaluator_;
  DataWords data_words_;
  Program program_;
  std::int64_t data_ = 0;  ///< data words so far
};

}  // namespace

Program assemble(const std::string& file, std::string_view text) {
  Report report(file, text);
  FileText parsed = parse(report);
  Program program = Assembler(report, parsed).run();
  report.throw_if_any();
  program.name = file;
  program.source = lines_of(text);
  return program;
}

}  // namespace podsim::hw::isa::pasm
