// SPDX-License-Identifier: BSD-3-Clause
//
// MPICH's selection tables: what the reader refuses, and which calls planted cells change. Those of
// an installed library: tests/tools/mpich_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "stacks/stacks.h"
#include "tests/stacks/planted_mpich.h"

namespace nmt::stacks {
namespace {

using testing::algorithms_text;
using testing::compositions_text;
using ::testing::HasSubstr;
using testing::planted_mpich_library;

MpichTables tables() {
  MpichTables tables;
  tables.algorithms = read_selection(algorithms_text(), "algorithms");
  tables.compositions = read_selection(compositions_text(), "compositions");
  tables.known = find_mpich_tables(planted_mpich_library()).value().known;
  return tables;
}

struct Call {
  std::string operation;
  int ranks = 0;
  std::uint64_t bytes = 0;  // of one rank
  std::string hierarchy = "parent";
  bool one_node = false;
  bool commutative = true, built_in = true, in_place = false;
};

bool passes(const std::string& test, const Call& call) {
  const auto number = [&] { return std::stoull(test.substr(test.find_first_of("0123456789"))); };
  const auto compared = [&](std::uint64_t value) {
    return test.find("<=") != std::string::npos ? value <= number() : value < number();
  };
  const auto is = [&](bool value) { return test.ends_with(value ? "=yes" : "=no"); };
  if (test.ends_with("=any")) return true;
  if (test.starts_with("collective=")) return test.ends_with("=" + call.operation);
  if (test.starts_with("comm_type=")) return test.ends_with("intra");
  if (test == "comm_size=pow2") return (call.ranks & (call.ranks - 1)) == 0;
  if (test == "comm_size=node_comm_size") return call.one_node;
  if (test.starts_with("comm_size")) return compared(static_cast<std::uint64_t>(call.ranks));
  if (test.starts_with("comm_hierarchy=")) return test.ends_with("=" + call.hierarchy);
  if (test.starts_with("avg_msg_size")) return compared(call.bytes);
  if (test.starts_with("total_msg_size")) return compared(call.bytes * call.ranks);
  if (test == "count<pow2") return call.bytes / 4 < static_cast<std::uint64_t>(call.ranks);
  if (test.starts_with("is_commutative")) return is(call.commutative);
  if (test.starts_with("is_op_built_in")) return is(call.built_in);
  if (test.starts_with("is_sendbuf_inplace")) return is(call.in_place);
  throw std::logic_error(test);
}

// As MPICH searches: never back up.
std::string chosen(const Selection& selection, const Call& call) {
  const Selection* level = &selection;
  for (;;) {
    const SelectionNode* taken = nullptr;
    for (const SelectionNode& node : *level) {
      if (node.is_leaf()) return node.test.substr(node.test.find('=') + 1);
      if (taken == nullptr && passes(node.test, call)) taken = &node;
    }
    if (taken == nullptr) return "none";
    level = &taken->below;
  }
}

RuledCell cell(const std::string& operation, std::int64_t ranks, std::uint64_t size_bytes,
               const std::string& algorithm, std::int64_t ranks_per_node) {
  return {.operation = operation,
          .ranks = ranks,
          .size_bytes = size_bytes,
          .algorithm = algorithm,
          .gain = {},
          .best_gain = 1,
          .ranks_per_node = ranks_per_node};
}

std::string refusal(const std::string& text, const std::vector<std::string>& known = {}) {
  try {
    read_selection(text, "rules.json", known);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string with(const std::string& bcast) {
  std::string text = algorithms_text();
  const std::size_t begin = text.find("\"collective=bcast\":");
  const std::size_t end = text.find("\"collective=reduce\":");
  return text.replace(begin, end - begin, "\n\"collective=bcast\":\n" + bcast + ",");
}

TEST(MpichSelection, ReadsBackAsItWasWritten) {
  EXPECT_EQ(refusal(algorithms_text()), "none");
  EXPECT_EQ(refusal(compositions_text()), "none");
  const Selection read = tables().algorithms;
  EXPECT_EQ(read_selection(write_selection(read), "again"), read);
}

// As json-c reads them, with which MPICH reads its files.
TEST(MpichSelection, MayHaveCommentsWhereThereMayBeBlanks) {
  const Selection table = tables().compositions;
  const std::string text = write_selection(table, "// For mpich 4.0.2.\n// {\n\n");
  EXPECT_TRUE(text.starts_with("// For mpich 4.0.2.\n"));
  EXPECT_EQ(read_selection(text, "commented"), table);
  EXPECT_EQ(read_selection("/* { \n **/*/" + text + "// the end", "commented"), table);
  EXPECT_THAT(refusal("/* a\n* b */\n// c\n{\n\"a\" /* d */ : {},, }"),
              HasSubstr("rules.json: line 5: found ','"));
  EXPECT_THAT(refusal("{}\n/* a **/"), HasSubstr("line 2: a comment has no end"));
  EXPECT_THAT(refusal("/ a\n{}"), HasSubstr("line 1: found '/'; expected '{'"));
}

// MPICH reads the byte behind the table, and nothing is mapped behind a page that is full.
TEST(MpichSelection, NeverFillsItsLastPage) {
  const Selection table = tables().compositions;
  const std::size_t bytes = write_selection(table).size();
  const std::string filling = "//" + std::string(4096 - bytes % 4096 - 3, ' ') + "\n";
  EXPECT_EQ(write_selection(table, filling).size() % 4096, 1u);
  EXPECT_EQ(write_selection(table, "//" + filling).size() % 4096, 2u);
}

TEST(MpichSelection, IsRefusedWithTheLineWhereACallWouldFindNoAlgorithm) {
  EXPECT_EQ(refusal(with("{\"algorithm=MPIR_Bcast_intra_binomial\":{}}")), "none");
  EXPECT_THAT(
      refusal(with("{\n\"comm_type=intra\":{\"algorithm=MPIR_Bcast_intra_binomial\":{}}}")),
      HasSubstr("rules.json: line 4: 'comm_type=intra': the last key of a level must be any"));
  EXPECT_THAT(refusal(with("{\"comm_size<=4\":\n{\"algorithm=MPIR_Bcast_intra_binomial\":{}}}")),
              HasSubstr("line 3: 'comm_size<=4': the last key of a level must be any"));
  EXPECT_THAT(refusal(with("{}")), HasSubstr("no key below it"));
  EXPECT_THAT(refusal(compositions_text() + "x"), HasSubstr("line 1: more than one table"));
  std::string fewer = algorithms_text();
  fewer.erase(fewer.rfind(",\"collective=scatterv\""));
  EXPECT_THAT(refusal(fewer + "}"), HasSubstr("collective=scatterv is missing"));
  EXPECT_THAT(refusal(fewer), HasSubstr("line 1: the file ends; expected"));
}

TEST(MpichSelection, IsRefusedWhereMpichMisreadsItOrKnowsNoSuchThing) {
  const std::string binomial = "{\"algorithm=MPIR_Bcast_intra_binomial\":{}}";
  EXPECT_THAT(refusal(with("{\"comm_sise<=4\":" + binomial + ",\"any\":" + binomial + "}")),
              HasSubstr("line 3: 'comm_sise<=4': MPICH does not know this test"));
  EXPECT_THAT(refusal(with("{\"comm_size<=4k\":" + binomial + ",\"any\":" + binomial + "}")),
              HasSubstr("the test cannot have this value"));
  EXPECT_THAT(
      refusal(with("{\"comm_size=any\":" + binomial + ",\"comm_size<2\":" + binomial + "}")),
      HasSubstr("never used, because it follows any"));
  EXPECT_THAT(refusal(with("{\"is_commutative=yes\":" + binomial + ",\"any\":" + binomial + "}")),
              HasSubstr("MPICH cannot test this for bcast: the call would end the program"));
  EXPECT_THAT(refusal(with("{\"comm_size<2\":" + binomial + ",\"comm_size < 2\":" + binomial +
                           ",\"any\":" + binomial + "}")),
              HasSubstr("twice"));
  EXPECT_THAT(refusal(with("{\"algorithm=MPIR_Reduce_intra_binomial\":{}}")),
              HasSubstr("not an algorithm of bcast"));
  EXPECT_THAT(refusal(with(binomial), {"algorithm=MPIR_Bcast_intra_smp"}),
              HasSubstr("the library has no such algorithm"));
  EXPECT_THAT(refusal(with("{\"composition=MPIDI_Bcast_intra_composition_alpha\":{}}")),
              HasSubstr("the file mixes two kinds of tables"));
}

TEST(MpichSelection, IsRefusedWhereAnAlgorithmLacksAParameterOrHasAnother) {
  const auto with_leaf = [](const std::string& parameters) {
    return refusal(with("{\"algorithm=MPIR_Bcast_intra_tree\":{" + parameters + "}}"));
  };
  const std::string most = R"("tree_type=kary":{},"k=4":{})";
  EXPECT_EQ(with_leaf(most + R"(,"is_non_blocking=1":{})"), "none");
  EXPECT_THAT(with_leaf(most), HasSubstr("its parameter is_non_blocking is missing"));
  EXPECT_THAT(with_leaf(most + R"(,"chunk_size=1":{})"), HasSubstr("has no such parameter"));
  EXPECT_THAT(with_leaf(most + R"(,"k=4":{})"), HasSubstr("given twice"));
  EXPECT_THAT(with_leaf(R"("tree_type=karry":{})"), HasSubstr("cannot have this value"));
  EXPECT_THAT(with_leaf(R"("k=0":{})"), HasSubstr("cannot have this value"));
  EXPECT_THAT(with_leaf(R"("k=4":{"k=4":{}})"), HasSubstr("only parameters below it"));
  EXPECT_THAT(refusal(with("{\"algorithm=MPIR_Bcast_intra_binomial\":{\"k=4\":{}}}")),
              HasSubstr("has no such parameter"));
}

TEST(MpichSelection, HasNoParametersFor40And41) {
  const std::string text =
      with(R"({"algorithm=MPIR_Bcast_intra_tree":{"tree_type=kary":{},"k=4":{},)"
           R"("is_non_blocking=1":{}}})");
  EXPECT_NO_THROW(read_selection(text, "rules.json"));
  EXPECT_THROW(read_selection(text, "rules.json", {}, false), Error);
  EXPECT_NO_THROW(check_file("mpich", "4.2.1", text, "rules.json"));
  EXPECT_THROW(check_file("mpich", "4.0.2", text, "rules.json"), Error);
}

TEST(MpichTables, NameAlgorithmsWithTheirParametersWhereTheLibraryHasThem) {
  const std::vector cells = {cell("allgather", 8, 64, "recexch_doubling:k=4", 4)};
  const std::string written = write_selection(with_rules(tables(), cells).algorithms);
  EXPECT_EQ(refusal(written), "none");
  EXPECT_THAT(written, ::testing::ContainsRegex("MPIR_Allgather_intra_recexch_doubling\": "
                                                "\\{[ \n]*\"k=4\": \\{\\},[ \n]*\"single_phase"));
  MpichTables older = tables();
  std::erase(older.known, "algorithm=MPIR_Allgather_intra_recexch_doubling");
  EXPECT_EQ(with_rules(older, cells).algorithms, older.algorithms);
}

TEST(MpichTables, AreFoundInTheBytesOfALibrary) {
  const std::optional<MpichTables> found = find_mpich_tables(planted_mpich_library());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->algorithms, tables().algorithms);
  EXPECT_EQ(found->compositions, tables().compositions);
  EXPECT_THAT(found->known, ::testing::Contains("algorithm=MPIR_Bcast_allcomm_nb"));
  EXPECT_FALSE(find_mpich_tables("no library"));
  std::string without = planted_mpich_library();
  without.erase(without.find(compositions_text()), compositions_text().size());
  EXPECT_FALSE(find_mpich_tables(without));
}

TEST(MpichTables, ChangeForTheSizesAndRanksThatWereMeasuredAndStayForAllOthers) {
  const MpichTables old = tables();
  const MpichTables ruled =
      with_rules(old, std::vector{cell("bcast", 8, 64, "default", 4),
                                  cell("bcast", 8, 1024, "scatter_ring_allgather", 4),
                                  cell("bcast", 8, 16384, "scatter_ring_allgather", 4),
                                  cell("bcast", 8, 262144, "nodes", 4)});
  const auto algorithm = [&](const Call& call) { return chosen(ruled.algorithms, call); };
  const auto composition = [&](const Call& call) { return chosen(ruled.compositions, call); };
  const std::string_view ring = "MPIR_Bcast_intra_scatter_ring_allgather";
  const std::string_view before = "MPIR_Bcast_intra_binomial";
  EXPECT_EQ(algorithm({"bcast", 8, 255}), before);  // below the geometric mean of 64 and 1024
  EXPECT_EQ(algorithm({"bcast", 8, 256}), ring);
  EXPECT_EQ(algorithm({"bcast", 15, 16384}), ring);
  EXPECT_EQ(algorithm({"bcast", 16, 16384}), before);
  EXPECT_EQ(algorithm({"bcast", 7, 16384}), before);
  EXPECT_EQ(algorithm({"bcast", 8, 16384, "flat"}), before);
  EXPECT_EQ(algorithm({"bcast", 8, 16384, "node_roots"}), before);
  EXPECT_EQ(algorithm({"bcast", 8, 16384, "parent", true}), before);
  EXPECT_EQ(algorithm({"allreduce", 8, 16384}), "MPIR_Allreduce_intra_recursive_doubling");
  const std::string_view over_all = "MPIDI_Bcast_intra_composition_gamma";
  EXPECT_EQ(composition({"bcast", 8, 64}), "MPIDI_Bcast_intra_composition_old");
  EXPECT_EQ(composition({"bcast", 8, 1024}), over_all);
  EXPECT_EQ(composition({"bcast", 8, 1 << 20}), "MPIDI_Bcast_intra_composition_alpha");
  EXPECT_EQ(composition({"bcast", 8, 1024, "parent", true}), "MPIDI_Bcast_intra_composition_old");
}

TEST(MpichTables, OfOneNodeAndOfOneRankOnEachAreForSuchCommunicatorsOnly) {
  const MpichTables ruled =
      with_rules(tables(), std::vector{cell("bcast", 4, 64, "scatter_ring_allgather", 4),
                                       cell("bcast", 8, 64, "smp", 1)});
  const std::string_view ring = "MPIR_Bcast_intra_scatter_ring_allgather";
  EXPECT_EQ(chosen(ruled.algorithms, {"bcast", 4, 64, "parent", true}), ring);
  EXPECT_NE(chosen(ruled.algorithms, {"bcast", 4, 64, "parent", false}), ring);
  // One that goes by nodes itself is not called where there are none.
  EXPECT_EQ(chosen(ruled.algorithms, {"bcast", 8, 64, "flat"}), "MPIR_Bcast_intra_binomial");
}

TEST(MpichTables, LeaveCallsThatAnAlgorithmCannotServeToTheOldOne) {
  const MpichTables ruled =
      with_rules(tables(), std::vector{cell("allgather", 8, 64, "recursive_doubling", 4),
                                       cell("allreduce", 8, 64, "reduce_scatter_allgather", 4),
                                       cell("reduce", 8, 64, "smp", 4),
                                       cell("alltoall", 8, 64, "pairwise", 4)});
  const auto algorithm = [&](const Call& call) { return chosen(ruled.algorithms, call); };
  EXPECT_EQ(algorithm({"allgather", 8, 64}), "MPIR_Allgather_intra_recursive_doubling");
  EXPECT_EQ(algorithm({"allgather", 12, 64}), "MPIR_Allgather_intra_brucks");
  Call call{"allreduce", 8, 64};
  EXPECT_EQ(algorithm(call), "MPIR_Allreduce_intra_reduce_scatter_allgather");
  call.bytes = 8;  // fewer elements than ranks
  EXPECT_EQ(algorithm(call), "MPIR_Allreduce_intra_recursive_doubling");
  call = {"allreduce", 8, 64};
  call.built_in = false;
  EXPECT_EQ(algorithm(call), "MPIR_Allreduce_intra_recursive_doubling");
  call = {"reduce", 8, 64};
  EXPECT_EQ(algorithm(call), "MPIR_Reduce_intra_smp");
  call.commutative = false;
  EXPECT_EQ(algorithm(call), "MPIR_Reduce_intra_binomial");
  call = {"alltoall", 8, 64};
  EXPECT_EQ(algorithm(call), "MPIR_Alltoall_intra_pairwise");
  call.in_place = true;
  EXPECT_EQ(algorithm(call), "MPIR_Alltoall_intra_brucks");
}

TEST(MpichTables, ByNodesNameTheAlgorithmOfTheFirstRanks) {
  const MpichTables ruled =
      with_rules(tables(), std::vector{cell("reduce", 16, 64, "nodes+reduce_scatter_gather", 4)});
  EXPECT_EQ(chosen(ruled.compositions, {"reduce", 16, 64}), "MPIDI_Reduce_intra_composition_alpha");
  Call call{"reduce", 16, 64};
  call.commutative = false;
  EXPECT_EQ(chosen(ruled.compositions, call), "MPIDI_Reduce_intra_composition_old");
  EXPECT_EQ(chosen(ruled.algorithms, {"reduce", 4, 64, "node_roots"}),
            "MPIR_Reduce_intra_reduce_scatter_gather");
  EXPECT_EQ(chosen(ruled.algorithms, {"reduce", 8, 64, "node_roots"}),
            "MPIR_Reduce_intra_binomial");  // of twice as many nodes
  EXPECT_EQ(chosen(ruled.algorithms, {"reduce", 16, 64}), "MPIR_Reduce_intra_binomial");
  EXPECT_EQ(refusal(write_selection(ruled.algorithms)), "none");
  EXPECT_EQ(refusal(write_selection(ruled.compositions)), "none");
}

TEST(MpichTables, TellEachWayByItsSizeWhileTheyAreTried) {
  std::vector<MpichTrial> trials;
  for (const MpichOperation& each : mpich_operations()) {
    trials.push_back({std::string(each.name), mpich_ways(each), {256, 1024}});
  }
  const std::vector<int> ranks = {8, 16};
  const MpichTables tried = with_trials(tables(), trials, ranks);
  EXPECT_EQ(refusal(write_selection(tried.algorithms)), "none");
  EXPECT_EQ(refusal(write_selection(tried.compositions)), "none");
  for (const MpichTrial& trial : trials) {
    const MpichOperation& operation = *find_mpich_operation(trial.operation);
    for (std::size_t i = 0; i < trial.ways.size(); ++i) {
      const std::uint64_t bytes = 1024 - kTrialStepBytes * (trial.ways.size() - 1 - i);
      const auto way = find_mpich_way(operation, trial.ways[i]);
      const bool by_nodes = way && way->by_nodes;
      const std::string there = chosen(tried.algorithms, {trial.operation, by_nodes ? 4 : 16, bytes,
                                                          by_nodes ? "node_roots" : "parent"});
      const bool named = way && way->algorithm != nullptr;
      EXPECT_EQ(there, named ? way->algorithm->function : operation.algorithms.front().function)
          << trial.operation << " " << trial.ways[i];
      if (operation.over_all.empty()) continue;
      const std::string above = chosen(tried.compositions, {trial.operation, 16, bytes});
      const std::string_view expected = by_nodes ? operation.over_nodes
                                        : way    ? operation.over_all
                                                 : "_old";
      EXPECT_THAT(above, ::testing::EndsWith(std::string(expected)));
    }
  }
}

}  // namespace
}  // namespace nmt::stacks
