// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim::base {

/// Throws std::invalid_argument if `name` is in `taken`, or is not a word of lower-case letters, digits, '_' and '-'
/// that begins with a letter.
void check_registered_name(std::string_view name, const std::vector<std::string_view>& taken);

/// Objects that a program adds to podsim, by name(), in the order of registration. They are registered before the
/// program runs, and by one thread.
template <class Object>
class Registry {
 public:
  /// `taken`: names that podsim has itself. Throws as check_registered_name().
  void add(std::shared_ptr<const Object> object, std::vector<std::string_view> taken) {
    for (const auto& other : objects_) taken.push_back(other->name());
    check_registered_name(object->name(), taken);
    objects_.push_back(std::move(object));
  }
  const std::vector<std::shared_ptr<const Object>>& objects() const { return objects_; }
  /// nullptr for a name that is not registered.
  std::shared_ptr<const Object> find(std::string_view name) const {
    const auto found = std::ranges::find_if(objects_, [&](const auto& object) { return object->name() == name; });
    return found == objects_.end() ? nullptr : *found;
  }

 private:
  std::vector<std::shared_ptr<const Object>> objects_;
};

}  // namespace podsim::base
