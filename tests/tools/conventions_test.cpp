// SPDX-License-Identifier: BSD-3-Clause
//
// What every command has in common, on the real binaries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/tools/sandbox.h"
#include "tools/command/text.h"

namespace nmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Conventions : public Sandbox {};

// Every command line that has a help of its own.
const std::vector<std::vector<std::string>> kCommandLines = {
    {NMAD_SAMPLE},
    {NMAD_BENCH},
    {NMAD_BENCH, "messages"},
    {NMAD_BENCH, "collectives"},
    {NMAD_TUNE},
    {NMAD_TUNE, "thresholds"},
    {NMAD_TUNE, "show"},
    {NMAD_TUNE, "check"},
    {NMAD_TUNE, "outliers"},
    {NMAD_TUNE, "diff"},
    {NMAD_TUNE, "compare"},
    {NMAD_TUNE, "curve"},
    {NMAD_TUNE, "predict"},
    {NMAD_TUNE, "predict", "transfer"},
    {NMAD_TUNE, "predict", "alltoall"},
    {NMAD_TUNE, "predict", "alltoallv"},
    {NMAD_TUNE, "contention"},
    {NMAD_TUNE, "collectives"},
    {NMAD_TUNE, "decide"},
    {NMAD_TUNE, "split"},
    {NMAD_TUNE, "report"},
    {NMAD_TUNE, "compile"},
    {NMAD_TUNE, "export"},
    {NMAD_TUNE, "ab"},
    {NMAD_TUNE, "import-alltoall"},
    {NMAD_TUNE, "retune"},
    {NMAD_TUNE, "db"},
    {NMAD_TUNE, "db", "export"},
    {NMAD_TUNE, "db", "import"},
    {NMAD_TUNE, "db", "merge"},
    {NMAD_TUNE, "db", "check"},
    {NMAD_TUNE, "db", "prune"},
    {NMAD_TUNE, "db", "pin"},
    {NMAD_TUNE, "db", "approve"},
    {NMAD_TUNE, "db", "rollback"},
    {NMAD_TUNE, "db", "off"},
    {NMAD_TUNE, "db", "on"},
};

TEST_F(Conventions, EveryHelpFitsOneScreenAndExitsZero) {
  for (std::vector<std::string> arguments : kCommandLines) {
    arguments.push_back("--help");
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, StartsWith("Usage: "));
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 24) << result.out;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(tools::display_width(line), 80u) << line;
  }
}

TEST_F(Conventions, EveryHelpShowsAnExample) {
  for (std::vector<std::string> arguments : kCommandLines) {
    arguments.push_back("--help");
    EXPECT_THAT(run(arguments).out, HasSubstr("\nExample: "));
  }
}

// What a help has in parentheses is a default, or a form of input.
TEST_F(Conventions, EveryHelpNamesDefaultsInOneWay) {
  static const std::regex group(R"(\(([^()]*)\))");
  static const std::regex allowed(R"((default:\s|more:\s|n,m_bytes|m_bytes|MPI_)[\s\S]*)");
  for (std::vector<std::string> arguments : kCommandLines) {
    arguments.push_back("--help");
    const std::string help = run(arguments).out;
    for (std::sregex_iterator each(help.begin(), help.end(), group), end; each != end; ++each) {
      EXPECT_TRUE(std::regex_match((*each)[1].str(), allowed)) << each->str() << '\n' << help;
    }
  }
}

TEST_F(Conventions, VersionExitsZero) {
  EXPECT_EQ(sample({"--version"}).out, "nmad-sample " NMT_VERSION "\n");
  EXPECT_EQ(tune({"--version"}).out, "nmad-tune " NMT_VERSION "\n");
  EXPECT_EQ(tune({"show", "--version"}).exit_code, 0);
}

