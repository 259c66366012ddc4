// Folders that cannot be written, files that cannot be read, and a disk that is full.
#include <regex>

#include <fmt/format.h>

#include "program.h"
#include "segment.h"
#include "text_file.h"

namespace refran::tests {
namespace {

constexpr int kNotStored = 5;

// A user without rights: `nobody`, with a copy of the program that he may read.
class UnprivilegedTest : public ProgramTest {
 protected:
  void SetUp() override {
    fs::permissions(folder(), fs::perms(0755));
    for (const char* const name : {"bin", "lib", "plugins", "home"})
      fs::create_directory(folder() / name);
    const fs::path built = fs::path(REFRAN_PROGRAM).parent_path();
    fs::copy_file(REFRAN_PROGRAM, folder() / "bin/refran");
    for (const auto& entry : fs::directory_iterator(built / "../lib")) {
      if (entry.path().filename().string().starts_with("librefran.so"))
        fs::copy(entry.path(), folder() / "lib");
    }
    for (const char* const suffix : {".so", ".json"}) {
      const std::string appends = std::string("appends") + suffix;
      const std::string encoder = std::string("toy_encoder") + suffix;
      fs::copy_file(kPlugins / appends, folder() / "plugins" / appends);
      fs::copy_file(built / "../lib/refran/plugins" / encoder, folder() / "plugins" / encoder);
    }
    if (is_root()) prefix_ = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  }

  Outcome run_unprivileged(const fs::path& file, const fs::path& results) const {
    Words words = prefix_;
    words.insert(words.end(),
                 {"env", fmt::format("LD_LIBRARY_PATH={}", (folder() / "lib").string()),
                  folder() / "bin/refran", "run", file, "--out", results, "--plugin-path",
                  folder() / "plugins"});
    return program(words);
  }

 private:
  Words prefix_;
};

TEST_F(UnprivilegedTest, AResultsFolderThatCannotBeWrittenIsToldBeforeTheRun) {
  const fs::path locked = folder() / "locked";
  fs::create_directory(locked);
  fs::permissions(locked, fs::perms(0555));
  const Outcome outcome = run_unprivileged(experiment("appends", "config: {count: 3}\n"), locked);
  EXPECT_EQ(outcome.exit_code, kNotStored);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error,
            fmt::format("{}/appends: cannot be created: Permission denied\n", locked.string()));
  EXPECT_TRUE(fs::is_empty(locked));
}

TEST_F(UnprivilegedTest, AnInputThatCannotBeReadIsToldBeforeTheRun) {
  const fs::path vectors = write("words.txt", "a 1 2\n");
  fs::permissions(vectors, is_root() ? fs::perms(0600) : fs::perms(0));
  const fs::path file = experiment("toy-encoder", "config:\n  sentence: a\n  vectors: words.txt\n");
  const Outcome outcome = run_unprivileged(file, out());
  EXPECT_EQ(outcome.exit_code, kBadInput);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.error, fmt::format("{}:4:12: config.vectors: found what cannot be read "
                                       "(Permission denied) at 'words.txt' ({}), "
                                       "allowed: an existing file\n",
                                       file.string(), vectors.string()));
  EXPECT_FALSE(fs::exists(out()));
}

// A small disk of its own, which only the processes of a test see.
class FullDiskTest : public ProgramTest {
 protected:
  void SetUp() override {
    fs::create_directory(out());
    if (on_small_disk("1m", "true").exit_code != 0)
      GTEST_SKIP() << "needs the right to mount a tmpfs";
  }

  // Runs a shell script in which out() is a disk of that size, and "$@" is `words`.
  Outcome on_small_disk(const std::string& size, const std::string& script,
                        const Words& words = {}) const {
    Words all{"unshare", "--mount"};
    if (!is_root()) all.emplace_back("--map-root-user");
    const std::string mount =
        fmt::format("mount -t tmpfs -o size={} tmpfs '{}' || exit 99\n", size, out().string());
    all.insert(all.end(), {"sh", "-c", mount + script, "sh"});
    all.insert(all.end(), words.begin(), words.end());
    return program(all);
  }

