// SPDX-License-Identifier: Apache-2.0
// Part of sw/stablehlo/operation_table.h.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "sw/stablehlo/operation_table.h"

namespace podsim::sw::stablehlo {
namespace {

/// Functions of CHLO that HLO has no opcode for are written out as XLA does: formulas on arrays of one type.
class Formula {
 public:
  Formula(OperationWriter& writer, Type type) : writer_(writer), type_(std::move(type)) {}

  std::string number(double value) {
    return writer_.filled(type_, value == std::numeric_limits<double>::infinity() ? "inf" : fmt::format("{}", value));
  }
  std::string apply(std::string_view opcode, std::initializer_list<std::string> operands) {
    return writer_.add(type_, opcode, operands);
  }
  std::string less(const std::string& a, const std::string& b) { return compare(a, b, "LT"); }
  std::string compare(const std::string& a, const std::string& b, std::string_view direction) {
    const Type predicate = writer_.array_type("pred", type_.dimensions);
    return writer_.add(predicate, "compare", {a, b}, fmt::format(", direction={}", direction));
  }
  std::string choose(const std::string& condition, const std::string& yes, const std::string& no) {
    return apply("select", {condition, yes, no});
  }
  /// Horner's rule, the highest power first.
  std::string polynomial(const std::string& x, std::span<const double> coefficients) {
    std::string sum = number(coefficients[0]);
    for (const double coefficient : coefficients.subspan(1)) {
      sum = apply("add", {apply("multiply", {sum, x}), number(coefficient)});
    }
    return sum;
  }