TEST_F(Conventions, EveryWrongUsageExitsTwoAndNamesTheOption) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--budgt", "3s"}, "did you mean '--budget'?"},
      {{"--budget", "20"}, "--budget: '20' is not a duration"},
      {{"--budget", "0s"}, "--budget: "},
      {{"--budget", "-5s"}, "--budget: "},
      {{"--budget", "1000h"}, "out of range"},
      {{"--budget"}, "--budget: "},
      {{"--precision", "200%"}, "--precision: "},
      {{"--max-size", "1e30"}, "--max-size: "},
      {{"--max-size", "65M"}, "out of range"},
      {{"--max-size", "lots"}, "write for example 64K"},
      {{"--max-unexpected", "0"}, "--max-unexpected: "},
      {{"--seed", "abc"}, "--seed: "},
      {{"--seed", "99999999999999999999999"}, "--seed: "},
      {{"--db", ""}, "--db: "},
      {{"--db", "a", "--system"}, "--system"},
      {{"--json", "--csv"}, "--csv"},
      {{"--rails", "nosuch"}, "no rail 'nosuch'"},
      {{"--rails", "tpc:lo"}, "did you mean 'tcp:lo'?"},
      {{"--rails", ","}, "--rails"},
      {{"--rails", "fake:"}, "fake:FILE"},
      {{"surplus"}, "'surplus'"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = sample(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.err, StartsWith("nmad-sample: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_THAT(files(), Not(::testing::Contains("profile.db")));
}

TEST_F(Conventions, AMistypedVerbIsToldTheRightOne) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"tresholds"}, "did you mean 'thresholds'?"},
      {{"db", "exprt"}, "did you mean 'export'?"},
      {{"db"}, "needs a verb"},
      {{"--rial", "shm"}, "did you mean '--rail'?"},
      {{"curve", "--rial", "shm"}, "did you mean '--rail'?"},
      {{"curve"}, "--rail is required"},
      {{"curve", "--rail", "x", "--method", "copi"}, "did you mean 'copy'?"},
      {{"thresholds", "--regime", "warm"}, "there is: hot, cold"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = tune(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(Conventions, JsonIsOneValidDocumentOnEveryFailure) {
  const std::vector<std::pair<Result, int>> cases = {
      {sample({"--json", "--budget", "never"}), 2},
      {sample({"--json", "--rails", "nosuch"}), 2},
      {sample({"--json", "--rails", "fake:" + path("absent.json")}), 1},
      {sample({"--json", "--rails", "fake:" + path("rails.json"), "--db", "/proc/x/y.db"}), 6},
      {tune({"--json"}), 6},
      {tune({"nosuch", "--json"}), 2},
      {tune({"show", "--json", "--db", path("absent.db")}), 6},
      {tune({"db", "import", path("absent.json"), "--json"}), 1},
  };
  for (const auto& [result, exit_code] : cases) {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    const json::Value document = nmt::testing::document(result);
    EXPECT_EQ(at(document, "schema_version"), json::Value(1));
    EXPECT_EQ(at(document, "error.code"), json::Value(exit_code));
    const json::Value message = at(document, "error.message");
    ASSERT_NE(message.get_if<std::string>(), nullptr);
    EXPECT_THAT(result.err, HasSubstr(*message.get_if<std::string>()));
  }
}

TEST_F(Conventions, JsonRepeatsTheCommandLineAndTheEnvironment) {
  const Result result = sample({"--list", "--json", "--rails", "fake:" + path("rails.json")});
  const json::Value document = nmt::testing::document(result);
  EXPECT_EQ(at(document, "tool"), json::Value("nmad-sample"));
  EXPECT_EQ(at(document, "version"), json::Value(NMT_VERSION));
  EXPECT_EQ(at(document, "command_line"),
            json::Value("nmad-sample --list --json --rails fake:" + path("rails.json")));
  EXPECT_FALSE(at(document, "environment.host").is_null());
  EXPECT_FALSE(at(document, "environment.utc").is_null());
  EXPECT_FALSE(at(document, "environment.fingerprint.kernel").is_null());
  EXPECT_TRUE(at(document, "error").is_null());
}

TEST_F(Conventions, ACommandLineIsRepeatedAsAShellWouldTakeIt) {
  const Result result = tune({"show", "--json", "--db", path("it's a $HOME.db")});
  const json::Value line = at(document(result), "command_line");
  ASSERT_NE(line.get_if<std::string>(), nullptr);
  EXPECT_THAT(*line.get_if<std::string>(), HasSubstr("it'\\''s a $HOME.db'"));
}

TEST_F(Conventions, TextEndsWithASummaryAndQuietIsThatAlone) {
  const std::string rails = "fake:" + path("rails.json");
  EXPECT_EQ(sample({"--list", "--rails", rails}).last_line(), "SUMMARY usable=2 refused=0");
  EXPECT_EQ(sample({"--list", "--rails", rails, "--quiet"}).out, "SUMMARY usable=2 refused=0\n");
}

TEST_F(Conventions, CsvHasAHeaderRowAndNoSummary) {
  const Result result = sample({"--list", "--csv", "--rails", "fake:" + path("rails.json")});
  EXPECT_EQ(result.out,
            "rail,usable,methods,reason,remedy\n"
            "fake:myri,true,copy iovec rendezvous,,\nfake:quad,true,copy iovec rendezvous,,\n");
}

TEST_F(Conventions, AReaderThatLeavesEarlyIsNoFailure) {
  Process process(sample_command({"--list", "--rails", "fake:" + path("rails.json")}), setting());
  process.close_stdout();
  const Result result = process.wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(Conventions, AClosedOrFullStandardOutputIsAFailure) {
  const std::vector<std::string> arguments = {"--list", "--rails", "fake:" + path("rails.json")};
  EXPECT_EQ(sample(arguments, {.stdout_file = "-"}).exit_code, 1);
  const Result full = sample(arguments, {.stdout_file = "/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left"));
}

TEST_F(Conventions, AClosedStandardOutputIsNeverTheProfile) {
  const std::string rails = "fake:" + path("rails.json");
  const Result result = sample(
      {"--rails", rails, "--db", path("a.db"), "--budget", "1s", "--max-size", "4K", "--seed", "1"},
      {.stdout_file = "-"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(tune({"db", "check", "--db", path("a.db")}).exit_code, 0);
}

TEST_F(Conventions, HighlightsOnATerminalOnlyAndNotAgainstNoColor) {
  const std::vector<std::string> command =
      sample_command({"--list", "--rails", "fake:" + path("rails.json")});
  EXPECT_THAT(run(command).out, Not(HasSubstr("\033")));
  EXPECT_THAT(run_on_terminal(command, {.environment = {{"TERM", "xterm"}}}).out,
              HasSubstr("\033[1m"));
  EXPECT_THAT(run_on_terminal(command, {.environment = {{"TERM", "xterm"}, {"NO_COLOR", "1"}}}).out,
              Not(HasSubstr("\033")));
}

// Open MPI gives the first rank of a job a terminal of its own.
TEST_F(Conventions, NeitherHighlightsNorMovesTheCursorInAJob) {
  make_profile("a.db");
  for (const char* launched : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK"}) {
    Setting setting = this->setting();
    setting.environment["TERM"] = "xterm";
    setting.environment[launched] = "1";
    const std::string out =
        run_on_terminal(tune_command({"show", "--db", path("a.db")}), setting).out;
    EXPECT_THAT(out, HasSubstr("SUMMARY"));
    EXPECT_THAT(out, Not(HasSubstr("\033")));
  }
}

TEST_F(Conventions, EveryListTakesRepetition) {
  for (const auto& [command, option] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{NMAD_SAMPLE}, "--rails"},
           {{NMAD_SAMPLE}, "--parts"},
           {{NMAD_SAMPLE}, "--ranks"},
           {{NMAD_BENCH, "messages"}, "--rails"},
           {{NMAD_BENCH, "messages"}, "--compare"},
           {{NMAD_BENCH, "messages"}, "--sizes"},
           {{NMAD_BENCH, "collectives"}, "--operations"},
           {{NMAD_BENCH, "collectives"}, "--sizes"},
           {{NMAD_TUNE, "thresholds"}, "--rail"},
           {{NMAD_TUNE, "split"}, "--rails"},
           {{NMAD_TUNE, "split"}, "--busy"},
           {{NMAD_TUNE, "decide"}, "--size"},
           {{NMAD_TUNE, "predict", "transfer"}, "--size"},
           {{NMAD_TUNE, "predict", "alltoall"}, "-n"},
           {{NMAD_TUNE, "predict", "alltoall"}, "-m"},
           {{NMAD_TUNE, "predict", "alltoall"}, "--signature"},
           {{NMAD_TUNE, "import-alltoall"}, "-n"},
           {{NMAD_TUNE, "retune"}, "--campaigns"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {option, "1", option, "2", "--no-such"});
    EXPECT_THAT(run(arguments).err, HasSubstr("'--no-such'")) << option;  // and nothing before it
  }
}

TEST_F(Conventions, ManualPagesAreWellFormedAndNameEveryOption) {
  for (const char* command : {NMAD_SAMPLE, NMAD_TUNE, NMAD_BENCH}) {
    const Result page = run({command, "--man"});
    EXPECT_EQ(page.exit_code, 0);
    for (const char* option : {"json", "csv", "quiet", "db"}) {
      EXPECT_THAT(page.out, HasSubstr(std::string("\\-\\-") + option));
    }
    for (const char* section : {"NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES"}) {
      EXPECT_THAT(page.out, HasSubstr(std::string(".SH ") + section));
    }
  }
}

TEST_F(Conventions, ManualPagesPassMandoc) {
  if (run({"mandoc", "-T", "lint", "/dev/null"}).exit_code == 127) {
    GTEST_SKIP() << "mandoc is missing";
  }
  for (const char* command : {NMAD_SAMPLE, NMAD_TUNE, NMAD_BENCH}) {
    const std::string page = write("page.1", run({command, "--man"}).out);
    const Result lint = run({"mandoc", "-T", "lint", "-W", "error", page});
    EXPECT_EQ(lint.exit_code, 0) << lint.out;
  }
}

TEST_F(Conventions, CompletionKnowsVerbsOptionsAndValues) {
  if (run({"bash", "-c", "exit 0"}).exit_code == 127) GTEST_SKIP() << "bash is missing";
  const std::string script = write("completion", run({NMAD_TUNE, "--completion"}).out);
  const auto complete = [&](const std::string& words) {
    return run({"bash", "-c",
                "source " + script + "; COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nmad_tune; echo ${COMPREPLY[*]}"})
        .out;
  };
  EXPECT_EQ(complete("nmad-tune thr"), "thresholds\n");
  EXPECT_EQ(complete("nmad-tune db ex"), "export\n");
  EXPECT_EQ(complete("nmad-tune --json db pr"), "prune\n");
  EXPECT_EQ(complete("nmad-tune thresholds --reg"), "--regime\n");
  EXPECT_EQ(complete("nmad-tune thresholds --regime ''"), "hot cold\n");
}

}  // namespace
}  // namespace nmt::testing
