// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/error.h"
#include "node/node.h"
#include "profiledb/profiledb.h"

namespace nmt::testing {

const std::string_view kTwoRails = R"({"seed":1,"rails":[
  {"name":"myri","methods":{
     "copy":[[1,2500],[64,2550],[1024,3400],[4096,6800],[16384,20000],[65536,75000]],
     "iovec":[[1,2700],[64,2720],[1024,3300],[4096,6200],[16384,18000],[65536,69000]],
     "rendezvous":[[1,9000],[1024,9800],[16384,22000],[65536,62000]],
     "memcpy":[[1,20],[1024,120],[65536,9000]]},
   "noise":{"cv":0.02,"outlier_rate":0.01,"outlier_factor":20,"session_drift":0.08}},
  {"name":"quad","methods":{
     "copy":[[1,1500],[1024,3000],[65536,90000]],
     "iovec":[[1,1400],[1024,2700],[65536,80000]],
     "rendezvous":[[1,4000],[1024,5000],[65536,70000]],
     "memcpy":[[1,20],[1024,120],[65536,9000]]},
   "noise":{"cv":0.02,"outlier_rate":0.01,"outlier_factor":20,"session_drift":0.08}}]})";

Sandbox::Sandbox() {
  // In memory where that can be: the commands wait for the disk after every cell.
  const std::filesystem::path memory = "/dev/shm";
  const bool usable = ::access(memory.c_str(), W_OK) == 0;
  const std::filesystem::path parent = usable ? memory : std::filesystem::temp_directory_path();
  std::string name = (parent / (std::string(kPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  folder_ = name;
  write("rails.json", kTwoRails);
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Sandbox::write(const std::string& name, std::string_view text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return folder_ / name;
}

std::string Sandbox::read(const std::string& name) const {
  std::ifstream stream(folder_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> Sandbox::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

Setting Sandbox::with_home(const Setting& more) const {
  Setting setting = more;
  setting.environment.emplace("HOME", folder_);
  return setting;
}

Setting Sandbox::setting() const { return with_home({}); }

std::vector<std::string> Sandbox::sample_command(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), NMAD_SAMPLE);
  return arguments;
}

std::vector<std::string> Sandbox::tune_command(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), NMAD_TUNE);
  return arguments;
}

std::vector<std::string> Sandbox::bench_command(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), NMAD_BENCH);
  return arguments;
}

Result Sandbox::sample(std::vector<std::string> arguments, const Setting& more) const {
  return run(sample_command(std::move(arguments)), with_home(more));
}

Result Sandbox::tune(std::vector<std::string> arguments, const Setting& more) const {
  return run(tune_command(std::move(arguments)), with_home(more));
}

Result Sandbox::bench(std::vector<std::string> arguments, const Setting& more) const {
  return run(bench_command(std::move(arguments)), with_home(more));
}

void Sandbox::measure_elsewhere(const std::string& profile, const std::string& file,
                                const Fields& fields, const std::string& utc) {
  const profiledb::ProfileDb from(profile, {.mode = profiledb::ProfileDb::Mode::kRead});
  profiledb::ProfileDb to(file, {.mode = profiledb::ProfileDb::Mode::kWrite});
  Platform platform = from.platforms().front();
  platform.id = Id::random();
  platform.name = "another machine";
  for (const auto& [name, value] : fields) platform.fingerprint[name] = value;
  to.ensure_platform(platform);
  const Node node = to.ensure_node({Id::random(), "elsewhere"}, platform.id);
  for (const Campaign& campaign : from.campaigns(from.platforms().front().id)) {
    Campaign copy = campaign;
    copy.id = Id::random();
    copy.platform = platform.id;
    copy.started_utc = utc;
    to.begin_campaign(copy);
    for (SampleSet set : from.sample_sets(campaign.id)) {
      set.session.id = Id::random();
      set.path.id = Id::random();
      set.path.from_node = set.path.to_node = node.id;
      to.begin_session(set.session, copy.id);
      to.store_samples(set.session.id, to.ensure_path(set.path).id, set.samples);
    }
    to.finish_campaign(copy);
  }
}

std::string Sandbox::patched_kernel() {
  const std::string kernel = node::cheap_fingerprint().at("kernel");
  const std::size_t patch = kernel.find_first_not_of("0123456789", kernel.find('.') + 1);
  return kernel.substr(0, patch) + ".999-other";
}

std::string Sandbox::make_profile(const std::string& name, const std::string& seed) const {
  const std::filesystem::path made = path(name);
  const std::filesystem::path kept = std::string(NMT_KEPT_PROFILES) + "/two_rails." + seed + ".db";
  std::error_code absent;
  const bool is_first = !std::filesystem::exists(made);
  if (is_first && std::filesystem::last_write_time(kept, absent) >
                      std::filesystem::last_write_time(NMAD_SAMPLE)) {
    std::filesystem::create_directories(made.parent_path());
    std::filesystem::copy_file(kept, made);
    return made;
  }
  const Result result = sample({"--rails", "fake:" + path("rails.json"), "--db", made, "--budget",
                                "2s", "--max-size", "64K", "--seed", seed});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  if (is_first && result.exit_code == 0) {
    const std::filesystem::path part = kept.string() + "." + std::to_string(::getpid());
    std::filesystem::create_directories(kept.parent_path());
    std::filesystem::copy_file(made, part);
    std::filesystem::rename(part, kept);
  }
  return made;
}

json::Value document(const Result& result) {
  try {
    return json::parse(result.out, "standard output");
  } catch (const Error& error) {
    ADD_FAILURE() << error.what() << "\n" << result.out;
    return {};
  }
}

json::Value at(const json::Value& document, std::string_view path) {
  const json::Value* value = &document;
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    std::size_t index = 0;
    const auto parsed = std::from_chars(key.data(), key.data() + key.size(), index);
    if (const auto* array = value->get_if<json::Value::Array>()) {
      if (parsed.ec != std::errc() || index >= array->size()) return {};
      value = &(*array)[index];
    } else {
      value = value->find(key);
      if (value == nullptr) return {};
    }
  }
  return *value;
}

double number(const json::Value& document, std::string_view path) {
  const json::Value value = at(document, path);
  return json::Reader(value, path).number();
}

std::string text(const json::Value& document, std::string_view path) {
  const json::Value value = at(document, path);
  const std::string* found = value.get_if<std::string>();
  return found != nullptr ? *found : "";
}

}  // namespace nmt::testing
