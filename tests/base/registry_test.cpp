// SPDX-License-Identifier: Apache-2.0
#include "base/registry.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace podsim::base {
namespace {

struct NamedThing {
  std::string text;
  std::string_view name() const { return text; }
};

std::shared_ptr<const NamedThing> thing(const char* name) { return std::make_shared<NamedThing>(NamedThing{name}); }

TEST(Registry, FindsWhatWasAddedInItsOrder) {
  Registry<NamedThing> registry;
  registry.add(thing("second-one"), {"own"});
  registry.add(thing("a_3"), {"own"});
  ASSERT_EQ(registry.objects().size(), 2u);
  EXPECT_EQ(registry.objects()[0]->text, "second-one");
  EXPECT_EQ(registry.find("a_3"), registry.objects()[1]);
  EXPECT_EQ(registry.find("own"), nullptr);
}

TEST(Registry, TakesNoNameTwiceAndNoneThatIsNoWord) {
  Registry<NamedThing> registry;
  registry.add(thing("mine"), {"own"});
  for (const char* name : {"mine", "own", "", "Mine", "3d", "-a", "a b", "a.b", "a|b"}) {
    EXPECT_THROW(registry.add(thing(name), {"own"}), std::invalid_argument) << name;
  }
  EXPECT_EQ(registry.objects().size(), 1u);
}

}  // namespace
}  // namespace podsim::base
