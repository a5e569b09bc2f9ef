#include "cli/installation.h"

#include <utility>

#include "base/data_dir.h"

namespace cove {

Result<Installation> load_installation() {
  Installation installation;
  COVE_ASSIGN(installation.data_directory, data_dir());
  COVE_ASSIGN(installation.catalog,
              RuntimeCatalog::load(installation.data_directory + "/profiles"));
  installation.presets = PresetCatalog({installation.data_directory + "/policies"});
  return installation;
}

}  // namespace cove
