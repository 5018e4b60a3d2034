// SPDX-License-Identifier: Apache-2.0
#include "workloads/scalesim/scalesim_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/csv_reader.h"
#include "base/diagnostic.h"
#include "base/units.h"

namespace podsim::workloads::scalesim {
namespace {

using base::CsvField;
using Record = std::vector<base::CsvField>;

constexpr std::size_t max_errors = 20;
constexpr std::int64_t largest_value = std::int64_t(1) << 30;
constexpr double max_macs = double(std::int64_t(1) << 57);  ///< sums of cycles stay within 64 bits

/// A number of a layer, and the names of its column, reduced to letters and digits in lower case.
struct Column {
  std::string_view title;  ///< its name in SCALE-Sim
  std::vector<std::string_view> names;
};

const std::vector<Column>& convolution_columns() {
  static const std::vector<Column> columns = {{"IFMAP Height", {"ifmapheight", "ifmaph"}},
                                              {"IFMAP Width", {"ifmapwidth", "ifmapw"}},
                                              {"Filter Height", {"filterheight", "filterh", "filth"}},
                                              {"Filter Width", {"filterwidth", "filterw", "filtw"}},
                                              {"Channels", {"channels", "channel"}},
                                              {"Num Filter", {"numfilter", "numfilters"}},
                                              {"Strides", {"strides", "stride", "strideheight", "strideh"}}};
  return columns;
}

const std::vector<Column>& product_columns() {
  static const std::vector<Column> columns = {{"M", {"m"}}, {"N", {"n"}}, {"K", {"k"}}};
  return columns;
}

const Column layer_column{"Layer name", {"layername", "layer", "name"}};
const Column stride_width_column{"Stride Width", {"stridewidth", "stridew"}};
constexpr std::size_t stride_width_position = 8;

std::string folded(std::string_view name) {
  std::string result;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  return result;
}

/// The field without the blanks around it, with its location adjusted.
base::CsvField trimmed(base::CsvField field) {
  constexpr const char* blanks = " \t\r";
  const std::size_t begin = std::min(field.value.find_first_not_of(blanks), field.value.size());
  const std::size_t end = field.value.find_last_not_of(blanks) + 1;
  if (begin >= end) return {"", field.offset, 1};
  const int cut = int(field.value.size() - (end - begin));
  return {field.value.substr(begin, end - begin), field.offset + begin, std::max(1, field.length - cut)};
}

bool starts_as_number(const base::CsvField& field) {
  return !field.value.empty() && std::string_view("0123456789+-.").find(field.value[0]) != std::string_view::npos;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

class TopologyReader {
 public:
  TopologyReader(const std::string& file, std::string_view text) : file_(file), records_(file, text) {}

  ScaleSimTopology read() {
    Record record;
    if (next(record)) {
      const bool has_header = std::ranges::none_of(record.begin() + 1, record.end(), starts_as_number);
      if (has_header) {
        read_header(record);
        if (!next(record)) record.clear();
      }
      read_layers(record, has_header);
    }
    if (!errors_.empty()) throw base::InputError(std::move(errors_));
    if (topology_.layers.empty()) {
      throw base::InputError(fmt::format("'{}' has no layers", file_), "a line for each: " + titles(true));
    }
    return std::move(topology_);
  }

 private:
  /// Reads the next record that is not empty, with its cells trimmed and without empty ones at the end.
  bool next(Record& record) {
    while (records_.next(record)) {
      std::ranges::transform(record, record.begin(), trimmed);
      while (!record.empty() && record.back().value.empty()) record.pop_back();
      if (!record.empty()) return true;
    }
    return false;
  }

  void read_header(const Record& header) {
    for (const base::CsvField& field : header) names_.push_back(folded(field.value));
    if (named(convolution_columns())) {
      convolutions_ = true;
    } else if (named(product_columns())) {
      convolutions_ = false;
    } else {
      return;
    }
    place_columns(header);
    warn_of_further_columns(header);
  }

  bool named(const std::vector<Column>& columns) const {
    return std::ranges::any_of(columns, [&](const Column& column) { return find(column).has_value(); });
  }

  std::optional<std::size_t> find(const Column& column) const {
    for (std::string_view name : column.names) {
      auto found = std::ranges::find(names_, name);
      if (found != names_.end()) return std::size_t(found - names_.begin());
    }
    return std::nullopt;
  }

  void place_columns(const Record& header) {
    name_at_ = find(layer_column).value_or(0);
    if (*convolutions_) stride_width_at_ = find(stride_width_column);
    std::vector<std::optional<std::size_t>> found;
    for (const Column& column : columns()) found.push_back(find(column));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t usual = i + 1;
      if (!found[i] && (usual >= header.size() || std::ranges::find(found, usual) != found.end())) {
        throw base::InputError({.message = fmt::format("there is no column '{}'", columns()[i].title),
                                .location = records_.location(header.back()),
                                .hint = "a header names " + titles(*convolutions_)});
      }
      positions_.push_back(found[i].value_or(usual));
    }
  }

  void warn_of_further_columns(const Record& header) {
    std::string further;
    for (std::size_t i = 0; i < header.size(); ++i) {
      const bool used = i == name_at_ || i == stride_width_at_ || std::ranges::find(positions_, i) != positions_.end();
      if (!used && !names_[i].empty()) further += fmt::format("{}'{}'", further.empty() ? "" : ", ", header[i].value);
    }
    if (!further.empty()) topology_.warnings.push_back("columns that are ignored: " + further);
  }

  /// Reads all layers. `record` is the first one, empty if there is none.
  void read_layers(Record& record, bool has_header) {
    if (record.empty()) return;
    if (positions_.empty()) guess_columns(record, has_header);
    do {
      read_layer(record);
    } while (errors_.size() < max_errors && next(record));
  }

  /// Determines the columns, without names, from the number of numbers in the first layer.
  void guess_columns(const Record& record, bool has_header) {
    const auto first = record.begin() + 1;
    const auto numbers = std::size_t(std::find_if_not(first, record.end(), starts_as_number) - first);
    convolutions_ = numbers >= convolution_columns().size();
    if (!*convolutions_ && numbers != product_columns().size()) {
      throw base::InputError(
          {.message = fmt::format("{} numbers follow the layer's name; a convolution has {}, a matrix product {}",
                                  numbers, convolution_columns().size(), product_columns().size()),
           .location = records_.location(record.back()),
           .hint = titles(true) + "; or " + titles(false)});
    }
    for (std::size_t i = 0; i < columns().size(); ++i) positions_.push_back(i + 1);
    const bool two_strides = *convolutions_ && !has_header && record.size() > stride_width_position &&
                             whole_number(record[stride_width_position].value);
    if (two_strides) stride_width_at_ = stride_width_position;
  }

  void read_layer(const Record& record) {
    if (!is_complete(record)) return;
    const std::size_t before = errors_.size();
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      values.push_back(number(record[positions_[i]], columns()[i].title));
    }
    if (*convolutions_) values.push_back(stride_width(record, values.back()));
    if (*convolutions_ && errors_.size() == before) {
      check_filter(record[positions_[2]], values[2], values[0], "high");
      check_filter(record[positions_[3]], values[3], values[1], "wide");
    }
    if (errors_.size() > before) return;
    ScaleSimLayer layer;
    layer.name = name_at_ < record.size() ? record[name_at_].value : "";
    if (layer.name.empty()) layer.name = fmt::format("layer {}", topology_.layers.size() + 1);
    if (*convolutions_) {
      layer.convolution = {values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]};
    } else {
      layer.product = {values[0], values[1], values[2]};
    }
    if (count_macs(layer, record)) add(std::move(layer));
  }

