// SPDX-License-Identifier: Apache-2.0
#include "report/run/json_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace podsim::report::run {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view key, Names names) { return std::ranges::find(names, key) != names.end(); }

/// What runs write under a key: "a number", "a text", "a list", "an object"; empty if the type depends on where the key
/// is.
std::string_view type_of(std::string_view key) {
  if (is_one_of(key, {"breakdown_s", "memory", "machine_peaks", "train_loop", "training", "input", "placement", "start",
                      "memory_banks", "chip_parts", "args"})) {
    return "an object";
  }
  if (is_one_of(key, {"traceEvents", "warnings", "notes", "loops", "stages", "collectives", "mesh", "published", "ops",
                      "collectives_by_axis", "largest_at_peak"})) {
    return "a list";
  }
  if (is_one_of(key, {"name", "kind", "axes", "dtype", "algorithm", "op", "workload", "machine", "slice", "detail",
                      "bound_by", "source", "sharding", "program", "build", "command_line", "cat", "ph"})) {
    return "a text";
  }
  const bool number = is_one_of(key, {"ts", "dur", "pid", "tid", "trips", "count", "chips", "cores", "steps", "batch",
                                      "group_size", "simulated_chips", "schema_version", "first_core", "minutes"});
  const Names ends = {"_s", "_ps", "_bytes", "_bytes_per_core", "_share", "_position", "_per_s"};
  const auto ends_key = [&](std::string_view end) { return key.ends_with(end); };
  return number || std::ranges::any_of(ends, ends_key) ? "a number" : "";
}

/// Counts the bytes that the parser has taken.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

/// Ends the parse at the first value whose type is not that of its key.
class FaultFinder : public nlohmann::json_sax<Json> {
 public:
  explicit FaultFinder(const std::size_t& taken) : taken_(taken) {}

  const std::string& fault() const { return fault_; }
  std::size_t offset() const { return taken_; }

  bool null() override { return value("null"); }
  bool boolean(bool) override { return value("a bool"); }
  bool number_integer(number_integer_t) override { return value("a number"); }
  bool number_unsigned(number_unsigned_t) override { return value("a number"); }
  bool number_float(number_float_t, const string_t&) override { return value("a number"); }
  bool string(string_t&) override { return value("a text"); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return value("an object"); }
  bool start_array(std::size_t) override { return value("a list"); }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool value(std::string_view type) {
    const std::string_view wanted = type_of(key_);
    // "step_times_s" is a list of numbers, "compute_parts_s" an object of them.
    const bool numbers = wanted == "a number" && (type == "a list" || type == "an object");
    if (!wanted.empty() && wanted != type && !numbers) {
      fault_ = fmt::format("'{}' is {}, and a run writes {} there", key_, type, wanted);
      return false;
    }
    key_.clear();  // elements of a list have no key of their own
    return true;
  }
  bool end() {
    key_.clear();
    return true;
  }

  const std::size_t& taken_;
  std::string key_, fault_;
};

}  // namespace

std::optional<base::Diagnostic> json_fault(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::size_t taken = 0;
  FaultFinder finder(taken);
  Json::sax_parse(CountingIterator(text.data(), &taken), CountingIterator(text.data() + text.size(), &taken), &finder);
  if (finder.fault().empty()) return std::nullopt;
  const std::size_t offset = finder.offset() > 0 ? finder.offset() - 1 : 0;
  return base::Diagnostic{base::Diagnostic::Severity::error, finder.fault(), base::locate(file.string(), text, offset),
                          ""};
}

void reject_json(const std::vector<std::filesystem::path>& files) {
  std::string names;
  for (const std::filesystem::path& file : files) {
    if (const auto fault = json_fault(file)) throw base::InputError(*fault);
    names += fmt::format("{}'{}'", names.empty() ? "" : " or ", file.string());
  }
  throw base::InputError(
      fmt::format("{} is not what 'podsim run -o' writes: it lacks a value, or has one of another type", names),
      "the command of the run writes the folder anew");
}

}  // namespace podsim::report::run
