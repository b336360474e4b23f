// SPDX-License-Identifier: BSD-3-Clause
#include "tests/style/type_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/style/comments.h"

namespace nmt::style {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> violations(const std::string& one, const std::string& other) {
  return type_name_violations(std::vector<SourceFile>{{"a.h", one}, {"b.cpp", other}});
}

TEST(TypeNames, AreDefinedOnceInANamespace) {
  EXPECT_THAT(violations("namespace nmt {\nstruct Cell {\n  int i;\n};\n}\n",
                         "namespace nmt {\n\nclass Cell final : public Base {\n};\n}\n"),
              ElementsAre("a.h:2, b.cpp:3: nmt::Cell is defined 2 times"));
  EXPECT_THAT(violations("namespace nmt { enum class Verdict { kIn }; }",
                         "namespace nmt {\nusing Verdict = std::vector<bool>;\n}"),
              ElementsAre("a.h:1, b.cpp:2: nmt::Verdict is defined 2 times"));
  EXPECT_THAT(violations("namespace a {\nnamespace b {\ntemplate <class T>\nstruct C {};\n}\n}",
                         "namespace a::b { struct C { int i = 0; }; }"),
              ElementsAre("a.h:4, b.cpp:1: a::b::C is defined 2 times"));
}

TEST(TypeNames, MayBeTheSameWhereTheyCannotMeet) {
  EXPECT_THAT(violations("namespace nmt { struct Cell {}; }", "namespace gpu { struct Cell {}; }"),
              IsEmpty());
  EXPECT_THAT(violations("namespace nmt { struct Cell {}; }",
                         "namespace nmt { namespace { struct Cell {}; } }"),
              IsEmpty());
  EXPECT_THAT(violations("namespace nmt { struct Cell {}; }",
                         "namespace nmt { struct Grid { struct Cell {}; }; }"),
              IsEmpty());
  EXPECT_THAT(violations("namespace nmt { struct Cell {}; }",
                         "namespace nmt { struct Cell; void f() { struct Cell {}; } }"),
              IsEmpty());
  EXPECT_THAT(violations("namespace nmt { struct Grid { struct Data; }; }",
                         "namespace nmt { struct Grid::Data { int i; }; }"),
              IsEmpty());
  EXPECT_THAT(violations("namespace nmt { struct Cell {}; }",
                         "// struct Cell {};\n/* struct Cell {}; */\n#define X struct Cell {};\n"
                         "const char* text = \"struct Cell {}\";"),
              IsEmpty());
}

TEST(TypeNames, AreUniqueInThisProject) {
  const std::vector<std::string> found = type_name_violations(read_tree(NMADTUNE_SOURCE_DIR));
  EXPECT_TRUE(found.empty()) << fmt::format("{}", fmt::join(found, "\n"));
}

TEST(Comments, AreTakenFromTheCode) {
  const std::string text =
      "#include \"a.h\"  // why\nint i = 1'000;  /* how\nmany */ char c = '\"'; // \"x\"\n"
      "auto s = R\"(// not)\" + \"\\\"// not\";\n";
  EXPECT_EQ(code_of(text), "\nint i = 1'000;  \n char c = ''; \nauto s =  + \"\";\n");
  EXPECT_EQ(comments_of(text), "// why\n/* how\nmany */// \"x\"\n\n");
}

}  // namespace
}  // namespace nmt::style
