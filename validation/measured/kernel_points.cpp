// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/kernel_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "base/csv_rows.h"
#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"

namespace podsim::validation::measured {
namespace {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

constexpr std::int64_t largest_size = 1 << 20;

InstructionId array(GraphBuilder& b, std::vector<std::int64_t> sizes) {
  return b.parameter(hlo::make_shape(hlo::ElementType::f32, std::move(sizes)), fmt::format("x{}", b.size()));
}

std::int64_t size_of(const std::string& digits) {
  const std::int64_t size = digits.size() > 7 ? largest_size + 1 : std::stoll(digits);
  if (size < 1 || size > largest_size) throw base::InputError(fmt::format("{} is not a size of an array", digits));
  return size;
}

/// Numbers of a text such as "256x1024".
std::vector<std::int64_t> sizes_of(const std::string& text, std::size_t count) {
  static const std::regex form(R"(\d+(x\d+)*)"), number(R"(\d+)");
  std::vector<std::int64_t> sizes;
  if (std::regex_match(text, form)) {
    for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
      sizes.push_back(size_of(at->str()));
    }
  }
  if (sizes.size() != count) throw base::InputError(fmt::format("'{}' is not {} sizes, as in 256x256", text, count));
  return sizes;
}

InstructionId gemm(GraphBuilder& b, const std::string& shape) {
  const std::vector<std::int64_t> sizes = sizes_of(shape, 3);
  const InstructionId lhs = array(b, {sizes[0], sizes[2]});
  return b.dot(lhs, array(b, {sizes[2], sizes[1]}), {{}, {}, {1}, {0}});
}

InstructionId conv2d(GraphBuilder& b, const std::string& shape) {
  static const std::regex part(R"(([A-Za-z]+)(\d+))");
  std::map<std::string, std::int64_t> sizes = {{"stride", 1}, {"pad", 0}};
  for (std::sregex_iterator at(shape.begin(), shape.end(), part), end; at != end; ++at) {
    sizes[(*at)[1]] = (*at)[1] == "pad" && (*at)[2] == "0" ? 0 : size_of((*at)[2]);
  }
  for (const char* needed : {"N", "H", "W", "Cin", "Cout", "K"}) {
    if (!sizes.contains(needed)) throw base::InputError(fmt::format("a convolution without {}", needed));
  }
  hlo::WindowDimension window;
  window.size = sizes["K"];
  window.stride = sizes["stride"];
  window.padding_low = window.padding_high = sizes["pad"];
  if (std::min(sizes["H"], sizes["W"]) + 2 * sizes["pad"] < sizes["K"]) {
    throw base::InputError("the window is larger than the image");
  }
  const InstructionId image = array(b, {sizes["N"], sizes["H"], sizes["W"], sizes["Cin"]});
  return b.convolution(image, array(b, {sizes["K"], sizes["K"], sizes["Cin"], sizes["Cout"]}), {window, window},
                       hlo::build::convolution_dimensions("b01f_01io->b01f"));
}

InstructionId mean_of_rows(GraphBuilder& b, InstructionId x) {
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const InstructionId sum = b.reduce_add(x, {1});
  return b.broadcast(b.multiply(sum, b.full_like(sum, 1.0 / double(sizes[1]))), sizes, {0});
}

InstructionId layernorm(GraphBuilder& b, const std::string& shape) {
  const std::vector<std::int64_t> sizes = sizes_of(shape, 2);
  const InstructionId x = array(b, sizes);
  const InstructionId centred = b.subtract(x, mean_of_rows(b, x));
  const InstructionId variance = mean_of_rows(b, b.multiply(centred, centred));
  const InstructionId scaled = b.multiply(centred, b.rsqrt(b.add(variance, b.full_like(variance, 1e-5))));
  const InstructionId gamma = b.broadcast(array(b, {sizes[1]}), sizes, {1});
  return b.add(b.multiply(scaled, gamma), b.broadcast(array(b, {sizes[1]}), sizes, {1}));
}

InstructionId softmax_of(GraphBuilder& b, InstructionId x, std::int64_t over) {
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  std::vector<std::int64_t> kept;
  for (std::int64_t d = 0; d < std::int64_t(sizes.size()); ++d) {
    if (d != over) kept.push_back(d);
  }
  const InstructionId raised = b.exponential(b.subtract(x, b.broadcast(b.reduce_max(x, {over}), sizes, kept)));
  return b.divide(raised, b.broadcast(b.reduce_add(raised, {over}), sizes, kept));
}

InstructionId softmax(GraphBuilder& b, const std::string& shape) {
  return softmax_of(b, array(b, sizes_of(shape, 2)), 1);
}

/// softmax(q k') v of heads x positions x features.
InstructionId attention(GraphBuilder& b, const std::string& shape) {
  const std::vector<std::int64_t> sizes = sizes_of(shape, 3);
  const InstructionId q = array(b, sizes), k = array(b, sizes), v = array(b, sizes);
  return b.dot(softmax_of(b, b.dot(q, k, {{0}, {0}, {2}, {2}}), 2), v, {{0}, {0}, {2}, {1}});
}

hlo::Module kernel(const std::string& name, const std::string& shape) {
  static const std::map<std::string, InstructionId (*)(GraphBuilder&, const std::string&)> writers = {
      {"gemm", gemm}, {"conv2d", conv2d}, {"layernorm", layernorm}, {"softmax", softmax}, {"attention", attention}};
  const auto found = writers.find(name);
  if (found == writers.end()) {
    throw base::InputError(fmt::format("'{}' is not a kernel", name), "gemm, conv2d, layernorm, softmax or attention");
  }
  GraphBuilder b(name);
  const InstructionId result = found->second(b, shape);
  return std::move(b).build(result);
}

Point timed(Silicon& silicon, const std::string& name, const std::string& shape, double cycles) {
  silicon.end_if_interrupted();
  const CoreModel::Times times = silicon.core("tpu-v3").times_of(kernel(name, shape));
  return {.name = name + " " + shape,
          .measured = cycles / 940e6,
          .modelled = times.modelled_s,
          .roofline = times.roofline_s};
}

}  // namespace

std::vector<PointClass> kernel_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass kernels{.name = "kernels", .machine = "tpu-v3", .file = file, .points = {}};
  base::read_csv_rows(file, text, "shape", [&](const base::CsvRow& row) {
    kernels.points.push_back(timed(silicon, row.text("kernel"), row.text("shape"), row.positive("cycles_at_940MHz")));
  });
  return {kernels};
}

std::vector<PointClass> attention_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass kernels{.name = "attention", .machine = "tpu-v3", .file = file, .points = {}};
  static const std::regex form(R"(attention (\d+)(?: heads)? x (\d+) x (\d+);.*)");
  base::read_csv_rows(file, text, "configuration", [&](const base::CsvRow& row) {
    std::smatch sizes;
    const std::string& configuration = row.text("configuration");
    if (row.text("kind") != "kernel" || !std::regex_match(configuration, sizes, form)) return;
    kernels.points.push_back(timed(silicon, "attention",
                                   fmt::format("{}x{}x{}", sizes[1].str(), sizes[2].str(), sizes[3].str()),
                                   row.positive("value")));
  });
  return {kernels};
}

}  // namespace podsim::validation::measured
