// SPDX-License-Identifier: BSD-3-Clause
//
// Connects a running campaign to disk, terminal and signals: measurements are stored before the
// next cell starts, progress is shown, a signal ends the campaign.
#pragma once

#include "sampler/sampler.h"
#include "tools/sample/interruption.h"
#include "tools/sample/progress_line.h"
#include "tools/sample/record.h"

namespace nmt::tools {

class Recorder final : public sampler::Observer {
 public:
  Recorder(profiledb::ProfileDb& db, Record& record, ProgressLine& line,
           const Interruption& interruption, double budget_ns)
      : db_(db), record_(record), line_(line), interruption_(interruption), budget_ns_(budget_ns) {}

  void measured(const Rail& rail, std::span<const Sample> cells) override {
    const Id path = record_.path_of(rail.full_name()).id;
    record_.keep(path, cells);
    db_.store_samples(record_.session.id, path, cells);
  }
  // Also stores the used time, so that a killed campaign can be resumed with the rest of its
  // budget.
  void progress(const sampler::Progress& progress) override {
    constexpr double kStep = 0.02;  // of the budget; each update is a transaction
    line_.show(progress);
    if (progress.done < noted_ + kStep) return;
    noted_ = progress.done;
    record_.session.elapsed_ns = progress.done * budget_ns_;
    db_.note_elapsed(record_.session.id, record_.session.elapsed_ns);
  }
  bool interrupted() override { return interruption_.signal() != 0; }

 private:
  profiledb::ProfileDb& db_;
  Record& record_;
  ProgressLine& line_;
  const Interruption& interruption_;
  double budget_ns_;
  double noted_ = 0;
};

}  // namespace nmt::tools
