// SPDX-License-Identifier: BSD-3-Clause
//
// nmad-tune diff and outliers on profiles of other versions of nmadtune.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "tests/tools/planted_launches.h"

namespace nmt::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OtherSchemas : public PlantedLaunches {
 protected:
  // A profile of version 0.1.
  std::string older() const {
    std::filesystem::copy_file(NMT_SCHEMA_1 "/profile.db", path("older.db"));
    return path("older.db");
  }
  std::string newer() const {
    const std::string file = history("newer.db", 6, {}, 1);
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, "PRAGMA user_version = 7", nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(handle);
    return file;
  }
};

TEST_F(OtherSchemas, AnOlderProfileIsReadAsItIs) {
  const std::string file = older(), before = read("older.db");
  const Result itself = tune({"diff", file, file, "--json"});
  EXPECT_EQ(itself.exit_code, 0) << itself.err;
  EXPECT_EQ(at(document(itself), "can_say"), json::Value(false));  // of too few launches
  const Result outliers = tune({"outliers", "--db", file});
  EXPECT_EQ(outliers.exit_code, 0) << outliers.err;
  EXPECT_THAT(outliers.out, HasSubstr("Cannot say"));
  EXPECT_EQ(read("older.db"), before) << "only writers migrate it";
}

TEST_F(OtherSchemas, AnOlderProfileIsComparedWithOneOfToday) {
  const std::string file = older();
  const Result result = tune({"diff", file, history("new.db", 6, {}, 1)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no path between the same nodes and rails in common"));
}

TEST_F(OtherSchemas, ANewerProfileIsRefusedByNameAndLeftAsItIs) {
  const std::string file = newer(), before = read("newer.db");
  const std::string today = history("today.db", 6, {}, 1);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"diff", file, today},
                                                  {"diff", today, file},
                                                  {"diff", today, "--db", file},
                                                  {"diff", "--since", "2026-11-10", "--db", file},
                                                  {"outliers", "--db", file}}) {
    const Result result = tune(command);
    EXPECT_EQ(result.exit_code, 6) << result.out;
    EXPECT_THAT(result.err, AllOf(HasSubstr(file), HasSubstr("has schema 7, this program knows")));
  }
  EXPECT_EQ(read("newer.db"), before);
}

}  // namespace
}  // namespace nmt::testing
