// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/leave_out.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "base/diagnostic.h"
#include "validation/measured/fitted_parameters.h"
#include "validation/measured/measured_sources.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
constexpr double min_gain = 1e-5;    ///< of the mean error, for which a parameter moves
constexpr double min_effect = 1e-3;  ///< on the error of a source that tells a parameter
constexpr int max_rounds = 4;        ///< over all parameters, for each length of step
constexpr std::size_t networks_apart = 8;

/// The head and every eighth line of a table of many networks.
std::string thinned(const MeasuredSource& source) {
  if (source.name != "mbconv_inference") return source.text;
  std::istringstream lines(source.text);
  std::string result, line;
  for (std::size_t i = 0; std::getline(lines, line); ++i) {
    if (i == 0 || i % networks_apart == 1) result += line + "\n";
  }
  return result;
}

double mean_error(const std::vector<PointClass>& classes) {
  double sum = 0;
  std::size_t counted = 0;
  for (const PointClass& measured : classes) {
    double wrong = 0, weight = 0;
    for (const Point& point : measured.points) {
      if (!point.modelled || point.measured <= 0) continue;
      wrong += point.weight * std::abs(*point.modelled / point.measured - 1);
      weight += point.weight;
    }
    if (weight <= 0) continue;
    sum += wrong / weight;
    ++counted;
  }
  return counted > 0 ? sum / double(counted) : 0;
}

using Configure = std::function<base::Config(const std::string&)>;

/// Errors of the sources under values of the parameters. Each is modelled once for equal values of those that act.
class Errors {
 public:
  Errors(const std::string& folder, const Configure& configure) : configure_(configure) {
    keys_ = measured_keys(configure("tpu-v3"));
    for (MeasuredSource& source : measured_sources(folder).sources) {
      source.text = thinned(source);
      sources_.push_back({std::move(source), std::vector<bool>(keys_.size(), true), {}});
    }
  }

  const std::vector<std::string>& keys() const { return keys_; }
  std::size_t sources() const { return sources_.size(); }
  const std::string& name(std::size_t source) const { return sources_[source].measured.name; }
  std::size_t evaluations() const { return evaluations_; }
  Steps shipped() const { return Steps(keys_.size(), 0); }
  void set_without_effect(std::size_t source, std::size_t key) { sources_[source].acts[key] = false; }

  /// Infinite if a machine cannot have the values.
  double of(std::size_t index, Steps steps) {
    Source& source = sources_[index];
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = source.acts[i] ? steps[i] : 0;
    const auto [known, is_new] = source.known.try_emplace(steps, impossible);
    if (!is_new) return known->second;
    const auto configure = [&](const std::string& machine) {
      base::Config config = configure_(machine);
      apply(keys_, steps, config);
      return config;
    };
    Silicon silicon(configure, &kept_);
    try {
      known->second = mean_error(source.measured.read(source.measured.path, source.measured.text, silicon));
    } catch (const base::InputError&) {
      if (steps == shipped()) throw;
    }
    ++evaluations_;
    return known->second;
  }

  /// Mean over all sources but one; -1 leaves out none.
  double mean(int left_out, const Steps& steps) {
    double sum = 0;
    int counted = 0;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (int(i) == left_out) continue;
      sum += of(i, steps);
      ++counted;
    }
    return counted > 0 ? sum / counted : 0;
  }

 private:
  struct Source {
    MeasuredSource measured;
    std::vector<bool> acts;  ///< for each key
    std::map<Steps, double> known;
  };

  const Configure& configure_;
  std::vector<std::string> keys_;
  std::vector<Source> sources_;
  Silicon::RebuiltProfiles kept_;
  std::size_t evaluations_ = 0;
};

class Fit {
 public:
  Fit(Errors& errors, int left_out)
      : errors_(errors), left_out_(left_out), best_(errors.shipped()), least_(errors.mean(left_out, best_)) {}

  Steps run() {
    for (int length = octave; length > 0; length /= 2) {
      for (int round = 0; round < max_rounds && improve_all(length); ++round) {
      }
    }
    return best_;
  }

 private:
  bool improve_all(int length) {
    bool improved = false;
    for (std::size_t key = 0; key < best_.size(); ++key) {
      improved = move(key, length) || move(key, -length) || improved;
    }
    return improved;
  }

