#include "runtime/runtime_catalog.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "runtime/version_probe.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

// A host in a temporary directory: profiles, and directories of commands.
class RuntimeCatalogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cove-catalog-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = fs::canonical(pattern);
    fs::create_directories(root_ / "profiles");
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string write(const fs::path& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
    return (root_ / name).string();
  }

  // Something that looks like a compiled program.
  std::string command(const fs::path& name, const std::string& text =
                                                "\x7f"
                                                "ELF") {
    std::string path = write(name, text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  void link(const fs::path& name, const fs::path& target) {
    fs::create_directories((root_ / name).parent_path());
    fs::create_symlink(target, root_ / name);
  }

  void profile(const std::string& name, const std::string& more) {
    write("profiles/" + name + ".toml", "name = \"" + name + "\"\nextension = \"" + name +
                                            "\"\nrun_args = [\"{program}\"]\n" + more);
  }

  RuntimeCatalog load() {
    auto catalog = RuntimeCatalog::load((root_ / "profiles").string(),
                                        CommandPath{{root_ / "shims", root_ / "tool/bin"}});
    EXPECT_TRUE(catalog) << catalog.error().message();
    return catalog ? *catalog : RuntimeCatalog();
  }

  static bool shows(const Runtime& runtime, const fs::path& path) {
    return std::ranges::find(runtime.mounts, path.string()) != runtime.mounts.end();
  }

  fs::path root_;
};

TEST_F(RuntimeCatalogTest, FindsByNameAndAliasInAnyCase) {
  profile("wren", "aliases = [\"bird\"]\ninterpreters = [\"wren\"]\n");
  const std::string wren = command("tool/bin/wren");
  const RuntimeCatalog catalog = load();
  for (const char* name : {"wren", "WREN", "Bird"}) {
    const auto runtime = catalog.find(name);
    ASSERT_TRUE(runtime) << runtime.error().message();
    EXPECT_EQ(runtime->interpreter, wren);
  }
  EXPECT_EQ(catalog.by_extension("WREN"), "wren");
  EXPECT_EQ(catalog.by_extension("exe"), std::nullopt);
}

TEST_F(RuntimeCatalogTest, AnUnknownLanguageIsAnsweredWithTheKnownOnes) {
  profile("wren", "interpreters = [\"wren\"]\n");
  const auto runtime = load().find("cobol");
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().code(), ErrorCode::UnsupportedLanguage);
  EXPECT_NE(runtime.error().message().find("cobol"), std::string::npos);
  EXPECT_NE(runtime.error().message().find("wren"), std::string::npos);
}

TEST_F(RuntimeCatalogTest, AMissingInterpreterIsNamedWithTheWayToGetIt) {
  profile("wren", "interpreters = [\"wren\", \"/opt/none/wren\"]\ninstall = \"brew wren\"\n");
  const auto runtime = load().find("wren");
  ASSERT_FALSE(runtime);
  EXPECT_EQ(runtime.error().code(), ErrorCode::UnsupportedLanguage);
  EXPECT_NE(runtime.error().message().find("/opt/none/wren"), std::string::npos);
  EXPECT_NE(runtime.error().message().find("brew wren"), std::string::npos);
}

TEST_F(RuntimeCatalogTest, AShimIsPassedOverForARealInterpreter) {
  profile("wren", "interpreters = [\"wren\"]\n");
  const std::string shim = command("shims/wren", "#!/bin/sh\nexec wren\n");
  EXPECT_NE(load().find("wren").error().message().find(shim + " is a script"), std::string::npos);
  const std::string real = command("tool/bin/wren");
  EXPECT_EQ(load().find("wren")->interpreter, real);
}

TEST_F(RuntimeCatalogTest, ShowsTheSystemAndTheInstallationButNoAccounts) {
  profile("wren", "interpreters = [\"wren\"]\nmounts = [\"/no/such/path\"]\n");
  command("tool/bin/wren");
  const auto runtime = load().find("wren");
  ASSERT_TRUE(runtime);
  EXPECT_TRUE(shows(*runtime, "/usr"));
  EXPECT_TRUE(shows(*runtime, root_ / "tool"));
  for (const char* path : {"/", "/etc", "/etc/passwd", "/etc/hosts", "/no/such/path"}) {
    EXPECT_FALSE(shows(*runtime, path)) << path;
  }
  for (std::size_t i = 0; i < runtime->mounts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE((runtime->mounts[i] + "/").starts_with(runtime->mounts[j] + "/"))
          << runtime->mounts[i] << " lies below " << runtime->mounts[j];
    }
  }
}