 private:
  OperationWriter& writer_;
  Type type_;
};

/// The single-precision type in which a function of narrower floats is computed.
Type wide_type(OperationWriter& writer) {
  const Type own = writer.operand_type(0);
  return own.element == "f64" ? own : writer.array_type("f32", own.dimensions);
}

/// Applies a formula to the operand as f32, or as f64.
void write_formula(OperationWriter& writer, std::string (*formula)(Formula&, const std::string&)) {
  const Type own = writer.operand_type(0), wide = wide_type(writer);
  Formula arithmetic(writer, wide);
  const bool same = own.element == wide.element;
  const std::string x = same ? writer.operand(0) : writer.add(wide, "convert", {writer.operand(0)});
  const std::string y = formula(arithmetic, x);
  writer.define({same ? y : writer.add(own, "convert", {y})});
}

// Giles, "Approximating the erfinv function" (GPU Computing Gems 2, 2011): single precision.
constexpr std::array centre{2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                            -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
constexpr std::array tail{-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                          -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};

std::string inverse_error_function(Formula& f, const std::string& x) {
  const std::string w =
      f.apply("negate", {f.apply("log-plus-one", {f.apply("multiply", {f.apply("negate", {x}), x})})});
  const std::string near = f.polynomial(f.apply("subtract", {w, f.number(2.5)}), centre);
  const std::string far = f.polynomial(f.apply("subtract", {f.apply("sqrt", {w}), f.number(3)}), tail);
  const std::string p = f.choose(f.less(w, f.number(5)), near, far);
  const std::string at_end = f.compare(f.apply("abs", {x}), f.number(1), "EQ");
  const std::string infinity = f.apply("multiply", {x, f.number(std::numeric_limits<double>::infinity())});
  return f.choose(at_end, infinity, f.apply("multiply", {p, x}));
}

void write_erf_inv(OperationWriter& writer) {
  if (writer.operand_type(0).element == "f64") {
    writer.fail("chlo.erf_inv of f64 has no translation", "its formula here is one of single precision");
  }
  write_formula(writer, inverse_error_function);
}

// Lanczos' approximation with g = 7 and 9 terms (Numerical Recipes, 6.1).
constexpr std::array lanczos{676.520368121885098567,     -1259.13921672240287047,  771.3234287776530788487,
                             -176.61502916214059906585,  12.507343278686904814459, -0.13857109526572011689554707,
                             9.984369578019570859563e-6, 1.50563273514931155834e-7};
constexpr double lanczos_base = 0.99999999999980993227684700473478;
constexpr double half_log_2_pi = 0.918938533204672741780329736406;
constexpr double log_pi = 1.14472988584940017414342735135;
constexpr double pi = 3.14159265358979323846;

std::string log_gamma(Formula& f, const std::string& x) {
  const std::string one = f.number(1), half = f.number(0.5);
  const std::string reflects = f.less(x, half);
  const std::string z = f.choose(reflects, f.apply("negate", {x}), f.apply("subtract", {x, one}));
  std::string sum = f.number(lanczos_base);
  for (std::size_t i = 0; i < lanczos.size(); ++i) {
    const std::string term = f.apply("add", {z, f.number(double(i) + 1)});
    sum = f.apply("add", {sum, f.apply("divide", {f.number(lanczos[i]), term})});
  }
  const std::string t = f.apply("add", {f.number(7.5), z});
  const std::string log_t = f.apply("log", {t});
  const std::string product =
      f.apply("multiply", {f.apply("subtract", {f.apply("add", {z, half}), f.apply("divide", {t, log_t})}), log_t});
  const std::string direct =
      f.apply("add", {f.apply("add", {f.number(half_log_2_pi), product}), f.apply("log", {sum})});
  // Reflection: lgamma(x) = log(pi) - log(|sin(pi x)|) - lgamma(1 - x), infinite at whole numbers below 1.
  const std::string magnitude = f.apply("abs", {x});
  const std::string part = f.apply("subtract", {magnitude, f.apply("floor", {magnitude})});
  const std::string near = f.choose(f.less(half, part), f.apply("subtract", {one, part}), part);
  const std::string log_sine = f.apply("log", {f.apply("sine", {f.apply("multiply", {f.number(pi), near})})});
  const std::string reflected = f.apply("subtract", {f.apply("subtract", {f.number(log_pi), log_sine}), direct});
  return f.choose(reflects, reflected, direct);
}

std::string complement_of_erf(Formula& f, const std::string& x) {
  return f.apply("subtract", {f.number(1), f.apply("erf", {x})});
}

std::string arc_tangent(Formula& f, const std::string& x) { return f.apply("atan2", {x, f.number(1)}); }
std::string square(Formula& f, const std::string& x) { return f.apply("multiply", {x, x}); }

void write_lgamma(OperationWriter& writer) { write_formula(writer, log_gamma); }
void write_erfc(OperationWriter& writer) { write_formula(writer, complement_of_erf); }
void write_atan(OperationWriter& writer) { write_formula(writer, arc_tangent); }

void write_square(OperationWriter& writer) {
  Formula f(writer, writer.operand_type(0));
  writer.define({square(f, writer.operand(0))});
}

/// chlo.is_inf, chlo.is_pos_inf and chlo.is_neg_inf.
void write_is_infinite(OperationWriter& writer) {
  const Type own = writer.operand_type(0);
  Formula f(writer, own);
  const std::string_view name = writer.operation().name;
  const std::string x = name == "chlo.is_inf" ? f.apply("abs", {writer.operand(0)}) : writer.operand(0);
  writer.define({f.compare(x, writer.filled(own, name == "chlo.is_neg_inf" ? "-inf" : "inf"), "EQ")});
}

constexpr auto special_rows = std::to_array<OperationRow>({
    {"chlo.erf_inv", write_erf_inv},
    {"chlo.erfc", write_erfc},
    {"chlo.lgamma", write_lgamma},
    {"chlo.atan", write_atan},
    {"chlo.square", write_square},
    {"chlo.is_inf", write_is_infinite},
    {"chlo.is_pos_inf", write_is_infinite},
    {"chlo.is_neg_inf", write_is_infinite},
});

}  // namespace

std::span<const OperationRow> special_function_rows() { return special_rows; }

}  // namespace podsim::sw::stablehlo
