// SPDX-License-Identifier: BSD-3-Clause
//
// Whole profiles out and in again: nothing lost, nothing doubled, nothing half done, nothing told
// that was to stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/json.h"
#include "tests/profiledb/fixture.h"

namespace nmt::profiledb {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

ProfileDb filled(std::uint64_t seed) {
  ProfileDb database = ProfileDb::in_memory();
  fill(database, seed);
  return database;
}

TEST(Exchange, ExportAndImportLoseNothing) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ProfileDb from = filled(seed);
    const std::string text = from.export_json({});
    ProfileDb to = ProfileDb::in_memory();
    to.import_json(text, "export");
    EXPECT_EQ(ask(to), ask(from)) << "seed " << seed;
    EXPECT_EQ(to.export_json({}), text) << "seed " << seed;
    EXPECT_THAT(to.check(), IsEmpty());
  }
}

// More repetitions than there are values in any other document: three numbers each.
ProfileDb profile_of_millions() {
  constexpr int kCells = 114;
  constexpr std::size_t kEach = 50'000;
  MadeUp made_up(1);
  ProfileDb database = ProfileDb::in_memory();
  const Platform platform = database.ensure_platform({made_up.id(), "p", {}});
  const Node node = database.ensure_node({made_up.id(), "host"}, platform.id);
  const Rail rail{"tcp", "lo", {}};
  const Path path = database.ensure_path({made_up.id(), node.id, node.id, rail, rail});
  const Campaign campaign = made_up.campaign(platform.id);
  database.begin_campaign(campaign);
  const Session session = made_up.session();
  database.begin_session(session, campaign.id);
  std::vector<Sample> samples;
  for (int cell = 0; cell < kCells; ++cell) {
    Sample& sample = samples.emplace_back(Sample{.size_bytes = static_cast<std::uint64_t>(cell)});
    for (std::uint32_t i = 0; i < kEach; ++i) {
      sample.repetitions.push_back({.total_ns = 100'000 + i % 1000, .batch = 2, .round = i / 100});
    }
  }
  database.store_samples(session.id, path.id, samples);
  return database;
}

TEST(Exchange, ProfilesOfMillionsOfRepetitionsComeBack) {
  const std::string text = profile_of_millions().export_json({.salvage = true});
  ProfileDb to = ProfileDb::in_memory();
  to.import_json(text, "export");
  const Id campaign = to.campaigns(to.platforms()[0].id)[0].id;
  std::size_t repetitions = 0;
  for (const SampleSet& set : to.sample_sets(campaign)) {
    for (const Sample& sample : set.samples) repetitions += sample.repetitions.size();
  }
  EXPECT_EQ(repetitions, 5'700'000u);
}

TEST(Exchange, OfAWholeProfileASalvageIsTheExport) {
  const ProfileDb from = filled(1);
  EXPECT_EQ(from.export_json({.salvage = true}), from.export_json({}));
}

TEST(Exchange, WhatImportRefusesForItsSizeIsNotExported) {
  const ProfileDb from = filled(1);
  const std::size_t size_bytes = from.export_json({}).size();
  for (const bool salvage : {false, true}) {
    const auto export_at_most = [&](std::size_t most) {
      return from.export_json({.salvage = salvage, .size_bytes_max = most});
    };
    EXPECT_EQ(export_at_most(size_bytes).size(), size_bytes);
    EXPECT_THAT(refusal([&] { export_at_most(size_bytes - 1); }, Fault::kFailed),
                HasSubstr("nmad-tune db merge"));
  }
}

// What nmad-sample writes where a profile takes nothing any more is the file of one in memory. In
// JSON, a control character takes six bytes.
TEST(Exchange, AProfileThatIsTooLargeToExportIsWrittenAsAFile) {
  constexpr std::size_t kCampaigns = 3, kRemarkBytes = 15 << 20;
  ProfileDb from = ProfileDb::in_memory();
  MadeUp made_up(1);
  const Platform platform = from.ensure_platform({made_up.id(), "p", {}});
  for (std::size_t i = 0; i < kCampaigns; ++i) {
    Campaign campaign = made_up.campaign(platform.id);
    campaign.remark = std::string(kRemarkBytes, '\x01');
    from.begin_campaign(campaign);
    from.finish_campaign(campaign);
  }
  EXPECT_THAT(refusal([&] { from.export_json({}); }, Fault::kFailed), HasSubstr("accepts at most"));
  const TemporaryFolder folder(fast_storage());
  const std::string file = folder / "unsaved.db";
  std::ofstream(file, std::ios::binary) << from.file_content();
  EXPECT_TRUE(ProfileDb::is_database(file));
  ProfileDb to = ProfileDb::in_memory();
  to.merge(open_to_read(file));
  EXPECT_EQ(ask(to), ask(from));
}

TEST(Exchange, ImportingTwiceChangesNothing) {
  const std::string text = filled(1).export_json({});
  ProfileDb database = filled(1);
  const Answers before = ask(database);
  database.import_json(text, "export");
  EXPECT_EQ(ask(database), before);
}

TEST(Exchange, ImportAndMergeAreTheSameUnion) {
  const ProfileDb other = filled(2);
  ProfileDb imported = filled(3);
  ProfileDb merged = filled(3);
  const Answers before = ask(merged);
  imported.import_json(other.export_json({}), "export");
  merged.merge(other);
  const Answers after = ask(merged);
  EXPECT_EQ(ask(imported), after);
  EXPECT_EQ(after.samples.size(), before.samples.size() + ask(other).samples.size());
  for (const auto& [cell, sample] : before.samples) EXPECT_EQ(after.samples.at(cell), sample);
}

// One campaign of a launch of its own on a platform that all launches share.
Id launch(ProfileDb& database, std::uint64_t seed) {
  MadeUp made_up(seed);
  const Platform platform = database.ensure_platform({made_up.id(), "p", {{"kernel", "6.1"}}});
  const Node node = database.ensure_node({made_up.id(), "host"}, platform.id);
  const Rail rail{"tcp", "lo", {{"mtu", "65536"}}};
  const Path path = database.ensure_path({made_up.id(), node.id, node.id, rail, rail});
  Campaign campaign = made_up.campaign(platform.id);
  database.begin_campaign(campaign);
  const Session session = made_up.session();
  database.begin_session(session, campaign.id);
  database.store_samples(session.id, path.id, made_up.samples(4, 9));
  campaign.complete = true;
  database.finish_campaign(campaign);
  database.store_plan(made_up.plan(platform.id));
  return campaign.id;
}

TEST(Exchange, MergeFoldsEqualPlatformsNodesRailsAndPaths) {
  ProfileDb all = ProfileDb::in_memory();
  std::vector<Id> campaigns = {launch(all, 0)};
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    ProfileDb one = ProfileDb::in_memory();
    campaigns.push_back(launch(one, seed));
    all.merge(one);
  }
  ASSERT_THAT(all.platforms(), SizeIs(1));
  const Id platform = all.platforms()[0].id;
  EXPECT_THAT(all.paths(platform), SizeIs(1));
  EXPECT_THAT(all.campaigns(platform), SizeIs(5));
  all.pin(campaigns);
  const auto sets = all.sample_sets_in_force(platform);
  EXPECT_THAT(sets, SizeIs(5));
  for (const SampleSet& set : sets) EXPECT_EQ(set.path, all.paths(platform)[0]);
  EXPECT_FALSE(all.plan_is_current(platform));
  EXPECT_THAT(all.check(), IsEmpty());
}

TEST(Exchange, OfTwoVersionsTheOneThatKnowsMoreStays) {
  MadeUp made_up(7);
  ProfileDb ours = ProfileDb::in_memory();
  const Platform platform = ours.ensure_platform({made_up.id(), "p", {}});
  const Node node = ours.ensure_node({made_up.id(), "host"}, platform.id);
  const Path path =
      ours.ensure_path({made_up.id(), node.id, node.id, {"shm", "", {}}, {"shm", "", {}}});
  Campaign campaign = made_up.campaign(platform.id);
  ours.begin_campaign(campaign);
  const Session session = made_up.session();
  ours.begin_session(session, campaign.id);
  std::vector<Sample> samples = {made_up.sample(5), made_up.sample(5)};
  ours.store_samples(session.id, path.id, samples);
  ProfileDb theirs = ProfileDb::in_memory();
  theirs.merge(ours);
  samples[0].repetitions.resize(9);
  theirs.store_samples(session.id, path.id, std::span(&samples[0], 1));
  samples[1].repetitions.resize(7);
  ours.store_samples(session.id, path.id, std::span(&samples[1], 1));
  campaign.complete = true;
  campaign.remark = "resumed there";
  theirs.finish_campaign(campaign);
  ours.merge(theirs);
  EXPECT_EQ(ours.campaigns(platform.id)[0], campaign);
  EXPECT_THAT(ours.sample_sets(campaign.id)[0].samples,
              ::testing::UnorderedElementsAreArray(samples));
}

TEST(Exchange, GroupsOfPathsTravelAndFold) {
  MadeUp made_up(8);
  const auto with_group = [&](ProfileDb& database) {
    const Platform platform = database.ensure_platform({made_up.id(), "p", {}});
    const Node node = database.ensure_node({made_up.id(), "host"}, platform.id);
    std::vector<Id> paths;
    for (const std::string rail : {"r0", "r1"}) {
      const Rail end{"tcp", rail, {}};
      paths.push_back(database.ensure_path({made_up.id(), node.id, node.id, end, end}).id);
    }
    const Campaign campaign = made_up.campaign(platform.id);
    database.begin_campaign(campaign);
    const Session session = made_up.session();
    database.begin_session(session, campaign.id);
    const Id group = database.ensure_path_group(paths);
    database.store_samples(session.id, group, made_up.samples(1, 3));
    return group;
  };
  ProfileDb ours = ProfileDb::in_memory(), theirs = ProfileDb::in_memory();
  const Id group = with_group(ours);
  with_group(theirs);
  ours.merge(theirs);
  const Id platform = ours.platforms()[0].id;
  std::vector<Id> paths;
  for (const Path& path : ours.paths(platform)) paths.push_back(path.id);
  EXPECT_THAT(paths, SizeIs(2));
  EXPECT_EQ(ours.ensure_path_group(paths), group);
  for (const Campaign& campaign : ours.campaigns(platform)) {
    EXPECT_THAT(ours.sample_sets(campaign.id)[0].others, SizeIs(1));
  }
}

// ---- hostile and damaged documents ----

class HostileImport : public ::testing::Test {
 protected:
  // The message of refusing the export with one change; checks that nothing was imported.
  std::string refused(const std::function<void(json::Value&)>& change) {
    json::Value document = json::parse(text_, "export");
    std::erase_if(*document.get_if<json::Value::Object>(),
                  [](const auto& member) { return member.first == "digest"; });
    change(document);
    return refused_text(document.dump());
  }
  std::string refused_text(const std::string& text) {
    ProfileDb database = filled(20);
    const Answers before = ask(database);
    const std::string message = refusal([&] { database.import_json(text, "doc"); }, Fault::kFailed);
    EXPECT_EQ(ask(database), before);
    return message;
  }
  static json::Value& row(json::Value& document, const std::string& table, std::size_t index) {
    auto& members = *document.get_if<json::Value::Object>();
    for (auto& [key, value] : members) {
      if (key == table) return (*value.get_if<json::Value::Array>())[index];
    }
    throw std::logic_error(table);
  }
  const std::string text_ = filled(9).export_json({});
};

TEST_F(HostileImport, AcceptsAnExportWithoutItsDigest) {
  json::Value document = json::parse(text_, "export");
  std::erase_if(*document.get_if<json::Value::Object>(),
                [](const auto& member) { return member.first == "digest"; });
  ProfileDb database = ProfileDb::in_memory();
  database.import_json(document.dump(-1), "doc");
  EXPECT_EQ(database.export_json({}), text_);
}

TEST_F(HostileImport, RefusesWhatIsNoProfile) {
  EXPECT_THAT(refused_text("[]"), HasSubstr("not an exported profile"));
  EXPECT_THAT(refused_text("{}"), HasSubstr("not an exported profile"));
  EXPECT_THAT(refused_text(R"({"format":"other"})"), HasSubstr("not an exported profile"));
  EXPECT_THAT(refused_text(text_.substr(0, text_.size() / 2)), HasSubstr("doc: line "));
  EXPECT_THAT(refused_text(std::string(1'000'000, '[')), HasSubstr("64 levels"));
}

TEST_F(HostileImport, RefusesANewerSchemaWithBothNumbers) {
  EXPECT_THAT(refused([](json::Value& doc) { doc.set("schema_version", 99); }),
              HasSubstr("doc: schema_version: is 99, this program reads 1 to 2"));
}

TEST_F(HostileImport, RefusesRowsThatPointNowhere) {
  const std::string nowhere(32, 'f');
  const auto link = [&](const std::string& table, const std::string& column) {
    return refused([&](json::Value& doc) { row(doc, table, 0).set(column, nowhere); });
  };
  EXPECT_THAT(link("node", "platform"), StartsWith("doc: node[0].platform: no such platform"));
  EXPECT_THAT(link("rail", "node"), StartsWith("doc: rail[0].node: no such node"));
  EXPECT_THAT(link("path", "to_rail"), StartsWith("doc: path[0].to_rail: no such rail"));
  EXPECT_THAT(link("session", "campaign"), StartsWith("doc: session[0].campaign: no such"));
  EXPECT_THAT(link("sample", "session"), StartsWith("doc: sample[0].session: no such session"));
  EXPECT_THAT(link("sample", "condition"), StartsWith("doc: sample[0].condition: no such"));
  EXPECT_THAT(link("derived", "platform"), StartsWith("doc: derived[0].platform: no such"));
}

TEST_F(HostileImport, RefusesValuesOutOfRangeWithTheirPlace) {
  const auto value = [&](const std::string& table, const std::string& column,
                         const json::Value& to) {
    return refused([&](json::Value& doc) { row(doc, table, 1).set(column, to); });
  };
  EXPECT_EQ(value("sample", "size_bytes", -5), "doc: sample[1].size_bytes: -5 is negative");
  EXPECT_EQ(value("sample", "run_delay_ns", -0.5), "doc: sample[1].run_delay_ns: -0.5 is negative");
  EXPECT_THAT(value("sample", "run_delay_ns", nullptr), HasSubstr("expected a number"));
  EXPECT_THAT(value("sample", "origin", "invented"), HasSubstr("doc: sample[1].origin: "));
  EXPECT_THAT(value("sample", "held_out", 1), HasSubstr("expected true or false"));
  EXPECT_THAT(value("sample", "session", "12"), HasSubstr("32 hex digits"));
  EXPECT_THAT(value("sample", "surprise", 1), HasSubstr("'surprise' is not known here"));
  EXPECT_THAT(value("campaign", "quality", 1.5), HasSubstr("campaign[1].quality: 1.5 is above 1"));
  EXPECT_THAT(value("campaign", "options", json::Value::object().set("a", 1)),
              HasSubstr("campaign[1].options.a: expected text"));
  EXPECT_THAT(value("condition", "benchmark", "changed"), HasSubstr("does not match"));
}

TEST_F(HostileImport, RefusesRepetitionsThatCannotBe) {
  const auto repetitions = [&](const char* text) {
    return refused([&](json::Value& doc) {
      row(doc, "sample", 0).set("repetitions", json::parse(text, "r"));
    });
  };
  EXPECT_THAT(repetitions(R"({"total_ns":[-1],"batch":[1],"round":[0],"disturbed":[]})"),
              StartsWith("doc: sample[0].repetitions.total_ns[0]: -1 is negative"));
  EXPECT_THAT(repetitions(R"({"total_ns":[1],"batch":[0],"round":[0],"disturbed":[]})"),
              HasSubstr("at least one operation"));
  EXPECT_THAT(repetitions(R"({"total_ns":[1],"batch":[4294967297],"round":[0],"disturbed":[]})"),
              HasSubstr("4294967297 is above 4294967295"));
  EXPECT_THAT(repetitions(R"({"total_ns":[1,2],"batch":[1],"round":[0],"disturbed":[]})"),
              HasSubstr("different lengths"));
  EXPECT_THAT(repetitions(R"({"total_ns":[1],"batch":[1],"round":[0],"disturbed":[1]})"),
              HasSubstr("disturbed[0]: 1 is above 0"));
  EXPECT_THAT(repetitions(R"({"total_ns":[],"batch":[],"round":[],"disturbed":[0]})"),
              HasSubstr("no such repetition"));
}

TEST_F(HostileImport, RefusesDoubledRowsAndStrayGroups) {
  EXPECT_THAT(refused([](json::Value& doc) {
                const json::Value first = row(doc, "session", 0);
                row(doc, "session", 1) = first;
              }),
              HasSubstr("session[1]: is there twice"));
  EXPECT_THAT(refused([](json::Value& doc) { doc.set("path_group_member", json::Value::array()); }),
              HasSubstr("path[0]: has no path_group of its own"));
  EXPECT_THAT(refused([](json::Value& doc) { doc.set("extra", 1); }), HasSubstr("'extra'"));
}

TEST_F(HostileImport, RefusesAPlanThatCannotBe) {
  EXPECT_THAT(refused([](json::Value& doc) { row(doc, "derived", 0).set("content", "x"); }),
              StartsWith("doc: derived[0].content: expected an object"));
}

TEST_F(HostileImport, NoticesAnyFlippedBit) {
  MadeUp chance(11);
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = text_;
    const std::size_t at = chance.below(text.size());
    text[at] = static_cast<char>(text[at] ^ (1 << chance.below(8)));
    ProfileDb database = ProfileDb::in_memory();
    try {
      database.import_json(text, "doc");
    } catch (const Error&) {
      EXPECT_THAT(database.platforms(), IsEmpty());
      continue;
    }
    ++accepted;  // white space, or the name of the digest itself
    EXPECT_EQ(database.export_json({}), text_);
  }
  EXPECT_LT(accepted, 400);
}