TEST_F(RuntimeCatalogTest, AVirtualEnvironmentBringsTheInstallationBelowIt) {
  command("base/bin/python3.12");
  link("base/bin/python3", "python3.12");
  link("venv/bin/python3", root_ / "base/bin/python3");
  link("venv/bin/python", "python3");
  write("venv/pyvenv.cfg", "home = " + (root_ / "other/bin").string() + "\n");
  command("other/bin/python3");
  profile("science", "interpreters = [\"" + (root_ / "venv/bin/python").string() + "\"]\n");
  const auto runtime = load().find("science");
  ASSERT_TRUE(runtime) << runtime.error().message();
  // Started by this name, or it would not know of its packages.
  EXPECT_EQ(runtime->interpreter, (root_ / "venv/bin/python").string());
  EXPECT_TRUE(shows(*runtime, root_ / "venv"));
  EXPECT_TRUE(shows(*runtime, root_ / "base"));
  EXPECT_TRUE(shows(*runtime, root_ / "other"));
}

TEST_F(RuntimeCatalogTest, AHomeDirectoryIsNeverShown) {
  command("home/bin/wren");
  command("real/bin/lark");
  link("home/bin/lark", root_ / "real/bin/lark");
  profile("wren", "interpreters = [\"" + (root_ / "home/bin/wren").string() + "\"]\n");
  profile("lark", "interpreters = [\"" + (root_ / "home/bin/lark").string() + "\"]\n");
  const char* old_home = std::getenv("HOME");
  const std::string saved = old_home != nullptr ? old_home : "";
  ::setenv("HOME", (root_ / "home").c_str(), 1);
  const auto wren = load().find("wren");
  const auto lark = load().find("lark");
  ::setenv("HOME", saved.c_str(), 1);
  ASSERT_TRUE(wren && lark);
  EXPECT_FALSE(shows(*wren, root_ / "home"));
  EXPECT_TRUE(shows(*wren, root_ / "home/bin/wren"));
  EXPECT_FALSE(shows(*lark, root_ / "home"));
  EXPECT_EQ(lark->interpreter, (root_ / "real/bin/lark").string());
}

TEST_F(RuntimeCatalogTest, AnAlternativeIsStartedInItsOwnWay) {
  profile("wren",
          "interpreters = [\"wren\"]\n"
          "[[alternative]]\ncommand = \"lark\"\nneeds = [\"seed\"]\n"
          "run_args = [\"--with\", \"{seed}\", \"{program}\"]\nenv = { SEED = \"{seed}\" }\n");
  command("tool/bin/lark");
  EXPECT_NE(load().find("wren").error().message().find("needs the command \"seed\""),
            std::string::npos);
  const std::string seed = command("tool/bin/seed", "#!/bin/sh\n");
  const auto runtime = load().find("wren");
  ASSERT_TRUE(runtime) << runtime.error().message();
  EXPECT_EQ(runtime->profile.run_args, (std::vector<std::string>{"--with", seed, "{program}"}));
  EXPECT_EQ(runtime->profile.env.at(0).second, seed);

  command("tool/bin/wren");
  EXPECT_EQ(load().find("wren")->profile.run_args, std::vector<std::string>{"{program}"});
}

TEST_F(RuntimeCatalogTest, AnAlternativeThatIsTooOldIsPassedOver) {
  const std::string args = "version_args = [\"-c\", \"echo v20.11.1\"]\n";
  profile("old", args + "[[alternative]]\ncommand = \"/bin/sh\"\nmin_version = \"22.6\"\n");
  profile("new", args + "[[alternative]]\ncommand = \"/bin/sh\"\nmin_version = \"20.9\"\n");
  const auto old = load().find("old");
  ASSERT_FALSE(old);
  EXPECT_NE(old.error().message().find("22.6 or later is needed"), std::string::npos);
  EXPECT_TRUE(load().find("new"));
}

