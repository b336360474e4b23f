// SPDX-License-Identifier: BSD-3-Clause
//
// outputs/ holds what the tools printed in a laboratory of ten hosts.
#include "contention/benchmark_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/error.h"

namespace nmt::contention {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string output(const std::string& name) {
  std::ifstream stream(NMT_OUTPUTS "/" + name);
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Import, ReadsWhatTheIntelBenchmarksPrint) {
  const Imported imported = import_times(output("imb-alltoall-6.txt"), "a", {});
  EXPECT_THAT(imported.unread, IsEmpty());
  ASSERT_THAT(imported.times, SizeIs(13));  // without the empty exchange
  EXPECT_EQ(imported.times[0], (ImportedTime{6, 64, 125590, 10}));
  EXPECT_EQ(imported.times[12], (ImportedTime{6, 262144, 254375.89e3, 10}));
  const Imported messages = import_times(output("imb-pingpong.txt"), "b", {});
  EXPECT_THAT(messages.unread, IsEmpty());
  ASSERT_THAT(messages.times, SizeIs(22));
  EXPECT_EQ(messages.times[0], (ImportedTime{0, 0, 7350, 100}));
}

TEST(Import, ReadsWhatTheOsuBenchmarksPrint) {
  const Imported imported = import_times(output("osu-alltoall-8.txt"), "a", 8);
  EXPECT_THAT(imported.unread, IsEmpty());
  ASSERT_THAT(imported.times, SizeIs(19));
  EXPECT_EQ(imported.times[0], (ImportedTime{8, 1, 352.58e3, 10}));
  const Imported messages = import_times(output("osu-latency.txt"), "b", {});
  EXPECT_THAT(messages.unread, IsEmpty());
  ASSERT_THAT(messages.times, SizeIs(24));
  EXPECT_EQ(messages.times[23], (ImportedTime{0, 4194304, 350365.86e3, 1}));
}

TEST(Import, AsksForRanksThatTheOutputDoesNotSay) {
  EXPECT_TRUE(needs_ranks(output("osu-alltoall-8.txt")));
  EXPECT_FALSE(needs_ranks(output("osu-latency.txt")));
  EXPECT_FALSE(needs_ranks(output("imb-alltoall-6.txt")));
  try {
    import_times(output("osu-alltoall-8.txt"), "file.txt", {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("file.txt"));
    EXPECT_THAT(error.what(), HasSubstr("-n"));
  }
}

TEST(Import, ReadsCsvWithAndWithoutRepetitions) {
  EXPECT_THAT(
      import_times("n,m_bytes,time_ns,rep\n4,1024,5000,0\n4,1024,5100.5,1\r\n", "a", {}).times,
      ElementsAre(ImportedTime{4, 1024, 5000, 1}, ImportedTime{4, 1024, 5100.5, 1}));
  EXPECT_THAT(import_times("n,m_bytes,time_ns\n8,64,70\n", "a", {}).times,
              ElementsAre(ImportedTime{8, 64, 70, 1}));
  EXPECT_THAT(import_times("m_bytes,time_ns\n0,70\n", "a", {}).times,
              ElementsAre(ImportedTime{0, 0, 70, 1}));
}

TEST(Import, NamesEachLineThatItCannotRead) {
  const Imported imported = import_times(
      "n,m_bytes,time_ns\n4,1024,5000\n4,64K,5000\n4,1024,5us\n4,1024,-5\n1,1024,5\n4,0,5\nx,1,1\n"
      "4,1024\n4,1024,0\n4,1024,nan\n",
      "a", {});
  EXPECT_THAT(imported.times, SizeIs(1));
  ASSERT_THAT(imported.unread, SizeIs(9));
  EXPECT_EQ(imported.unread[0].line, 3u);
  EXPECT_THAT(imported.unread[0].problem, HasSubstr("'4,64K,5000'"));
  EXPECT_THAT(imported.unread[1].problem, HasSubstr("without a unit"));
}

TEST(Import, RefusesColumnsInAnotherUnit) {
  const Imported imported =
      import_times("# OSU MPI Latency Test v9\n# Size  Latency (ms)\n0  6.28\n1  6.3\n", "a", {});
  EXPECT_THAT(imported.times, IsEmpty());
  EXPECT_THAT(imported.unread, Contains(Field(&UnreadLine::line, 2u)));
}

TEST(Import, NamesABrokenRowOfATool) {
  std::string text = output("osu-alltoall-8.txt");
  text += "524288    oops   1.0   2.0   10\n1048576   3.0\n";
  const Imported imported = import_times(text, "a", 8);
  EXPECT_THAT(imported.times, SizeIs(20));  // the slowest rank's time of the first is whole
  EXPECT_THAT(imported.unread, SizeIs(1));
}

TEST(Import, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(import_times("hello\n1 2 3\n", "a", {}), Error);
  EXPECT_THROW(import_times("", "a", {}), Error);
}

TEST(Import, ReadsMessagesThatWereUnderWayTogether) {
  const Imported imported = import_times(
      "# hosts: a,b,c\nround,from,to,time_ns\n0,a,b,100\n1,b,c,200\n1,c,a,250\n1,c,c,9\n1,a,b,-1\n"
      "n,m_bytes,time_ns\n3,1024,5000\n",
      "flows.csv", {});
  EXPECT_EQ(imported.flow_hosts, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(imported.flows.size(), 3u);
  EXPECT_EQ(imported.flows[2], (FlowTime{1, 2, 0, 250}));
  EXPECT_EQ(imported.unread.size(), 2u);  // to itself; no time
  EXPECT_EQ(imported.times.size(), 1u);
}

}  // namespace
}  // namespace nmt::contention
