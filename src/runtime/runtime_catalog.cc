#include "runtime/runtime_catalog.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "base/strings.h"
#include "model/limit_bounds.h"
#include "runtime/profile_loader.h"

namespace cove {
namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

Result<std::vector<std::string>> profile_files(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    if (path.extension() == ".toml" && !path.filename().string().starts_with('.')) {
      files.push_back(path.string());
    }
  }
  if (error) {
    return Err(Error(
        ErrorCode::DependencyNotFound,
        fmt::format("cannot read the language profiles in {}: {}", directory, error.message())));
  }
  std::ranges::sort(files);
  return files;
}

// Each name and alias must lead to one profile, or the order of files would decide.
Result<> check_unique(const std::vector<LanguageProfile>& profiles) {
  std::map<std::string_view, const LanguageProfile*> owners;
  for (const LanguageProfile& profile : profiles) {
    std::vector<std::string_view> names{profile.name};
    names.insert(names.end(), profile.aliases.begin(), profile.aliases.end());
    for (const std::string_view name : names) {
      const auto [owner, is_new] = owners.emplace(name, &profile);
      if (is_new) continue;
      return Err(Error::invalid_field("aliases", fmt::format("\"{}\" is claimed by {} as well",
                                                             name, owner->second->source))
                     .with_context(profile.source));
    }
  }
  return {};
}

}  // namespace

Result<RuntimeCatalog> RuntimeCatalog::load(const std::string& directory, CommandPath path) {
  COVE_ASSIGN(const auto files, profile_files(directory));
  return load_files(files, std::move(path));
}

Result<RuntimeCatalog> RuntimeCatalog::load_mentioning(const std::string& directory,
                                                       std::string_view word, CommandPath path) {
  COVE_ASSIGN(auto files, profile_files(directory));
  const std::string quoted_word = fmt::format("\"{}\"", word);
  std::erase_if(files, [&](const std::string& file) {
    std::ifstream stream(file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    return text.find(quoted_word) == std::string::npos;
  });
  return load_files(files, std::move(path));
}

Result<RuntimeCatalog> RuntimeCatalog::load_files(const std::vector<std::string>& files,
                                                  CommandPath path) {
  RuntimeCatalog catalog;
  catalog.path_ = std::move(path);
  for (const std::string& file : files) {
    COVE_ASSIGN(auto profile, load_profile(file, [&](std::string_view name) {
                  return catalog.find_profile(name);
                }));
    catalog.profiles_.push_back(std::move(profile));
  }
  COVE_TRY(check_unique(catalog.profiles_));
  return catalog;
}

Result<std::string> RuntimeCatalog::add_profile_file(const std::string& path) {
  auto loaded = load_profile(path, [this](std::string_view name) { return find_profile(name); });
  if (!loaded && loaded.error().field() == "extends") {
    const std::string& message = loaded.error().message();
    return Err(Error::invalid_field(
                   "extends", fmt::format("{}; known are {}",
                                          message.substr(message.rfind(": ") + 2), known_names()))
                   .with_context(path));
  }
  COVE_ASSIGN(LanguageProfile profile, std::move(loaded));
  std::string name = profile.name;
  std::erase_if(profiles_, [&](const LanguageProfile& known) { return known.name == name; });
  profiles_.insert(profiles_.begin(), std::move(profile));
  return name;
}

Result<> RuntimeCatalog::add_profiles(const std::string& file_or_directory) {
  std::error_code error;
  std::vector<std::string> files{file_or_directory};
  if (fs::is_directory(file_or_directory, error)) {
    COVE_ASSIGN(files, profile_files(file_or_directory));
  }
  for (const std::string& file : files) COVE_TRY(add_profile_file(file));
  return {};
}

void RuntimeCatalog::lower_limits(const Limits& most) {
  for (LanguageProfile& profile : profiles_) {
    profile.limits = lower_with_defaults(profile.limits, most);
    if (profile.compile) {
      profile.compile->limits = lower_with_defaults(profile.compile->limits, most);
    }
    if (profile.check) {
      Limits& limits = profile.check->compile.limits;
      limits = lower_with_defaults(limits, most);
    }
  }
}

RuntimeCatalog RuntimeCatalog::with_path(CommandPath path) const {
  RuntimeCatalog catalog = *this;
  catalog.path_ = std::move(path);
  return catalog;
}

const LanguageProfile* RuntimeCatalog::find_profile(std::string_view name) const {
  const std::string wanted = lower_case(name);
  for (const LanguageProfile& profile : profiles_) {
    if (profile.name == wanted ||
        std::ranges::find(profile.aliases, wanted) != profile.aliases.end()) {
      return &profile;
    }
  }
  return nullptr;
}

Result<Runtime> RuntimeCatalog::find(std::string_view name) const {
  if (const LanguageProfile* profile = find_profile(name)) {
    return choose_interpreter(*profile, path_);
  }
  return Err(unknown_language(name));
}

Result<Runtime> RuntimeCatalog::find_interpreted(std::string_view name) const {
  if (const LanguageProfile* profile = find_profile(name); profile != nullptr && profile->compile) {
    return Err(
        Error(ErrorCode::UnsupportedLanguage,
              fmt::format("{} is compiled before it runs; backends native and image:NAME do that",
                          profile->name)));
  }
  return find(name);
}

Result<Runtime> RuntimeCatalog::find_check(const LanguageProfile& profile) const {
  LanguageProfile checker = profile;
  checker.interpreters.clear();
  checker.alternatives = {profile.check->choice};
  checker.compile = profile.check->compile;
  checker.install = profile.check->install;
  return choose_interpreter(checker, path_);
}

Result<LanguageProfile> RuntimeCatalog::profile(std::string_view name) const {
  if (const LanguageProfile* profile = find_profile(name)) return *profile;
  return Err(unknown_language(name));
}

Error RuntimeCatalog::unknown_language(std::string_view name) const {
  return Error(
      ErrorCode::UnsupportedLanguage,
      fmt::format("there is no language {}; known are {}. A profile file adds one (--profile; on a "
                  "server the setting profile_files)",
                  quoted(name), known_names()));
}

std::string RuntimeCatalog::known_names() const {
  std::vector<std::string> names;
  names.reserve(profiles_.size());
  for (const LanguageProfile& profile : profiles_) names.push_back(profile.name);
  std::ranges::sort(names);
  return names.empty() ? "none" : join(names, ", ");
}

std::optional<std::string> RuntimeCatalog::by_extension(std::string_view extension) const {
  const auto claims = [](const LanguageProfile& profile, const std::string& wanted) {
    return std::ranges::any_of(profile.file_extensions, [&](const std::string& known) {
      return lower_case(known) == wanted;
    });
  };
  const std::string wanted = lower_case(extension);
  const auto found = std::ranges::find_if(
      profiles_, [&](const LanguageProfile& profile) { return claims(profile, wanted); });
  if (found == profiles_.end()) return std::nullopt;
  return found->name;
}

std::vector<LanguageListing> RuntimeCatalog::list() const {
  std::vector<LanguageListing> listings;
  for (const LanguageProfile& profile : profiles_) {
    LanguageListing listing{profile, std::nullopt, {}};
    if (auto runtime = choose_interpreter(profile, path_)) {
      listing.runtime = std::move(*runtime);
    } else {
      listing.reason = runtime.error().message();
    }
    listings.push_back(std::move(listing));
  }
  std::ranges::sort(listings, {}, [](const LanguageListing& listing) -> const std::string& {
    return listing.profile.name;
  });
  return listings;
}

}  // namespace cove