TEST_F(RuntimeCatalogTest, AUsersProfileAddsOrReplacesALanguage) {
  profile("wren", "aliases = [\"bird\"]\ninterpreters = [\"wren\"]\n");
  command("tool/bin/wren");
  const std::string lark = command("tool/bin/lark");
  RuntimeCatalog catalog = load();
  const RuntimeCatalog before = catalog;
  const auto name = catalog.add_profile_file(write(
      "mine.toml", "name = \"mine\"\nextends = \"wren\"\ninterpreters = [\"" + lark + "\"]\n"));
  ASSERT_TRUE(name) << name.error().message();
  EXPECT_EQ(*name, "mine");
  EXPECT_EQ(catalog.find("mine")->interpreter, lark);
  EXPECT_EQ(catalog.by_extension("wren"), "mine");  // the user's own is asked first
  ASSERT_TRUE(catalog.add_profile_file(
      write("w.toml", "name = \"wren\"\nextends = \"wren\"\ninterpreters = [\"lark\"]\n")));
  EXPECT_EQ(catalog.find("wren")->interpreter, lark);
  EXPECT_EQ(catalog.profiles().size(), 2U);
  EXPECT_EQ(before.profiles().size(), 1U);
  EXPECT_FALSE(catalog.add_profile_file((root_ / "absent.toml").string()));
}

TEST_F(RuntimeCatalogTest, ADirectoryOfProfilesIsAddedAndItsLimitsAreBounded) {
  command("tool/bin/tool");
  profile("ada", "interpreters = [\"tool\"]\n[limits]\nmemory = \"1g\"\n");
  RuntimeCatalog catalog = load();
  write("more/zig.toml",
        "name = \"zig\"\nextension = \"zig\"\nrun_args = [\"{program}\"]\n"
        "interpreters = [\"tool\"]\n");
  ASSERT_TRUE(catalog.add_profiles((root_ / "more").string()));
  Limits most;
  most.memory = Bytes::mib(256);
  catalog.lower_limits(most);
  EXPECT_EQ(catalog.find_profile("ada")->limits.memory, Bytes::mib(256));
  EXPECT_EQ(catalog.find_profile("zig")->limits.memory, Bytes::mib(256)) << "the default is more";
  EXPECT_EQ(catalog.find_profile("cobol"), nullptr);
  EXPECT_FALSE(catalog.add_profiles((root_ / "nowhere").string()));
}

TEST_F(RuntimeCatalogTest, TwoProfilesCannotClaimOneName) {
  profile("wren", "interpreters = [\"wren\"]\n");
  profile("lark", "aliases = [\"wren\"]\ninterpreters = [\"lark\"]\n");
  const auto catalog = RuntimeCatalog::load((root_ / "profiles").string());
  ASSERT_FALSE(catalog);
  EXPECT_NE(catalog.error().message().find("wren"), std::string::npos);
  EXPECT_FALSE(RuntimeCatalog::load((root_ / "absent").string()));
}

TEST_F(RuntimeCatalogTest, TheListSaysWhatIsUsableAndWhyOthersAreNot) {
  profile("wren", "interpreters = [\"wren\"]\n");
  profile("lark", "interpreters = [\"lark\"]\n");
  command("tool/bin/wren");
  const auto list = load().list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].profile.name, "lark");
  EXPECT_FALSE(list[0].runtime);
  EXPECT_NE(list[0].reason.find("looked for lark"), std::string::npos);
  EXPECT_TRUE(list[1].runtime);
}