// ---- anonymous exports ----

TEST(AnonymousExport, TellsNoHostAddressSerialNumberOrCommand) {
  ProfileDb database = ProfileDb::in_memory();
  MadeUp made_up(12);
  const Platform platform = database.ensure_platform(
      {made_up.id(), "Xeon of secrethost", {{"cpu_model", "Xeon"}, {"serial_number", "SN12345"}}});
  const Node node = database.ensure_node({made_up.id(), "secrethost"}, platform.id);
  const Rail rail{"tcp",
                  "eth0",
                  {{"mac_address", "00:11:22:33:44:55"},
                   {"note", "10.1.2.3 and fe80::1:2 and 02:42:ac:11:00:02 on secrethost.example"},
                   {"pci", "0000:00:1f.6"},
                   {"mtu", "1500"}}};
  database.ensure_path({made_up.id(), node.id, node.id, rail, rail});
  Campaign campaign = made_up.campaign(platform.id);
  campaign.command_line = "nmad-sample --db /home/jane/p.db";
  campaign.options = {{"peer", "otherhost"}, {"budget", "60s"}};
  campaign.remark = "jane was busy";
  database.begin_campaign(campaign);
  const std::string text = database.export_json({.anonymous = true});
  for (const std::string_view secret :
       {"secrethost", "SN12345", "00:11:22", "02:42", "10.1.2.3", "fe80", "jane", "otherhost"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
  for (const std::string_view kept : {"Xeon", "1500", "60s", "0000:00:1f.6", "eth0"}) {
    EXPECT_THAT(text, HasSubstr(kept));
  }
  ProfileDb copy = ProfileDb::in_memory();
  copy.import_json(text, "doc");
  EXPECT_THAT(copy.check(), IsEmpty());
}

TEST(AnonymousExport, KeepsEverySample) {
  const ProfileDb database = filled(13);
  ProfileDb copy = ProfileDb::in_memory();
  copy.import_json(database.export_json({.anonymous = true}), "doc");
  EXPECT_EQ(ask(copy).samples, ask(database).samples);
}

}  // namespace
}  // namespace nmt::profiledb
