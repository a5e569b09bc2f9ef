#include "toolchain/hostile_samples.h"

#include <string_view>

#include <fmt/format.h>

namespace cove::toolchain {
namespace {

std::string times(int count, std::string_view text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// Nine macros, each eight of the one before: a thousand million numbers.
HostileSample c_sample(std::string language) {
  HostileSample s;
  s.language = std::move(language);
  s.hangs = "#define A 1,1,1,1,1,1,1,1\n";
  for (char name = 'B'; name <= 'J'; ++name) {
    const std::string before = fmt::format("{},", static_cast<char>(name - 1));
    s.hangs += fmt::format("#define {} {}1\n", name, times(8, before));
  }
  s.hangs += "int all[] = {J};\nint main(void) { return all[0]; }\n";
  s.fills = "char big[8u << 20] = {1};\nint main(void) { return big[5]; }\n";
  return s;
}

// Each template names two others that nobody named before.
HostileSample cpp_sample(std::string language) {
  HostileSample s = c_sample(std::move(language));
  s.hangs =
      "template <int N, class T> struct Twice {\n"
      "  static constexpr int value = Twice<N - 1, T*>::value + Twice<N - 1, T&()>::value;\n};\n"
      "template <class T> struct Twice<0, T> { static constexpr int value = 1; };\n"
      "int main() { return Twice<40, int>::value; }\n";
  return s;
}

HostileSample rust_sample() {
  HostileSample s;
  s.language = "rust";
  // 2^40 expansions, never many at once.
  s.hangs =
      "macro_rules! twice {\n    () => {};\n"
      "    ($first:tt $($rest:tt)*) => { { twice!($($rest)*); } { twice!($($rest)*); } };\n}\n"
      "fn main() {\n    twice!(a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
      "a a "
      "a a a a);\n}\n";
  s.fills =
      "static BIG: [u8; 8 << 20] = [1; 8 << 20];\n"
      "fn main() { println!(\"{}\", BIG[std::env::args().count()]); }\n";
  return s;
}

// As C++'s: 2^30 functions of different types.
HostileSample go_sample() {
  HostileSample s;
  s.language = "go";
  s.hangs =
      "package main\n\ntype a[T any] struct{ x T }\ntype b[T any] struct{ y T }\n\n"
      "func f0[T any]() { _ = new(T) }\n";
  for (int i = 1; i <= 30; ++i) {
    s.hangs += fmt::format("func f{0}[T any]() {{ f{1}[a[T]](); f{1}[b[T]]() }}\n", i, i - 1);
  }
  s.hangs += "func main() { f30[int]() }\n";
  s.fills = "package main\n\nvar big = [8 << 20]byte{7}\n\nfunc main() { println(big[1]) }\n";
  return s;
}

// javac folds constants: a thousand characters become 60,000 in each of a hundred.
HostileSample java_sample() {
  HostileSample s;
  s.language = "java";
  s.hangs = "class A { static int n; public static void main(String[] a) {\n" +
            times(5000, "n++;\n") + "} }\n";
  s.timeout = "150ms";  // nothing is known that keeps javac busy: it starts in twice that
  s.fills = "class A {\n  static final String k = \"" + times(1000, "x") + "\";\n";
  for (int i = 0; i < 100; ++i) {
    s.fills += fmt::format("  static String s{0} = {1}\"{0}\";\n", i, times(60, "k + "));
  }
  s.fills += "  public static void main(String[] a) { }\n}\n";
  return s;
}

HostileSample typescript_sample() {
  HostileSample s;
  s.language = "typescript";
  for (int i = 0; i < 2000; ++i)
    s.hangs += fmt::format("function f{0}(n: number) {{ return n; }}\n", i);
  s.timeout = "100ms";  // types without end are cut off by tsc itself
  return s;
}

// The type of each is the square of the one before.
HostileSample ocaml_sample() {
  HostileSample s;
  s.language = "ocaml";
  s.comment = "(* {} *)";
  s.hangs = "let f0 x = (x, x)\n";
  for (int i = 1; i <= 6; ++i) s.hangs += fmt::format("let f{0} x = f{1} (f{1} x)\n", i, i - 1);
  s.hangs += "let () = ignore (f6 (fun x -> x))\n";
  s.fills = "let () = print_endline (Str.replace_first (Str.regexp \"a\") \"b\" \"a\")\n";
  return s;
}

HostileSample haskell_sample() {
  HostileSample s;
  s.language = "haskell";
  s.comment = "-- {}";
  s.hangs =
      "{-# LANGUAGE TemplateHaskell #-}\nimport Control.Concurrent (threadDelay)\n"
      "import Language.Haskell.TH\nmain :: IO ()\n"
      "main = putStrLn $(runIO (threadDelay 1000000000) >> stringE \"late\")\n";
  s.fills =
      "{-# LANGUAGE TemplateHaskell #-}\nimport Language.Haskell.TH\nmain :: IO ()\n"
      "main = putStrLn $(runIO (writeFile \"big\" (replicate (8 * 1048576) 'x')) >> stringE "
      "\"late\")\n";
  return s;
}

// Each lambda may be either of two, for each choice of those around it.
HostileSample csharp_sample() {
  HostileSample s;
  s.language = "csharp";
  s.hangs =
      "class P {\n  static int M(System.Func<int, int> f) { return 1; }\n"
      "  static string M(System.Func<string, string> f) { return \"\"; }\n"
      "  static void Main() { ";
  for (int i = 0; i <= 18; ++i) s.hangs += fmt::format("M(a{} => ", i);
  s.hangs += "a0.Length" + times(19, ")") + "; }\n}\n";
  s.fills = "class P {\n  const string k0 = \"" + times(1000, "x") + "\";\n";
  for (int i = 1; i <= 10; ++i) {
    s.fills += fmt::format("  const string k{0} = k{1} + k{1};\n", i, i - 1);
  }
  s.fills += "  static void Main() { System.Console.WriteLine(k10.Length); }\n}\n";
  return s;
}

HostileSample zig_sample() {
  HostileSample s;
  s.language = "zig";
  s.hangs =
      "pub fn main() void {\n    comptime {\n        @setEvalBranchQuota(4000000000);\n"
      "        var i: u64 = 0;\n        while (i < 4000000000) : (i += 1) {}\n    }\n}\n";
  s.fills = "pub fn main() void {\n    @panic(\"its library is compiled, too\");\n}\n";
  return s;
}

}  // namespace

const std::vector<HostileSample>& hostile_samples() {
  static const std::vector<HostileSample> all{
      c_sample("c"),  c_sample("clang"), cpp_sample("cpp"), cpp_sample("cpp20"),
      rust_sample(),  go_sample(),       java_sample(),     typescript_sample(),
      ocaml_sample(), haskell_sample(),  csharp_sample(),   zig_sample()};
  return all;
}

}  // namespace cove::toolchain
