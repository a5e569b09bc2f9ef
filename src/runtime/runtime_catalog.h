#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/interpreter_search.h"
#include "runtime/language_profile.h"

namespace cove {

// One line of `cove languages`.
struct LanguageListing {
  LanguageProfile profile;
  std::optional<Runtime> runtime;  // absent: not usable here
  std::string reason;              // why not
};

// The languages that Cove knows. A value: copies are independent. Const calls may come from many
// threads at once. Interpreters are searched anew by each call, so that one which was installed
// meanwhile is found; a search costs some tens of microseconds and starts nothing.
class RuntimeCatalog {
 public:
  RuntimeCatalog() = default;

  // Reads each *.toml in `directory`. Two profiles that claim one name are an error.
  static Result<RuntimeCatalog> load(const std::string& directory,
                                     CommandPath path = CommandPath::of_host());

  // The same, but only the profiles whose text has this word in quotes, as a name, alias or file
  // extension would be: a run of one program need not parse a dozen files.
  static Result<RuntimeCatalog> load_mentioning(const std::string& directory, std::string_view word,
                                                CommandPath path = CommandPath::of_host());

  // Adds a user's own profile, which may extend one that is here, and gives its name. It replaces a
  // profile of the same name and is asked first for names, aliases and extensions.
  Result<std::string> add_profile_file(const std::string& path);

  // The same for a file, or for every *.toml of a directory.
  Result<> add_profiles(const std::string& file_or_directory);

  // No profile gives its programs more than this by itself, nor do the defaults.
  void lower_limits(const Limits& most);

  // The same languages, looked for elsewhere: in an image's root file system.
  RuntimeCatalog with_path(CommandPath path) const;

  // By name or alias, in any case. UnsupportedLanguage says which languages there are, or what was
  // looked for on this host and how to get it.
  Result<Runtime> find(std::string_view name) const;

  // The same for a backend that compiles nothing: a compiled language is UnsupportedLanguage.
  Result<Runtime> find_interpreted(std::string_view name) const;

  // What [check] of a profile starts, as a runtime of its own. An error: it is not here.
  Result<Runtime> find_check(const LanguageProfile& profile) const;

  // By name or alias, in any case, whether or not this host has an interpreter; null: not known.
  const LanguageProfile* find_profile(std::string_view name) const;
  // The same without looking for an interpreter on this host: for backends that bring their own.
  Result<LanguageProfile> profile(std::string_view name) const;

  // The language that files ending in ".py" are in, by its name. `extension` is without the point.
  std::optional<std::string> by_extension(std::string_view extension) const;

  std::vector<LanguageListing> list() const;  // by name

  const std::vector<LanguageProfile>& profiles() const { return profiles_; }

 private:
  static Result<RuntimeCatalog> load_files(const std::vector<std::string>& files, CommandPath path);
  Error unknown_language(std::string_view name) const;
  std::string known_names() const;

  std::vector<LanguageProfile> profiles_;  // in the order in which they are asked
  CommandPath path_;
};

}  // namespace cove