  std::int64_t stride_width(const Record& record, std::int64_t stride_height) {
    const bool given = stride_width_at_ && *stride_width_at_ < record.size();
    return given ? number(record[*stride_width_at_], stride_width_column.title) : stride_height;
  }

  void add(ScaleSimLayer layer) {
    if (const std::optional<ScaleSimConvolution>& c = layer.convolution) {
      layer.product = {c->output_height() * c->output_width(), c->filters,
                       c->filter_height * c->filter_width * c->channels};
    }
    topology_.layers.push_back(std::move(layer));
  }

  void check_filter(const base::CsvField& field, std::int64_t filter, std::int64_t input, std::string_view direction) {
    if (filter <= input) return;
    fail(field, fmt::format("the filter is {} {}, its input {}", filter, direction, input),
         "SCALE-Sim's layers have no padding: add it to the input");
  }

  /// Adds the multiply-accumulates of a layer; returns false if there are too many. Computes in floating point, since
  /// the product of the sizes may overflow an integer.
  bool count_macs(const ScaleSimLayer& layer, const Record& record) {
    double macs = double(layer.product.m) * double(layer.product.n) * double(layer.product.k);
    if (const std::optional<ScaleSimConvolution>& c = layer.convolution) {
      macs = double(c->output_height()) * double(c->output_width()) * double(c->filter_height) *
             double(c->filter_width) * double(c->channels) * double(c->filters);
    }
    macs_ += macs;
    if (macs_ < max_macs) return true;
    fail(record.front(), "more than 2^57 multiply-accumulates up to this layer");
    return false;
  }

