// SPDX-License-Identifier: Apache-2.0
// Part of hlo/text/attribute_value.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/diagnostic.h"
#include "hlo/text/value_list.h"

namespace podsim::hlo::text {
namespace {

struct WindowField {
  std::string_view name;
  void (*read)(Scanner&, hlo::WindowDimension&);
};

constexpr std::array<WindowField, 6> window_fields{{
    {"size", [](Scanner& s, hlo::WindowDimension& d) { d.size = read_positive(s, "a window's size"); }},
    {"stride", [](Scanner& s, hlo::WindowDimension& d) { d.stride = read_positive(s, "a stride"); }},
    {"pad",
     [](Scanner& s, hlo::WindowDimension& d) {
       d.padding_low = s.integer("padding such as 1_1");
       s.expect('_', "between low and high padding");
       d.padding_high = s.integer("the high padding");
     }},
    {"lhs_dilate", [](Scanner& s, hlo::WindowDimension& d) { d.base_dilation = read_positive(s, "a dilation"); }},
    {"rhs_dilate", [](Scanner& s, hlo::WindowDimension& d) { d.window_dilation = read_positive(s, "a dilation"); }},
    {"rhs_reversal",
     [](Scanner& s, hlo::WindowDimension& d) { d.window_reversal = s.integer("0 or 1 per dimension") != 0; }},
}};

void read_window_field(Scanner& scanner, std::vector<hlo::WindowDimension>& window) {
  scanner.skip_space();
  const std::string_view name = scanner.name("a window's field");
  const auto* field = std::ranges::find(window_fields, name, &WindowField::name);
  if (field == window_fields.end()) {
    std::vector<std::string> names;
    for (const WindowField& known : window_fields) names.emplace_back(known.name);
    scanner.fail_at(name, fmt::format("a window has no '{}'", name), base::did_you_mean(name, names));
  }
  scanner.expect('=');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  std::size_t count = 0;
  const bool first = window.empty();
  read_by_x(scanner, [&] {
    if (first) window.emplace_back();
    if (count == window.size()) scanner.fail_at(taken(scanner, begin), "more dimensions than the fields before");
    field->read(scanner, window[count++]);
  });
  if (count != window.size()) {
    scanner.fail_at(taken(scanner, begin),
                    fmt::format("{} dimensions, but {} in the fields before", count, window.size()));
  }
}

/// One of the three words of dim_labels. `first` and `second` are the dimensions with letters instead of numbers.
struct Labels {
  int first = -1, second = -1;
  std::vector<int> spatial;
};

Labels labels_of(const Scanner& scanner, std::string_view word, char first, char second) {
  Labels labels;
  std::array<int, 10> spatial{};
  spatial.fill(-1);
  std::size_t digits = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c == '?') continue;  // an unused dimension
    int* place = c == first ? &labels.first : c == second ? &labels.second : nullptr;
    if (c >= '0' && c <= '9') {
      place = &spatial[std::size_t(c - '0')];
      ++digits;
    }
    if (place == nullptr || *place >= 0) {
      scanner.fail_at(word.substr(i, 1), fmt::format("expected each of '{}', '{}' and 0, 1, ... once", first, second));
    }
    *place = int(i);
  }
  if (labels.first < 0 || labels.second < 0) {
    scanner.fail_at(word, fmt::format("expected a dimension '{}' and a dimension '{}'", first, second));
  }
  for (std::size_t i = 0; i < digits; ++i) {
    if (spatial[i] < 0) scanner.fail_at(word, fmt::format("spatial dimension {} is missing", i));
    labels.spatial.push_back(spatial[i]);
  }
  return labels;
}

std::string_view read_label_word(Scanner& scanner, std::string_view what) {
  const std::string_view text = scanner.text();
  const std::size_t begin = scanner.offset();
  std::size_t end = begin;
  const auto is_label = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '?'; };
  while (end < text.size() && is_label(text[end])) ++end;
  if (end == begin) scanner.fail_expected(what);
  scanner.move_to(end);
  return text.substr(begin, end - begin);
}

hlo::SliceDimension read_slice_dimension(Scanner& scanner) {
  hlo::SliceDimension slice;
  scanner.expect('[');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  slice.start = scanner.integer("where the slice starts");
  scanner.expect(':');
  slice.limit = scanner.integer("where the slice ends");
  if (scanner.accept(':')) slice.stride = read_positive(scanner, "a stride");
  if (slice.start < 0 || slice.limit < slice.start) {
    scanner.fail_at(taken(scanner, begin), "a slice starts at 0 or later and ends where it starts or later");
  }
  scanner.expect(']', "after a slice");
  return slice;
}

}  // namespace

std::vector<hlo::WindowDimension> read_window(Scanner& scanner) {
  std::vector<hlo::WindowDimension> window;
  scanner.expect('{', "of a window");
  while (!scanner.accept('}')) {
    read_window_field(scanner, window);
    scanner.accept(',');
  }
  return window;
}

hlo::ConvolutionDimensions read_dimension_labels(Scanner& scanner) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  constexpr std::string_view form = "dimension labels such as b01f_01io->b01f";
  const Labels input = labels_of(scanner, read_label_word(scanner, form), 'b', 'f');
  scanner.expect('_', "between the labels of input and kernel");
  const Labels kernel = labels_of(scanner, read_label_word(scanner, form), 'i', 'o');
  scanner.expect("->", "before the labels of the result");
  const Labels output = labels_of(scanner, read_label_word(scanner, form), 'b', 'f');
  if (input.spatial.size() != kernel.spatial.size() || input.spatial.size() != output.spatial.size()) {
    scanner.fail_at(taken(scanner, begin), "input, kernel and result have as many spatial dimensions");
  }
  return {input.first,    input.second, input.spatial, kernel.first,  kernel.second,
          kernel.spatial, output.first, output.second, output.spatial};
}

std::vector<hlo::SliceDimension> read_slice(Scanner& scanner) {
  std::vector<hlo::SliceDimension> slice;
  read_list(scanner, '{', '}', [&] { slice.push_back(read_slice_dimension(scanner)); });
  return slice;
}

std::vector<hlo::PadDimension> read_padding(Scanner& scanner) {
  std::vector<hlo::PadDimension> padding;
  read_by_x(scanner, [&] {
    hlo::PadDimension dimension;
    dimension.low = scanner.integer("padding such as 0_0x1_1");
    scanner.expect('_', "between low and high padding");
    dimension.high = scanner.integer("the high padding");
    if (scanner.accept('_')) dimension.interior = scanner.integer("the interior padding");
    padding.push_back(dimension);
  });
  return padding;
}

}  // namespace podsim::hlo::text
