// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "base/parameters/key_level.h"
#include "base/parameters/value_kinds.h"

namespace podsim::base::parameters {

/// One key of a machine file and the member of `Record` that it sets. The declaration is the only one of the key:
///
///   {"interval_cycles", &Parameters::interval, cycles(1, 4096), {ops, kernels}}
///
/// The member is a pointer to a member, or a function that returns a reference to a part of the record. The kind
/// (value_kinds.h) reads the value and rejects one out of its range.
template <class Record>
struct Parameter {
  template <class Member, class Kind>
  requires std::invocable<Kind, const Reading&, const std::string&> Parameter(std::string name, Member member,
                                                                              Kind kind, KeyLevels where)
      : key(std::move(name)),
        levels(std::move(where)),
        read([member, kind](const Reading& reading, const std::string& of_key, Record& record) {
          auto& place = std::invoke(member, record);
          place = static_cast<std::remove_reference_t<decltype(place)>>(kind(reading, of_key));
        }),
        add_to([member](ContentHash& hash, Record& record) { add_value(hash, std::invoke(member, record)); }) {}

  std::string key;   ///< without its section in a declaration, with it in Section::parameters()
  KeyLevels levels;  ///< where the models read it
  std::function<void(const Reading&, const std::string& key, Record&)> read;
  std::function<void(ContentHash&, Record&)> add_to;

 private:
  template <class Value>
  static void add_value(ContentHash& hash, const Value& value) {
    hash.add(value);
  }
  template <class Value>
  static void add_value(ContentHash& hash, const std::vector<Value>& values) {
    hash.add(values.size());
    for (const Value& value : values) hash.add(value);
  }
};

/// The keys of one section of a machine file, which are the members of a record. The order is that in which values are
/// read and rejected.
template <class Record>
class Section {
 public:
  Section(const std::string& name, std::vector<Parameter<Record>> parameters) : parameters_(std::move(parameters)) {
    for (Parameter<Record>& parameter : parameters_) parameter.key = name + "." + parameter.key;
  }

  const std::vector<Parameter<Record>>& parameters() const { return parameters_; }

  /// InputError for a value out of its range, at the location that set it.
  void read(const Reading& reading, Record& record) const {
    for (const Parameter<Record>& parameter : parameters_) parameter.read(reading, parameter.key, record);
  }
  Record read(const Reading& reading) const {
    Record record;
    read(reading, record);
    return record;
  }

  /// Adds every value whose key `concerns` accepts.
  template <class Concerns>
  void add_to(ContentHash& hash, const Record& record, const Concerns& concerns) const {
    Record copy = record;  // members are reached through references that could change them
    for (const Parameter<Record>& parameter : parameters_) {
      if (concerns(parameter)) parameter.add_to(hash, copy);
    }
  }
  void add_to(ContentHash& hash, const Record& record) const {
    add_to(hash, record, [](const Parameter<Record>&) { return true; });
  }

 private:
  std::vector<Parameter<Record>> parameters_;
};

template <class Record>
void append_uses(const Section<Record>& section, std::vector<KeyUse>& uses) {
  for (const Parameter<Record>& parameter : section.parameters()) uses.push_back({parameter.key, parameter.levels});
}

}  // namespace podsim::base::parameters