  bool move(std::size_t key, int by) {
    Steps steps = best_;
    steps[key] += by;
    if (std::abs(steps[key]) > max_steps) return false;
    const double error = errors_.mean(left_out_, steps);
    if (!(error < least_ - min_gain)) return false;
    best_ = std::move(steps);
    least_ = error;
    return true;
  }

  Errors& errors_;
  int left_out_;
  Steps best_;
  double least_;
};

/// For each key and source, the largest change of the error at half and twice the value.
std::vector<std::vector<double>> effects(Errors& errors, const std::function<void(double)>& progress) {
  std::vector<std::vector<double>> found(errors.keys().size(), std::vector<double>(errors.sources(), 0));
  for (std::size_t key = 0; key < errors.keys().size(); ++key) {
    for (std::size_t source = 0; source < errors.sources(); ++source) {
      const double shipped = errors.of(source, errors.shipped());
      for (const int steps : {-octave, octave}) {
        Steps changed = errors.shipped();
        changed[key] = steps;
        const double error = errors.of(source, changed);
        if (error < impossible) found[key][source] = std::max(found[key][source], std::abs(error - shipped));
      }
      if (found[key][source] == 0) errors.set_without_effect(source, key);
    }
    progress(0.5 * double(key + 1) / double(errors.keys().size()));
  }
  return found;
}

std::vector<std::string> told_by(const Errors& errors, const std::vector<double>& effect) {
  std::vector<std::string> names;
  for (std::size_t source = 0; source < effect.size(); ++source) {
    if (effect[source] >= min_effect) names.push_back(errors.name(source));
  }
  return names;
}

double at_worst(Errors& errors, std::size_t source, Steps steps, const std::vector<FittedParameter>& parameters) {
  double worst = errors.of(source, steps);
  for (std::size_t key = 0; key < parameters.size(); ++key) {
    if (parameters[key].told_by != std::vector<std::string>{errors.name(source)}) continue;
    const int fitted = steps[key];
    for (const int by : {-octave, octave}) {
      Steps changed = steps;
      changed[key] = fitted + by;
      const double error = errors.of(source, changed);
      if (error >= impossible || error <= worst) continue;
      worst = error;
      steps = std::move(changed);
    }
  }
  return worst;
}

std::vector<std::size_t> indices_of(const Errors& errors, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < errors.sources(); ++i) known.push_back(errors.name(i));
  std::vector<std::size_t> indices;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      std::string all;
      for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
      const std::string near = base::did_you_mean(name, known);
      throw base::InputError("'" + name + "' is no source of the folder", near.empty() ? "there are " + all : near);
    }
    indices.push_back(std::size_t(found - known.begin()));
  }
  return indices;
}

}  // namespace

void leave_out(const std::string& folder, const std::vector<std::string>& names, const Configure& configure,
               LeaveOut& result, const std::function<void(double)>& progress) {
  const std::function<void(double)> report = progress ? progress : [](double) {};
  result.folder = folder;
  Errors errors(folder, configure);
  const std::vector<std::size_t> indices = indices_of(errors, names);
  const std::vector<std::vector<double>> effect = effects(errors, report);
  const Steps all = Fit(errors, -1).run();
  const base::Config machine = configure("tpu-v3");
  const std::vector<std::string>& keys = errors.keys();
  for (std::size_t key = 0; key < keys.size(); ++key) {
    const base::ConfigEntry& entry = machine.entry(keys[key]);
    result.parameters.push_back({keys[key], entry.text, value_after(entry, all[key]), told_by(errors, effect[key])});
  }
  for (const std::size_t source : indices) {
    report(0.5 + 0.5 * double(result.sources.size() + 1) / double(indices.size() + 1));
    const Steps others = Fit(errors, int(source)).run();
    LeftOut left{.source = errors.name(source),
                 .shipped = errors.of(source, errors.shipped()),
                 .in_sample = errors.of(source, all),
                 .left_out = errors.of(source, others),
                 .at_worst = at_worst(errors, source, others, result.parameters),
                 .values = {}};
    for (std::size_t key = 0; key < keys.size(); ++key) {
      left.values.push_back(value_after(machine.entry(keys[key]), others[key]));
    }
    result.sources.push_back(std::move(left));
    result.evaluations = errors.evaluations();
  }
}

}  // namespace podsim::validation::measured
