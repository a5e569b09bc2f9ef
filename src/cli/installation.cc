#include "cli/installation.h"

#include <algorithm>
#include <utility>

#include "base/data_dir.h"

namespace cove {

namespace {

bool knows(const RuntimeCatalog& catalog, const std::string& word) {
  return catalog.by_extension(word).has_value() ||
         std::ranges::any_of(catalog.profiles(), [&](const LanguageProfile& profile) {
           return profile.name == word ||
                  std::ranges::find(profile.aliases, word) != profile.aliases.end();
         });
}

}  // namespace

Result<Installation> load_installation(const std::string& word) {
  Installation installation;
  COVE_ASSIGN(installation.data_directory, data_dir());
  const std::string profiles = installation.data_directory + "/profiles";
  if (!word.empty()) {
    COVE_ASSIGN(installation.catalog, RuntimeCatalog::load_mentioning(profiles, word));
  }
  if (word.empty() || !knows(installation.catalog, word)) {
    COVE_ASSIGN(installation.catalog, RuntimeCatalog::load(profiles));
  }
  installation.presets = PresetCatalog({installation.data_directory + "/policies"});
  return installation;
}

}  // namespace cove
