#include "toolchain/source_words.h"

#include <gtest/gtest.h>

namespace cove {
namespace {

bool has_main(std::string_view code) {
  return has_words(source_words(code, "rust"), "fn main");
}

TEST(SourceWords, AMainInACommentOrStringIsNone) {
  EXPECT_FALSE(has_main("// fn main() {}\nfn run() {}"));
  EXPECT_FALSE(has_main("/* a /* fn main() */ fn main() */ fn run() {}"));
  EXPECT_FALSE(has_main("let s = \"fn main() \\\" fn main\";"));
  EXPECT_FALSE(has_main("let s = r#\"a\" fn main() \"#; let b = br\"fn main\";"));
  EXPECT_FALSE(has_main("fn mainly() {} fn domain() {}"));
  EXPECT_FALSE(has_main("let q = '\"'; // fn main\nlet x = '\\''; /* fn main */"));
  EXPECT_FALSE(has_main("let s = \"two\nlines fn main\";"));
}

TEST(SourceWords, AMainIsFoundHoweverItIsSpaced) {
  EXPECT_TRUE(has_main("fn main() {}"));
  EXPECT_TRUE(has_main("pub  fn\n\tmain\n() {}"));
  EXPECT_TRUE(has_main("fn/* x */main() {}"));
  EXPECT_TRUE(has_main("fn f<'a>(x: &'a str) {} fn main() {}"));
  EXPECT_TRUE(has_main("let s = \"// \"; fn main() {}"));
}

TEST(SourceWords, OtherLanguagesLiterals) {
  EXPECT_TRUE(has_words(source_words("#![allow(x)]", "rust"), "#!["));
  EXPECT_FALSE(has_words(source_words("#[derive(Debug)]", "rust"), "#!["));
  EXPECT_FALSE(has_words(source_words("auto s = R\"x( int main )\" )x\";", "c"), "int main"));
  EXPECT_TRUE(has_words(source_words("int n = 1'000; int main() {}", "c"), "int main"));
  EXPECT_FALSE(has_words(source_words("s := `func main`", "go"), "func main"));
  EXPECT_TRUE(has_words(source_words("func (t T) x() {}\nfunc main() {}", "go"), "func main"));
  EXPECT_FALSE(
      has_words(source_words("String s = \"\"\"\n void main \"\"\";", "java"), "void main"));
  EXPECT_EQ(source_words("a /* unclosed", "go"), "a");
}

TEST(SourceWords, BlanksLeaveEveryPlaceWhereItWas) {
  EXPECT_EQ(blank_literals("a /* b\nc */ \"d\" e // f\ng", "c"), "a     \n         e     \ng");
  EXPECT_EQ(blank_literals("r#\"x\"# y", "rust"), "       y");
}

}  // namespace
}  // namespace cove
