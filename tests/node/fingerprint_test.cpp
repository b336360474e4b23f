// SPDX-License-Identifier: BSD-3-Clause
#include "node/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/libraries.h"
#include "node/topology.h"

namespace nmt::node {
namespace {

using testing::Pair;

Fields of(const std::string& machine) {
  return cheap_fingerprint(std::string(NMT_TEST_MACHINES) + "/" + machine);
}

TEST(Fingerprint, TellsAServerByItsFiles) {
  EXPECT_THAT(of("two-packages"),
              testing::UnorderedElementsAre(
                  Pair("cpu_model", "Intel(R) Xeon(R) Platinum 8480+"),
                  Pair("cpu_id", "GenuineIntel 6/143/8"), Pair("cores", "8"),
                  Pair("numa_nodes", "2"), Pair("smt", "on"), Pair("cpu_governor", "performance"),
                  Pair("machine", "Dell Inc. PowerEdge R760"), Pair("kernel", "6.1.0-18-amd64"),
                  Pair("huge_pages", "always")));
}

TEST(Fingerprint, KnowsProcessorsWithoutAModelName) {
  EXPECT_EQ(of("arm")["cpu_model"], "ARM 0xd0c");
  EXPECT_EQ(of("arm")["cpu_id"], "implementer 0x41 part 0xd0c variant 0x3 revision 1");
  EXPECT_EQ(of("arm")["cores"], "64");
  EXPECT_EQ(of("power")["cpu_model"], "POWER9, altivec supported");
  EXPECT_EQ(of("power")["numa_nodes"], "2");
}

TEST(Fingerprint, TellsAVirtualMachine) {
  EXPECT_EQ(of("guest")["hypervisor"], "yes");
  EXPECT_FALSE(of("two-packages").contains("hypervisor"));
}

TEST(Fingerprint, LeavesOutWhatTheMachineDoesNotTell) { EXPECT_TRUE(of("nowhere").empty()); }

TEST(Fingerprint, DiffersInTheFieldThatChanged) {
  Fields before = of("two-packages");
  Fields now = before;
  now["kernel"] = "6.1.0-19-amd64";
  EXPECT_EQ(differences(before, now),
            (std::vector<Difference>{{"kernel", "6.1.0-18-amd64", "6.1.0-19-amd64"}}));
}

TEST(Fingerprint, IsTheSameEveryTime) { EXPECT_EQ(cheap_fingerprint(), cheap_fingerprint()); }

TEST(Fingerprint, FullOneKeepsEveryCheapField) {
  const Fields full = full_fingerprint();
  for (const auto& [name, value] : cheap_fingerprint()) {
    ASSERT_TRUE(full.contains(name)) << name;
    EXPECT_EQ(full.at(name), value) << name;
  }
  EXPECT_TRUE(full.contains("packages"));
  EXPECT_TRUE(full.contains("libc"));
}

TEST(PlatformName, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(platform_name(of("two-packages")),
            "Intel(R) Xeon(R) Platinum 8480+, 8 cores, Linux 6.1");
  EXPECT_EQ(platform_name(of("guest")), "AMD EPYC, 1 core, Linux 6.18");
  EXPECT_EQ(platform_name({}), "unknown processor");
  EXPECT_EQ(platform_name({{"kernel", "7"}}), "unknown processor, Linux 7");
}

TEST(Topology, CountsPartsAndCaches) {
  const Fields fields = topology_fields("package:2 l3:1(size=32MiB) l2:4(size=1MiB) core:1 pu:2");
  EXPECT_EQ(fields.at("packages"), "2");
  EXPECT_EQ(fields.at("physical_cores"), "8");
  EXPECT_EQ(fields.at("l2_cache"), "8 x 1 MiB, 1 core each");
  EXPECT_EQ(fields.at("l3_cache"), "2 x 32 MiB, 4 cores each");
  EXPECT_FALSE(fields.contains("l1d_cache"));
}

TEST(Topology, IsEmptyForANonsensicalDescription) { EXPECT_TRUE(topology_fields("bogus").empty()); }

TEST(Libraries, MpiVersionsAreReadFromTheirOwnWords) {
  EXPECT_EQ(parse_mpi_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev"),
            (LibraryVersion{"open_mpi", "4.1.4"}));
  EXPECT_EQ(parse_mpi_version("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr"),
            (LibraryVersion{"mpich", "4.0.2"}));
  EXPECT_EQ(parse_mpi_version("Intel(R) MPI Library 2021.9 for Linux* OS\n"),
            (LibraryVersion{"intel_mpi", "2021.9"}));
  EXPECT_EQ(parse_mpi_version("Some Vendor MPI 3\nmore"),
            (LibraryVersion{"mpi", "Some Vendor MPI 3"}));
  EXPECT_EQ(parse_mpi_version("Open MPI v"), (LibraryVersion{"open_mpi", ""}));
}

TEST(Libraries, AnMpiIsAskedForItsVersion) {
  EXPECT_EQ(library_version(NMT_TEST_MPI), (LibraryVersion{"open_mpi", "9.8.7"}));
}

TEST(Libraries, OthersTellTheirVersionByTheirFile) {
  EXPECT_EQ(library_version(NMT_TEST_LIBRARY),
            (LibraryVersion{"libnmt_test_versioned", "1.14.44"}));
}

TEST(Libraries, OneThatIsMissingOrCrashesIsAbsent) {
  EXPECT_EQ(library_version("libnmt_no_such_library.so.1"), std::nullopt);
  EXPECT_EQ(library_version(NMT_TEST_CRASHING), std::nullopt);
}

}  // namespace
}  // namespace nmt::node
