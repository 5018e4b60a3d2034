// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

namespace podsim::hw::memory {

/// Pages mapped from the operating system, which read as zero and take no host memory until they are written.
class MappedPages {
 public:
  /// std::bad_alloc if the pages cannot be mapped.
  explicit MappedPages(std::size_t bytes);
  ~MappedPages();
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_;
};

/// An array whose elements start out as zero bytes, so that a large array of which little is used is cheap to make.
template <class T>
class ZeroPages {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit ZeroPages(std::size_t size) : pages_(size * sizeof(T)) {}

  T* data() const { return static_cast<T*>(pages_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  MappedPages pages_;
};

}  // namespace podsim::hw::memory
