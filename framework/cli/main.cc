// The program: parses the command line, dispatches, prints errors, sets the exit code.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.h"
#include "diagnostics.h"
#include "plugin_loader.h"
#include "storage_error.h"
#include "version.h"

namespace {

using namespace refran::runner;
namespace cli = refran::cli;

constexpr const char* kFooter =
    "Exit codes: 0 all well, 2 wrong input, 3 a plugin cannot be loaded, 4 runs failed, a check\n"
    "did not pass or results differ, 5 something cannot be written or read, 130 stopped.\n"
    "`refran COMMAND --help` explains a command.";

void add_plugin_path(CLI::App* command, cli::Options& options) {
  command
      ->add_option(
          "--plugin-path", options.request.plugin_folders,
          "Folder with plugins; before REFRAN_PLUGIN_PATH and the installed ones. Repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_sweep(CLI::App* command, cli::Options& options) {
  command
      ->add_option("--sweep", options.request.sweeps,
                   "An axis of the grid, key=[value, …]; takes the place of the file's axis of "
                   "that key. Repeatable")
      ->type_name("KEY=LIST")
      ->allow_extra_args(false);
}

void add_run(CLI::App& app, cli::Options& options) {
  CLI::App* command = app.add_subcommand(
      "run",
      "Run experiment files: each run or sweep ends as one HDF5 file, whose path is printed");
  command
      ->add_option("words", options.words,
                   "Experiment files (YAML), and overrides such as config.steps=100 or seed=7 for "
                   "all of them")
      ->required()
      ->type_name("FILE… [KEY=VALUE…]");
  add_sweep(command, options);
  command
      ->add_option("-j,--jobs", options.request.jobs,
                   "Worker processes of a sweep [the number of cores]")
      ->check(CLI::Range(1, 1024));
  command->add_option("--threads", options.request.threads, "Threads per run [cores / workers]")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option(
          "--group-size", options.request.group_size,
          "Most seeds that a plugin trains together [chosen]; the results are the same for any")
      ->check(CLI::Range(1, 4096));
  command->add_option("--out", options.request.out, "Folder for results")
      ->capture_default_str()
      ->type_name("DIR");
  command
      ->add_option("--resume", options.request.resume,
                   "Go on with this unfinished folder, or say why not")
      ->type_name("RUN");
  command->add_flag("--retry-failed", options.request.retry_failed,
                    "Do failed runs of the same sweep again");
  command->add_flag("--dry-run", options.dry_run, "Print the grid of runs and stop");
  add_plugin_path(command, options);
  command->footer(
      "The same command goes on with an unfinished sweep of the same config, plugin and inputs.\n"
      "Example: refran run experiments/toy-encoder.yaml config.rate=0.3 --sweep seed=[1,2,3]");
  command->callback([&options] { options.exit_code = cli::run(options); });
}

void add_result(CLI::App* command, const char* name, std::filesystem::path& result) {
  command
      ->add_option(name, result, "A result file, a run's folder, or an experiment's (its latest)")
      ->required()
      ->type_name("RUN");
}

void add_inspection(CLI::App& app, cli::Options& options) {
  const auto with_result = [&](const char* name, const char* help,
                               int (*call)(const cli::Options&)) {
    CLI::App* command = app.add_subcommand(name, help);
    add_result(command, "result", options.result);
    command->callback([&options, call] { options.exit_code = call(options); });
    return command;
  };
  with_result("show", "What is in a result: datasets, dimensions, provenance", cli::show);
  with_result("check",
              "Check a result against the format: digests, dimensions, row sums, completeness",
              cli::check);
  CLI::App* exported =
      with_result("export", "Write a result's datasets as tidy CSV files", cli::export_result);
  exported->add_flag("--csv", options.csv, "As CSV: one row per cell, axes and labels as columns")
      ->required();
  exported->add_option("--out", options.folder, "Folder to write into [<run id>-csv]")
      ->type_name("DIR");
  CLI::App* summary = with_result(
      "summary",
      "Over a sweep's seeds: mean, median, 95 % bootstrap interval of every scalar output",
      cli::summary);
  summary->add_flag("--csv", options.csv, "Print CSV instead of a table");
}

void add_comparison(CLI::App& app, cli::Options& options) {
  CLI::App* verify = app.add_subcommand(
      "verify", "Run a result again from what its file holds, and say whether it is identical");
  add_result(verify, "result", options.result);
  verify
      ->add_option("--sample", options.sample,
                   "Of a sweep, only so many runs, evenly over its grid, always the same [all]")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  add_plugin_path(verify, options);
  verify->footer(
      "What differs is named by the axes, as loss[seed=3, step=17]: was 0.51234, is 0.51233, with\n"
      "what changed in the recorded environment. A result is held to what it declares: equal\n"
      "bytes anywhere, or on the same machine and build, or numbers within its tolerance.\n"
      "Exit code 0 where it is reproduced, 4 where not.");
  verify->callback([&options] { options.exit_code = cli::verify(options); });

  CLI::App* diff = app.add_subcommand(
      "diff", "Compare two results: configs, datasets, and where they were made");
  add_result(diff, "A", options.result);
  add_result(diff, "B", options.other_result);
  diff->add_option("--tolerance", options.tolerance,
                   "Numbers at most so far apart count as equal [0: the same bytes]")
      ->check(CLI::NonNegativeNumber)
      ->type_name("T");
  diff->footer(
      "Runs of sweeps are compared where they stand at the same values of the axes. Every line\n"
      "has A's value, then B's. Only datasets whose digests differ are read; `refran check` tells\n"
      "whether digests are those of the values.\n"
      "Exit code 0 where configs and datasets are equal, 4 where not.");
  diff->callback([&options] { options.exit_code = cli::diff(options); });
}

void add_plugin_commands(CLI::App& app, cli::Options& options) {
  CLI::App* list =
      app.add_subcommand("list", "The experiments there are, and plugins that cannot be used");
  add_plugin_path(list, options);
  list->add_flag("--names", options.names_only, "Only their names, for completion");
  list->callback([&options] { options.exit_code = cli::list(options); });

  CLI::App* describe =
      app.add_subcommand("describe", "A plugin's question, config fields and outputs");
  describe->add_option("plugin", options.plugin, "Its name, as `refran list` prints it")
      ->required();
  auto* markdown = describe->add_flag("--markdown", options.markdown, "As the tables of a README");
  describe
      ->add_flag("--json-schema", options.json_schema,
                 "As a JSON Schema of its experiment files, for editors")
      ->excludes(markdown);
  add_plugin_path(describe, options);
  describe->callback([&options] { options.exit_code = cli::describe(options); });

  CLI::App* validate =
      app.add_subcommand("validate", "Check experiment files without running them");
  validate->add_option("words", options.words, "Experiment files, and overrides")
      ->required()
      ->type_name("FILE… [KEY=VALUE…]");
  add_sweep(validate, options);
  add_plugin_path(validate, options);
  validate->callback([&options] { options.exit_code = cli::validate(options); });

  CLI::App* scaffold = app.add_subcommand("new-plugin", "Write a working plugin to start from");
  scaffold->add_option("plugin", options.plugin, "Its name: small letters, digits and hyphens")
      ->required();
  scaffold
      ->add_option("--out", options.folder,
                   "Folder to make [./NAME; inside refran's tree: plugins/NAME]")
      ->type_name("DIR");
  scaffold->callback([&options] { options.exit_code = cli::new_plugin(options); });

  CLI::App* check = app.add_subcommand("check-plugin", "Tell a plugin's author whether it is done");
  check->add_option("plugin", options.plugin, "Its name")->required();
  check->add_option("file", options.experiment_file, "Its experiment file [found by its name]")
      ->type_name("FILE");
  add_plugin_path(check, options);
  check->callback([&options] { options.exit_code = cli::check_plugin(options); });

  CLI::App* sidecar = app.add_subcommand("sidecar", "")->group("");  // of the build: hidden
  sidecar->add_option("library", options.result)->required();
  sidecar->callback([&options] { options.exit_code = cli::sidecar(options); });
}

// "; did you mean '--jobs'?" for words that no command or option is called.
std::string suggestion_for(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) known.push_back(command->get_name());
  }
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  return suggestion(word.substr(0, word.find('=')), known);
}

// Every wrong command line is one sentence and exit code 2.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const std::vector<std::string> extras = app.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  const std::string help = fmt::format(
      "see `refran {}--help`",
      app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ");
  if (word.empty()) {
    fmt::print(stderr, "refran: {}; {}\n", error.what(), help);
  } else {
    const std::string_view kind = word.starts_with('-') ? "option" : "command";
    fmt::print(stderr, "refran: there is no {} '{}'{}; {}\n", kind, word, suggestion_for(app, word),
               help);
  }
  return 2;
}

int parse_and_run(int argc, char** argv) {
  cli::Options options;
  CLI::App app("Runs experiments on how translation models decide where to look.", "refran");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("refran {}", kVersion));
  app.footer(kFooter);
  add_run(app, options);
  add_plugin_commands(app, options);
  add_inspection(app, options);
  add_comparison(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  return options.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::string_view(argv[1]) == "worker") return cli::worker(argc, argv);
    return parse_and_run(argc, argv);
  } catch (const ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const PluginLoadError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  } catch (const StorageError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 5;
  } catch (const std::exception& error) {
    fmt::print(stderr, "refran: {}\n", error.what());
    return 5;
  }
}
