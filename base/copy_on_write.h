// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace podsim::base {

/// A value that copies share until one of them changes: a member that most objects leave at its default takes no more
/// than a pointer in each of them, and copying it is as cheap. References to the value are valid until the next
/// edit() or assignment. T() is the default, and T must be comparable.
template <class T>
class CopyOnWrite {
 public:
  CopyOnWrite() = default;
  CopyOnWrite(T value) : value_(std::make_shared<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)

  const T& operator*() const {
    static const T none{};
    return value_ == nullptr ? none : *value_;
  }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor)

  /// The value of this copy alone.
  T& edit() {
    if (value_ == nullptr || value_.use_count() > 1) value_ = std::make_shared<T>(**this);
    return *value_;
  }

  bool operator==(const CopyOnWrite& other) const { return value_ == other.value_ || **this == *other; }

 private:
  std::shared_ptr<T> value_;
};

}  // namespace podsim::base
