// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "hlo/stablehlo/formula.h"

namespace podsim::hlo::stablehlo {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Giles, "Approximating the erfinv function" (GPU Computing Gems 2, 2011): single precision.
constexpr std::array centre{2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                            -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
constexpr std::array tail{-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                          -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};

// The same of double precision, and of the far tail.
constexpr std::array wide_centre{
    -3.64441206401782e-21,   -1.6850591381820166e-19, 1.28584807152564e-18,    1.1157877678025181e-17,
    -1.3331716628546209e-16, 2.0972767875968562e-17,  6.6376381343583238e-15,  -4.0545662729752069e-14,
    -8.1519341976054722e-14, 2.6335093153082323e-12,  -1.2975133253453532e-11, -5.4154120542946279e-11,
    1.0512122733215323e-09,  -4.1126339803469837e-09, -2.9070369957882005e-08, 4.2347877827932404e-07,
    -1.3654692000834679e-06, -1.3882523362786469e-05, 0.00018673420803405714,  -0.000740702534166267,
    -0.0060336708714301491,  0.24015818242558962,     1.6536545626831027};
constexpr std::array wide_tail{
    2.2137376921775787e-09,  9.0756561938885391e-08, -2.7517406297064545e-07, 1.8239629214389228e-08,
    1.5027403968909828e-06,  -4.013867526981546e-06, 2.9234449089955446e-06,  1.2475304481671779e-05,
    -4.7318229009055734e-05, 6.8284851459573175e-05, 2.4031110387097894e-05,  -0.00035503752036284748,
    0.0009532893797373805,   -0.0016882755560235047, 0.0024914420961078508,   -0.0037512085075692412,
    0.0053709145535900636,   1.0052589676941592,     3.0838856104922208};
constexpr std::array far_tail{-2.7109920616438573e-11, -2.5556418169965252e-10, 1.5076572693500548e-09,
                              -3.789465440126737e-09,  7.61570120807834e-09,    -1.496002662714924e-08,
                              2.9147953450901081e-08,  -6.7711997758452339e-08, 2.2900482228026655e-07,
                              -9.9298272942317e-07,    4.5260625972231537e-06,  -1.9681778105531671e-05,
                              7.5995277030017761e-05,  -0.00021503011930044477, -0.00013871931833623122,
                              1.0103004648645344,      4.8499064014085844};

std::string inverse_error_function(Formula& f, const std::string& x) {
  const std::string w =
      f.apply("negate", {f.apply("log-plus-one", {f.apply("multiply", {f.apply("negate", {x}), x})})});
  const std::string at_end = f.compare(f.apply("abs", {x}), f.number(1), "EQ");
  const std::string at_one = f.choose(f.less(x, f.number(0)), f.number(-infinity), f.number(infinity));
  // A root that is not chosen has no infinite slope.
  const double limit = f.is_double() ? 6.25 : 5;
  const std::string root = f.apply("sqrt", {f.choose(f.less(w, f.number(limit)), f.number(limit), w)});
  if (f.is_double()) {
    const std::string inner = f.polynomial(f.subtract(w, f.number(3.125)), wide_centre);
    const std::string outer =
        f.choose(f.less(w, f.number(16)), f.polynomial(f.subtract(root, f.number(3.25)), wide_tail),
                 f.polynomial(f.subtract(root, f.number(5)), far_tail));
    return f.choose(at_end, at_one, f.multiply(f.choose(f.less(w, f.number(6.25)), inner, outer), x));
  }
  const std::string near = f.polynomial(f.apply("subtract", {w, f.number(2.5)}), centre);
  const std::string far = f.polynomial(f.apply("subtract", {root, f.number(3)}), tail);
  const std::string p = f.choose(f.less(w, f.number(5)), near, far);
  return f.choose(at_end, at_one, f.apply("multiply", {p, x}));
}

// Chebyshev coefficients of exp(-x) I1(x), of which Cephes (Moshier, i1.c) has these: divided by x on [0, 8], and
// times the root of x beyond. The last 17 and 7 are enough for single precision.
constexpr std::array bessel_inner{
    2.7779141127610464e-18, -2.111421214358166e-17,  1.5536319577362005e-16, -1.1055969477353862e-15,
    7.6006842947354077e-15, -5.0421855047279118e-14, 3.2237933659455748e-13, -1.9839743977649436e-12,
    1.1736186298890901e-11, -6.6634897235020271e-11, 3.6255902815521172e-10, -1.8872497517228294e-09,
    9.3815373864957726e-09, -4.4450591287963281e-08, 2.0032947535521353e-07, -8.5687202646954547e-07,
    3.4702513081376785e-06, -1.3273163656039436e-05, 4.7815651075500542e-05, -0.00016176081582589674,
    0.00051228595616857576, -0.0015135724506312532,  0.0041564229443128882,  -0.010564084894626197,
    0.024726449030626516,   -0.052945981208094989,   0.10264365868984709,    -0.17641651835783406,
    0.25258718644363365};
constexpr std::array bessel_outer{
    7.5172963108421052e-18,  4.4143483230717077e-18,  -4.6503053684893586e-17, -3.2095259219934238e-17,
    2.96262899764595e-16,    3.3082023109209285e-16,  -1.8803547755107825e-15, -3.8144030724370075e-15,
    1.0420276984128802e-14,  4.272440016711951e-14,   -2.1015418427726643e-14, -4.0835511110921974e-13,
    -7.1985517762459084e-13, 2.0356285441470896e-12,  1.4125807436613782e-11,  3.2526035830154884e-11,
    -1.8974958123505413e-11, -5.5897434621965838e-10, -3.835380385964237e-09,  -2.6314688468895196e-08,
    -2.5122362378702088e-07, -3.8825648088776906e-06, -0.00011058893876262371, -0.0097610974913614687,
    0.77857623501828011};

/// Clenshaw's rule, the highest term first.
std::string chebyshev(Formula& f, const std::string& x, std::span<const double> coefficients) {
  std::string last = f.number(0), before = last, previous;
  for (const double coefficient : coefficients) {
    previous = before;
    before = last;
    last = f.add(f.subtract(f.multiply(x, before), previous), f.number(coefficient));
  }
  return f.multiply(f.number(0.5), f.subtract(last, previous));
}

/// The modified Bessel function of order 1, times exp(-|x|).
std::string scaled_bessel(Formula& f, const std::string& x) {
  const std::size_t inner_terms = f.is_double() ? 29 : 17, outer_terms = f.is_double() ? 25 : 7;
  const std::string y = f.apply("abs", {x}), two = f.number(2);
  const std::string inner = f.multiply(
      y, chebyshev(f, f.subtract(f.multiply(y, f.number(0.5)), two), std::span(bessel_inner).last(inner_terms)));
  const std::string outer =
      f.divide(chebyshev(f, f.subtract(f.divide(f.number(32), y), two), std::span(bessel_outer).last(outer_terms)),
               f.apply("sqrt", {y}));
  return f.multiply(f.apply("sign", {x}), f.choose(f.compare(y, f.number(8), "LE"), inner, outer));
}

// Lanczos' approximation with g = 7 and 9 terms (Numerical Recipes, 6.1).
constexpr std::array lanczos{676.520368121885098567,     -1259.13921672240287047,  771.3234287776530788487,
                             -176.61502916214059906585,  12.507343278686904814459, -0.13857109526572011689554707,
                             9.984369578019570859563e-6, 1.50563273514931155834e-7};
constexpr double lanczos_base = 0.99999999999980993227684700473478;
constexpr double half_log_2_pi = 0.918938533204672741780329736406;
constexpr double log_pi = 1.14472988584940017414342735135;
constexpr double log_7_5 = 2.01490302054226466;
constexpr double pi = 3.14159265358979323846;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

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

/// The derivative of the above. digamma(x) = digamma(1 - x) - pi / tan(pi x) below one half; NaN at 0, -1, -2, ...
std::string digamma(Formula& f, const std::string& x) {
  const std::string half = f.number(0.5);
  const std::string reflects = f.less(x, half);
  const std::string z = f.choose(reflects, f.apply("negate", {x}), f.subtract(x, f.number(1)));
  std::string sum = f.number(lanczos_base), slope = f.number(0);
  for (std::size_t i = 0; i < lanczos.size(); ++i) {
    const std::string term = f.add(z, f.number(double(i) + 1));
    const std::string quotient = f.divide(f.number(lanczos[i]), term);
    sum = f.add(sum, quotient);
    slope = f.subtract(slope, f.divide(quotient, term));
  }
  const std::string t = f.add(z, f.number(7.5));
  const std::string log_t = f.add(f.number(log_7_5), f.apply("log-plus-one", {f.divide(z, f.number(7.5))}));
  const std::string direct = f.subtract(f.add(log_t, f.divide(slope, sum)), f.divide(f.number(7), t));
  const std::string nearest = f.apply("floor", {f.add(x, half)});
  const std::string angle = f.multiply(f.number(pi), f.subtract(x, nearest));
  const std::string cotangent = f.divide(f.apply("cosine", {angle}), f.apply("sine", {angle}));
  const std::string reflected = f.subtract(direct, f.multiply(f.number(pi), cotangent));
  const std::string value = f.choose(reflects, reflected, direct);
  const std::string is_pole = f.both(f.compare(x, f.number(0), "LE"), f.is_whole(x));
  return f.choose(is_pole, f.number(not_a_number), value);
}

// (2 k)! / B(2 k) for k = 1 to 12, of Bernoulli's numbers B.
constexpr std::array bernoulli{12.0,
                               -720.0,
                               30240.0,
                               -1209600.0,
                               47900160.0,
                               -1307674368000.0 / 691,
                               74724249600.0,
                               -10670622842880000.0 / 3617,
                               5109094217170944000.0 / 43867,
                               -802857662698291200000.0 / 174611,
                               14101100039391805440000.0 / 77683,
                               -1693824136731743669452800000.0 / 236364091};
constexpr int summed_terms = 9;

/// Hurwitz' zeta function, the sum of (q + k)^-x over k = 0, 1, ..., by Euler and Maclaurin: nine terms, the integral
/// of the rest, and 12 terms of its correction. Infinite at x = 1 and where q is 0, -1, ...; NaN for x < 1.
std::string zeta(Formula& f, const std::string& x, const std::string& q) {
  const std::string one = f.number(1), exponent = f.apply("negate", {x});
  std::string sum = f.apply("power", {q, exponent}), a = q;
  for (int k = 1; k < summed_terms; ++k) {
    a = f.add(a, one);
    sum = f.add(sum, f.apply("power", {a, exponent}));
  }
  a = f.add(a, one);
  const std::string inverse_square = f.divide(one, f.multiply(a, a));
  std::string correction = f.number(1 / bernoulli.back());
  for (std::size_t k = bernoulli.size() - 1; k > 0; --k) {
    const double next = double(2 * k);
    const std::string factor = f.multiply(f.add(x, f.number(next - 1)), f.add(x, f.number(next)));
    correction = f.add(f.number(1 / bernoulli[k - 1]), f.multiply(correction, f.multiply(factor, inverse_square)));
  }
  const std::string integral = f.divide(a, f.subtract(x, one));
  const std::string rest = f.add(f.add(integral, f.number(0.5)), f.multiply(f.divide(x, a), correction));
  const std::string value = f.add(sum, f.multiply(f.apply("power", {a, exponent}), rest));
  const std::string is_pole = f.both(f.compare(q, f.number(0), "LE"), f.is_whole(q));
  const std::string finite = f.choose(is_pole, f.number(infinity), value);
  return f.choose(f.compare(x, one, "EQ"), f.number(infinity),
                  f.choose(f.less(x, one), f.number(not_a_number), finite));
}

/// The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x). NaN where n is not a whole number from 0 on.
std::string polygamma(Formula& f, const std::string& n, const std::string& x) {
  const std::string one = f.number(1), two = f.number(2), order = f.add(n, one);
  const std::string is_even = f.compare(f.multiply(two, f.apply("floor", {f.divide(n, two)})), n, "EQ");
  const std::string sign = f.choose(is_even, f.number(-1), one);
  const std::string factorial = f.apply("exponential", {log_gamma(f, order)});
  const std::string derivative = f.multiply(f.multiply(sign, factorial), zeta(f, order, x));
  const std::string is_order = f.both(f.compare(n, f.number(0), "GE"), f.is_whole(n));
  return f.choose(is_order, f.choose(f.compare(n, f.number(0), "EQ"), digamma(f, x), derivative),
                  f.number(not_a_number));
}

std::string complement_of_erf(Formula& f, const std::string& x) {
  return f.apply("subtract", {f.number(1), f.apply("erf", {x})});
}

std::string arc_tangent(Formula& f, const std::string& x) { return f.apply("atan2", {x, f.number(1)}); }
std::string square(Formula& f, const std::string& x) { return f.apply("multiply", {x, x}); }

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

/// chlo.next_after on the bits of both numbers: a step of one in the magnitude of the first, towards the second.
void write_next_after(OperationWriter& writer) {
  const Type own = writer.operand_type(0);
  const std::size_t width = own.element == "f64" ? 64 : own.element == "f32" ? 32 : 16;
  if (width == 16 && own.element != "bf16" && own.element != "f16") {
    writer.fail("chlo.next_after of " + own.element + " has no translation");
  }
  const Type bits = writer.array_type("u" + std::to_string(width), own.dimensions);
  const std::string zero = writer.filled(own, "0"), one = writer.filled(bits, "1");
  const std::string sign = writer.filled(bits, std::to_string(std::uint64_t(1) << (width - 1)));
  const std::string x = writer.operand(0), y = writer.operand(1);
  Formula f(writer, own);
  const auto as_bits = [&](const std::string& value) { return writer.add(bits, "bitcast-convert", {value}); };
  const std::string x_bits = as_bits(x);
  const std::string outwards = f.both(f.compare(f.apply("abs", {x}), f.apply("abs", {y}), "LT"),
                                      f.compare(f.apply("sign", {x}), f.apply("sign", {y}), "EQ"));
  const std::string step = writer.add(
      bits, "select", {outwards, writer.add(bits, "add", {x_bits, one}), writer.add(bits, "subtract", {x_bits, one})});
  const std::string from_zero = writer.add(bits, "or", {writer.add(bits, "and", {as_bits(y), sign}), one});
  const std::string moved = writer.add(bits, "select", {f.compare(x, zero, "EQ"), from_zero, step});
  const std::string next = f.choose(f.compare(x, y, "EQ"), y, f.apply("bitcast-convert", {moved}));
  const std::string is_number = f.both(f.compare(x, x, "EQ"), f.compare(y, y, "EQ"));
  writer.define({f.choose(is_number, next, f.add(x, y))});
}

constexpr auto special_rows = std::to_array<OperationRow>({
    {"chlo.erf_inv", [](OperationWriter& writer) { write_formula(writer, inverse_error_function); }},
    {"chlo.bessel_i1e", [](OperationWriter& writer) { write_formula(writer, scaled_bessel); }},
    {"chlo.erfc", write_erfc},
    {"chlo.lgamma", [](OperationWriter& writer) { write_formula(writer, log_gamma); }},
    {"chlo.digamma", [](OperationWriter& writer) { write_formula(writer, digamma); }},
    {"chlo.zeta", [](OperationWriter& writer) { write_formula(writer, zeta); }},
    {"chlo.polygamma", [](OperationWriter& writer) { write_formula(writer, polygamma); }},
    {"chlo.next_after", write_next_after},
    {"chlo.atan", write_atan},
    {"chlo.square", write_square},
    {"chlo.is_inf", write_is_infinite},
    {"chlo.is_pos_inf", write_is_infinite},
    {"chlo.is_neg_inf", write_is_infinite},
});

}  // namespace

std::span<const OperationRow> special_function_rows() { return special_rows; }

}  // namespace podsim::hlo::stablehlo