TEST(ShippedProfiles, AllOfThemLoadAndTheShellIsUsable) {
  const fs::path directory = fs::path(__FILE__).parent_path() / "../../profiles";
  if (!fs::exists(directory)) GTEST_SKIP() << "the source tree is not here";
  const auto catalog = RuntimeCatalog::load(directory.string());
  ASSERT_TRUE(catalog) << catalog.error().message();
  for (const char* name :
       {"py", "node", "ts", "bash", "sh", "perl", "rb", "lua", "php", "R", "bun", "deno"}) {
    const auto runtime = catalog->find(name);
    const bool is_known =
        runtime || runtime.error().message().find("not usable here") != std::string::npos;
    EXPECT_TRUE(is_known) << name << ": " << runtime.error().message();
  }
  EXPECT_TRUE(catalog->find("sh"));
  EXPECT_EQ(catalog->by_extension("py"), "python");
  EXPECT_EQ(catalog->by_extension("mjs"), "javascript");
  EXPECT_EQ(catalog->by_extension("ts"), "typescript");
  EXPECT_EQ(catalog->by_extension("r"), "r");
}

TEST(VersionProbe, TakesTheFirstLineAndSurvivesSilenceAndHanging) {
  Runtime shell{{}, "/bin/sh", {}};
  shell.profile.version_args = {"-c", "echo; echo 'v 1.2' >&2; echo more"};
  EXPECT_EQ(probe_version(shell).value_or(""), "v 1.2");
  shell.profile.version_args = {"-c", "true"};
  EXPECT_FALSE(probe_version(shell));
  shell.profile.version_args = {"-c", "echo 7; exec >&- 2>&-; exec sleep 60"};
  EXPECT_EQ(probe_version(shell).value_or(""), "7");
  shell.profile.version_args = {"-c", "sleep 60 & sleep 60"};
  EXPECT_FALSE(probe_version(shell));
  shell.interpreter = "/no/such/interpreter";
  EXPECT_FALSE(probe_version(shell));
}

TEST_F(RuntimeCatalogTest, AnImagesRootIsSearchedInsteadOfTheHost) {
  profile("a", "interpreters = [\"/usr/bin/tool\", \"tool\"]\n");
  command("image/usr/bin/tool");
  command("image/usr/local/bin/real-tool");
  link("image/usr/local/bin/tool", "/usr/local/bin/real-tool");
  const CommandPath path{{"/usr/local/bin", "/usr/bin"}, (root_ / "image").string()};
  const auto runtime = load().with_path(path).find("a");
  ASSERT_TRUE(runtime) << runtime.error().message();
  EXPECT_EQ(runtime->interpreter, "/usr/local/bin/tool") << "the image's PATH comes first";
  EXPECT_TRUE(runtime->mounts.empty());
}

TEST_F(RuntimeCatalogTest, AnImagesLinksDoNotLeadToTheHost) {
  profile("a", "interpreters = [\"/usr/bin/tool\"]\ninstall = \"apt install tool\"\n");
  const std::string outside = command("outside/tool");
  link("image/usr/bin/tool", outside);
  const CommandPath path{{"/usr/bin"}, (root_ / "image").string()};
  const auto refused = load().with_path(path).find("a");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("not usable in this image"), std::string::npos);
  EXPECT_EQ(refused.error().message().find("apt install"), std::string::npos);
}

TEST_F(RuntimeCatalogTest, NothingOfAnImageIsStarted) {
  profile(
      "a",
      "interpreters = [\"none\"]\nversion_args = [\"-v\"]\n[[alternative]]\ncommand = \"tool\"\n"
      "min_version = \"1.0\"\n");
  command("image/bin/tool", "#!/bin/sh\ntouch " + (root_ / "started").string() + "; echo 9.9\n");
  command("image/bin2/tool");
  for (const char* directory : {"/bin", "/bin2"}) {
    const CommandPath path{{directory}, (root_ / "image").string()};
    EXPECT_FALSE(load().with_path(path).find("a")) << directory;
  }
  EXPECT_FALSE(fs::exists(root_ / "started"));
}

// Compilers keep caches and settings in a home: one that is only asked for its version has none.
TEST(VersionProbe, LeavesNothingBehind) {
  Runtime runtime;
  runtime.interpreter = "/bin/sh";
  runtime.profile.version_args = {"-c",
                                  "mkdir -p \"$HOME/x\" 2>/dev/null && echo made || echo nothing"};
  const auto said = probe_version(runtime);
  ASSERT_TRUE(said) << said.error().message();
  EXPECT_EQ(*said, "nothing");
}

}  // namespace
}  // namespace cove
