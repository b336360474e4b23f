// SPDX-License-Identifier: BSD-3-Clause
//
// Whole profiles: export, import, merge.
#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "profiledb/anonymous.h"
#include "profiledb/catalog.h"
#include "profiledb/contents_json.h"
#include "profiledb/implementation.h"
#include "profiledb/merge_contents.h"
#include "profiledb/survey.h"

namespace nmt::profiledb {

using sqlite::Database;
using sqlite::Transaction;

namespace {

Contents load_contents(Database& database) {
  const Transaction transaction(database, Transaction::Kind::kRead);
  Contents contents;
  static_cast<Catalog&>(contents) = load_catalog(database);
  for (const SessionRow& session : contents.sessions) {
    const OnDamage on_damage = refuse_damage(database, "campaign " + session.campaign.hex());
    for (SampleRow& row : load_samples(database, contents, session.id, on_damage)) {
      contents.samples.push_back(std::move(row));
    }
  }
  contents.derived = load<DerivedRow>(database, refuse_damage(database, "what was derived"));
  return contents;
}

Contents salvage(Database& database) {
  const Transaction transaction(database, Transaction::Kind::kRead);
  return survey(database).whole;
}

}  // namespace

std::string ProfileDb::export_json(const ExportOptions& options) const {
  Database& database = implementation_->database;
  Contents contents = options.salvage ? salvage(database) : load_contents(database);
  if (options.anonymous) make_anonymous(contents);
  std::string text = contents_to_json(contents).dump() + "\n";
  if (text.size() > options.size_bytes_max) {
    throw Error(
        Fault::kFailed,
        fmt::format(
            "{}: the exported text would have {}, and an import accepts at most {}; merge the "
            "profile itself with 'nmad-tune db merge', or delete old campaigns with 'nmad-tune db "
            "prune'",
            file(), format_bytes(text.size()), format_bytes(options.size_bytes_max)));
  }
  return text;
}

std::string ProfileDb::file_content() const { return implementation_->database.file_content(); }

void ProfileDb::import_json(std::string_view text, std::string_view what) {
  // The size limit is enough: a profile may contain more values than any other document.
  const std::size_t values_max = text.size();
  Contents contents =
      contents_from_json(json::parse(text, what, json::kSizeBytesMax, values_max), what);
  Transaction transaction(implementation_->database, Transaction::Kind::kWrite);
  merge_contents(implementation_->database, std::move(contents));
  transaction.commit();
}

void ProfileDb::merge(const ProfileDb& other) {
  Contents contents = load_contents(other.implementation_->database);
  Transaction transaction(implementation_->database, Transaction::Kind::kWrite);
  merge_contents(implementation_->database, std::move(contents));
  transaction.commit();
}

}  // namespace nmt::profiledb
