#include "cli/option_names.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

TEST(OptionNames, AFieldBecomesItsOption) {
  RunOptions options;
  options.files = {"a.txt", "b.txt=../b"};
  EXPECT_EQ(in_options("field \"timeout_ms\": must be more", options), "--timeout: must be more");
  EXPECT_EQ(in_options("field \"compile_timeout_ms\": must be more", options),
            "--compile-timeout: must be more");
  EXPECT_EQ(in_options("field \"env.LD_PRELOAD\": is refused", options),
            "--env LD_PRELOAD: is refused");
  EXPECT_EQ(in_options("field \"files[1].name\": climbs", options),
            "--file \"b.txt=../b\": climbs");
  EXPECT_EQ(in_options("field \"policy.filesystem.root\": is needed", options),
            "field \"policy.filesystem.root\": is needed");
}

TEST(OptionNames, ALimitOfAPolicyKeepsItsName) {
  RunOptions options;
  const std::string refused = "cannot enforce cpu limits (limits.cpus); leave out limits.cpus, or";
  EXPECT_EQ(in_options(refused, options), refused);
  options.cpus = 2;
  EXPECT_EQ(in_options(refused, options),
            "cannot enforce cpu limits (--cpus); leave out --cpus, or");
  EXPECT_EQ(in_options("field \"policy.limits.cpus\": no", options),
            "field \"policy.limits.cpus\": no");
  options.memory = "1k";
  EXPECT_EQ(in_options("field \"limits.memory\": must be between", options),
            "--memory: must be between");
}

TEST(OptionNames, AdviceOfTheLibraryBecomesOptions) {
  EXPECT_EQ(with_local_advice("use a backend that isolates (native), or the policy host_local if"),
            "use a backend that isolates (--backend native), or --policy host_local if");
  EXPECT_EQ(with_local_advice("allow them, or use the isolation level landlock"),
            "allow them, or use --isolation landlock");
  EXPECT_EQ(with_local_advice("nothing of the kind"), "nothing of the kind");
}

}  // namespace
}  // namespace cove