  /// Returns whether the record has all columns; records an error for the first that it lacks.
  bool is_complete(const Record& record) {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (positions_[i] < record.size()) continue;
      fail(record.back(), fmt::format("the line ends before its {}", columns()[i].title), titles(*convolutions_));
      return false;
    }
    return true;
  }

  /// The value of a field. Records an error and returns 1 if it is invalid.
  std::int64_t number(const base::CsvField& field, std::string_view title) {
    const std::optional<std::int64_t> value = whole_number(field.value);
    if (value && *value >= 1 && *value <= largest_value) return *value;
    fail(field, fmt::format("{} '{}' is not a whole number from 1 to 2^30", title, field.value));
    return 1;
  }

  const std::vector<Column>& columns() const { return *convolutions_ ? convolution_columns() : product_columns(); }

  static std::string titles(bool convolutions) {
    std::string text{layer_column.title};
    for (const Column& column : convolutions ? convolution_columns() : product_columns()) {
      text += ", " + std::string(column.title);
    }
    return text;
  }

  void fail(const base::CsvField& field, std::string message, std::string hint = "") {
    errors_.push_back({.message = std::move(message), .location = records_.location(field), .hint = std::move(hint)});
  }

  std::string file_;
  base::CsvReader records_;
  std::vector<std::string> names_;  ///< names in the header, folded
  std::optional<bool> convolutions_;
  std::size_t name_at_ = 0;
  std::vector<std::size_t> positions_;  ///< by column in columns(), its index in a record
  std::optional<std::size_t> stride_width_at_;
  double macs_ = 0;
  ScaleSimTopology topology_;
  std::vector<base::Diagnostic> errors_;
};

}  // namespace

std::int64_t ScaleSimConvolution::output_height() const {
  return base::divide_round_up(input_height - filter_height, stride_height) + 1;
}

std::int64_t ScaleSimConvolution::output_width() const {
  return base::divide_round_up(input_width - filter_width, stride_width) + 1;
}

ScaleSimTopology read_scalesim_topology(const std::string& file, std::string_view text) {
  return TopologyReader(file, text).read();
}

bool is_topology_file(const std::string& workload) {
  std::string ending = workload.substr(workload.size() - std::min<std::size_t>(4, workload.size()));
  std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return ending == ".csv";
}

}  // namespace podsim::workloads::scalesim