  // Runs the command on a disk too small for it, then on the same disk enlarged; `home` gets what
  // was there in between and at the end.
  void fill_and_enlarge(const fs::path& file, const Words& more, const std::string& size) {
    const std::string script = fmt::format(R"(
home='{}'; results='{}'
"$@" >$home/first.out 2>$home/first.err; echo "first $?"
cp -r $results $home/between
mount -o remount,size=64m $results
"$@" >$home/second.out 2>$home/second.err; echo "second $?"
cp -r $results $home/after
)",
                                           folder().string(), out().string());
    const Outcome outcome = on_small_disk(size, script, run_words(file, more));
    EXPECT_EQ(outcome.output, "first 5\nsecond 0\n");
    EXPECT_EQ(runner::read_text_file(folder() / "first.out"), "");
    const std::string result = first_line(runner::read_text_file(folder() / "second.out"));
    const fs::path copy = folder() / "after" / fs::path(result).lexically_relative(out());
    const Outcome reference =
        refran({"run", file, "--out", folder() / "reference", "--plugin-path", kPlugins});
    EXPECT_EQ(checked_digest(copy), checked_digest(first_line(reference.output)));
  }

  // What was said, with the names of this launch left out.
  std::string said(const std::string& name) const {
    std::string text = runner::read_text_file(folder() / name);
    text = std::regex_replace(text, std::regex("[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}"), "ID");
    return without_rates(
        std::regex_replace(text, std::regex("/[0-9]+-[0-9]+-([0-9]{3})\\.seg"), "/LAUNCH-$1.seg"));
  }
};

TEST_F(FullDiskTest, ASingleRunLeavesNothingAndIsRunAgain) {
  fill_and_enlarge(experiment("slow", "config: {steps: 1000, milliseconds: 0, width: 1000}\n"), {},
                   "2m");
  EXPECT_EQ(said("first.err"),
            fmt::format(
                "{}/slow/ID/segments/LAUNCH-000.seg: cannot be written: No space left on device\n",
                out().string()));
  EXPECT_TRUE(fs::is_empty(folder() / "between/slow"));
  EXPECT_EQ(said("second.err"), "");
}

TEST_F(FullDiskTest, WhereTheResultDoesNotFitTheRunIsKept) {
  fill_and_enlarge(experiment("slow", "config: {steps: 1000, milliseconds: 0, width: 1000}\n"), {},
                   "12m");
  EXPECT_EQ(said("first.err"),
            fmt::format("{}/slow/ID/run.h5.partial: cannot write noise: No space "
                        "left on device; the runs that are done are "
                        "kept, the same command goes on from here\n",
                        out().string()));
  EXPECT_EQ(said("second.err"), fmt::format("going on with {}/slow/ID\n", out().string()));
}

TEST_F(FullDiskTest, ASweepKeepsWhatIsDoneAndGoesOn) {
  fill_and_enlarge(experiment("slow",
                              "config: {steps: 1000, milliseconds: 0, width: 100}\n"
                              "sweep:\n  seed: {from: 1, count: 10}\n"),
                   {"-j", "1", "--group-size", "1"}, "3m");
  EXPECT_EQ(said("first.err"),
            fmt::format("{}/slow/ID/segments/LAUNCH-000.seg: cannot be written: No "
                        "space left on device; the runs that are done "
                        "are kept, the same command goes on from here\n",
                        out().string()));
  std::vector<fs::path> begun;
  for (const auto& entry : fs::directory_iterator(folder() / "between/slow"))
    begun.push_back(entry.path());
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_FALSE(fs::exists(begun[0] / "run.h5"));
  EXPECT_EQ(runner::SegmentSet(begun[0] / "segments").runs().size(), 3U);
  EXPECT_EQ(said("second.err"),
            fmt::format("going on with {}/slow/ID\n10/10 runs, R/s, T\n", out().string()));
}

}  // namespace
}  // namespace refran::tests
