#include "toolchain/samples.h"

#include <fmt/format.h>

namespace cove::toolchain {
namespace {

std::string repeat(int count, std::string (*line)(int)) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i);
  return text;
}

std::string large_c(int lines) {
  return "#include <stdio.h>\nstatic int n;\n" +
         repeat(lines, [](int i) { return fmt::format("static void f{}(void) {{ ++n; }}\n", i); }) +
         "int main(void) {\n" + repeat(lines, [](int i) { return fmt::format("f{}();\n", i); }) +
         "printf(\"%d\\n\", n); }\n";
}

std::string large_rust(int lines) {
  return repeat(lines,
                [](int i) { return fmt::format("fn f{0}(n: &mut i32) {{ *n += 1; }}\n", i); }) +
         "fn main() { let mut n = 0;\n" +
         repeat(lines, [](int i) { return fmt::format("f{}(&mut n);\n", i); }) +
         "println!(\"{n}\"); }\n";
}

std::string large_go(int lines) {
  return "package main\nimport \"fmt\"\nvar n int\n" +
         repeat(lines, [](int i) { return fmt::format("func f{}() {{ n++ }}\n", i); }) +
         "func main() {\n" + repeat(lines, [](int i) { return fmt::format("f{}()\n", i); }) +
         "fmt.Println(n) }\n";
}

std::string large_java(int lines) {
  return "public class Main { static int n;\n" +
         repeat(lines, [](int i) { return fmt::format("static void f{}() {{ n++; }}\n", i); }) +
         "public static void main(String[] a) {\n" +
         repeat(lines, [](int i) { return fmt::format("f{}();\n", i); }) +
         "System.out.println(n); } }\n";
}

Sample c_sample() {
  Sample s;
  s.language = "c";
  s.echo =
      "#include <stdio.h>\nint main(int argc, char **argv) {\n  char gr\u00f6\u00dfe[99];\n"
      "  (void)argc;\n  if (!fgets(gr\u00f6\u00dfe, 99, stdin)) return 1;\n"
      "  printf(\"\u00e9:%s %s\", argv[1], gr\u00f6\u00dfe);\n}\n";
  s.exit3 = "int main(void) { return 3; }\n";
  s.crash = "#include <stdlib.h>\nint main(void) { abort(); }\n";
  s.broken = "int main(void) {\n  /* \u00e9\u00e9 */ int n = missing + 1;\n  return n;\n}\n";
  s.broken_file = "main.c";
  s.broken_line = 2;
  s.broken_column = 20;
  s.broken_says = "undeclared";
  s.warned = "#include <stdio.h>\nint main(void) { int spare; puts(\"ok\"); }\n";
  s.warned_says = "spare";
  s.host_file = "#include \"/etc/shadow\"\nint main(void) { return 0; }\n";
  s.host_file_says = "No such file or directory";
  s.endless = "#include \"main.c\"\n#include \"main.c\"\n";
  s.large = large_c;
  return s;
}

Sample cpp_sample(std::string language) {
  Sample s = c_sample();
  s.language = std::move(language);
  s.echo =
      "#include <iostream>\n#include <string>\nint main(int, char** argv) {\n"
      "  std::string gr\u00f6\u00dfe;\n  std::getline(std::cin, gr\u00f6\u00dfe);\n"
      "  std::cout << \"\u00e9:\" << argv[1] << ' ' << gr\u00f6\u00dfe << '\\n';\n}\n";
  s.crash = "#include <stdexcept>\nint main() { throw std::runtime_error(\"boom\"); }\n";
  s.crash_says = "boom";
  s.broken_file = "main.cpp";
  s.broken_says = "missing";
  s.endless =
      "template <int N> struct Deep { static constexpr auto value = Deep<N + 1>::value; };\n"
      "int main() { return Deep<0>::value; }\n";
  return s;
}

Sample clang_sample() {
  Sample s = c_sample();
  s.language = "clang";
  s.broken_says = "missing";
  s.host_file_says = "file not found";
  return s;
}

Sample rust_sample() {
  Sample s;
  s.language = "rust";
  s.echo =
      "use std::io::BufRead;\nfn main() {\n"
      "    let gr\u00f6\u00dfe = std::io::stdin().lock().lines().next().unwrap().unwrap();\n"
      "    println!(\"\u00e9:{} {}\", std::env::args().nth(1).unwrap(), gr\u00f6\u00dfe);\n}\n";
  s.exit3 = "fn main() { std::process::exit(3) }\n";
  s.crash = "fn main() { panic!(\"boom\") }\n";
  s.crash_says = "boom";
  s.broken =
      "fn main() {\n    /* \u00e9\u00e9 */ let n: i32 = \"seven\";\n    println!(\"{n}\");\n}\n";
  s.broken_file = "main.rs";
  s.broken_line = 2;
  s.broken_column = 27;
  s.broken_says = "mismatched types";
  s.warned = "fn main() { let spare = 1; println!(\"ok\"); }\n";
  s.warned_says = "spare";
  s.host_file = "fn main() { print!(\"{}\", include_str!(\"/etc/shadow\")); }\n";
  s.host_file_says = "No such file or directory";
  s.endless = "macro_rules! deep { ($($t:tt)*) => { deep!($($t)* x) } }\nfn main() { deep!() }\n";
  s.large = large_rust;
  return s;
}

Sample go_sample() {
  Sample s;
  s.language = "go";
  s.echo =
      "package main\n\nimport (\n\t\"bufio\"\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n"
      "\tgr\u00f6\u00dfe, _ := bufio.NewReader(os.Stdin).ReadString('\\n')\n"
      "\tfmt.Printf(\"\u00e9:%s %s\", os.Args[1], gr\u00f6\u00dfe)\n}\n";
  s.exit3 = "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(3) }\n";
  s.crash = "package main\n\nfunc main() { panic(\"boom\") }\n";
  s.crash_says = "boom";
  s.broken = "package main\n\nfunc main() {\n\t/* \u00e9\u00e9 */ missing()\n}\n";
  s.broken_file = "main.go";
  s.broken_line = 4;
  s.broken_column = 11;
  s.broken_says = "undefined: missing";
  s.warned =
      "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"ok%d\\n\", \"spare\") }\n";
  s.warned_says = "%d";
  s.host_file =
      "package main\n\nimport _ \"embed\"\n\n//go:embed /etc/shadow\nvar x string\n\nfunc main() { "
      "print(x) }\n";
  s.host_file_says = "pattern /etc/shadow";
  s.endless = "package main\n\ntype t [2]t\n\nfunc main() {}\n";
  s.large = large_go;
  return s;
}

Sample java_sample() {
  Sample s;
  s.language = "java";
  s.echo =
      "import java.util.Scanner;\npublic class Gr\u00f6\u00dfe {\n"
      "  public static void main(String[] args) {\n"
      "    System.out.println(\"\u00e9:\" + args[0] + \" \" + new "
      "Scanner(System.in).nextLine());\n  }\n}\n";
  s.exit3 = "class A { public static void main(String[] a) { System.exit(3); } }\n";
  s.crash =
      "class A { public static void main(String[] a) { throw new RuntimeException(\"boom\"); } }\n";
  s.crash_says = "boom";
  s.broken = "public class Broken {\n  /* \u00e9\u00e9 */ int n = \"seven\";\n}\n";
  s.broken_file = "Broken.java";
  s.broken_line = 2;
  s.broken_column = 20;
  s.broken_says = "incompatible types";
  s.warned =
      "import java.util.*;\nclass A { public static void main(String[] a) {\n"
      "  List spare = new ArrayList<String>();\n  System.out.println(\"ok\"); } }\n";
  s.warned_says = "raw type";
  s.host_file = "";  // javac reads no file at the program's word
  s.endless = "class A<T> extends A<A<T>> { }\n";
  s.large = large_java;
  return s;
}

std::string long_list(std::string_view before, std::string_view item, std::string_view after,
                      int lines) {
  std::string text(before);
  for (int i = 0; i < lines; ++i) text += item;
  return text + std::string(after);
}

Sample ocaml_sample() {
  Sample s;
  s.language = "ocaml";
  s.comment = "(* {} *)";
  s.echo =
      "let () =\n  let line = input_line stdin in\n"
      "  Printf.printf \"\u00e9:%s %s\\n\" Sys.argv.(1) line\n";
  s.exit3 = "let () = exit 3\n";
  s.crash = "let () = failwith \"boom\"\n";
  s.crash_says = "boom";
  s.broken = "let () =\n  (* \u00e9\u00e9 *) print_int \"seven\"\n";
  s.broken_file = "main.ml";
  s.broken_line = 2;
  s.broken_column = 22;
  s.broken_says = "expected of type int";
  s.warned = "let () = let spare = 1 in print_endline \"ok\"\n";
  s.warned_says = "spare";
  s.host_file = "";  // ocamlopt reads no file at the program's word
  s.endless = "type t = t\nlet () = ()\n";
  s.large = [](int lines) {
    return long_list("let all = [\n", "1;\n",
                     "]\nlet () = Printf.printf \"%d\\n\" (List.length all)\n", lines);
  };
  return s;
}

Sample haskell_sample() {
  Sample s;
  s.language = "haskell";
  s.comment = "-- {}";
  s.echo =
      "import System.Environment (getArgs)\nmain :: IO ()\nmain = do\n  wort <- getArgs\n"
      "  gr\u00f6\u00dfe <- getLine\n  putStrLn (\"\u00e9:\" ++ concat wort ++ \" \" ++ "
      "gr\u00f6\u00dfe)\n";
  s.exit3 = "import System.Exit\nmain :: IO ()\nmain = exitWith (ExitFailure 3)\n";
  s.crash = "main :: IO ()\nmain = error \"boom\"\n";
  s.crash_says = "boom";
  s.broken = "main :: IO ()\nmain = {- \u00e9\u00e9 -} print (1 + missing)\n";
  s.broken_file = "Main.hs";
  s.broken_line = 2;
  s.broken_column = 28;
  s.broken_says = "not in scope: missing";
  s.warned = "main :: IO ()\nmain = let spare = 1 :: Int in putStrLn \"ok\"\n";
  s.warned_says = "spare";
  // Template Haskell runs the program's own code inside the compiler.
  s.host_file =
      "{-# LANGUAGE TemplateHaskell #-}\nimport Language.Haskell.TH\nmain :: IO ()\n"
      "main = putStrLn $(runIO (readFile \"/etc/shadow\") >>= stringE)\n";
  s.host_file_says = "does not exist";
  s.endless = "main :: IO ()\nmain = print (let x = x x in x)\n";
  s.large = [](int lines) {
    return long_list("main :: IO ()\nmain = print (length ([ 0\n", "  , 1\n",
                     "  ] :: [Int]) - 1)\n", lines);
  };
  return s;
}

Sample csharp_sample() {
  Sample s;
  s.language = "csharp";
  s.echo =
      "class P {\n  static void Main(string[] args) {\n"
      "    var gr\u00f6\u00dfe = System.Console.ReadLine();\n"
      "    System.Console.WriteLine(\"\u00e9:\" + args[0] + \" \" + gr\u00f6\u00dfe);\n  }\n}\n";
  s.exit3 = "class P { static int Main() { return 3; } }\n";
  s.crash = "class P { static void Main() { throw new System.Exception(\"boom\"); } }\n";
  s.crash_says = "boom";
  s.broken =
      "class P {\n  static void Main() {\n    /* \u00e9\u00e9 */ int n = missing + 1;\n  }\n}\n";
  s.broken_file = "main.cs";
  s.broken_line = 3;
  s.broken_column = 22;
  s.broken_says = "missing";
  s.warned =
      "class P { static void Main() { int spare = 1; System.Console.WriteLine(\"ok\"); } }\n";
  s.warned_says = "spare";
  s.host_file = "";  // mcs reads no file at the program's word
  s.endless = "class A : A { static void Main() { } }\n";
  s.large = [](int lines) {
    return long_list("class P { static int n; static void Main() {\n", "n++;\n",
                     "System.Console.WriteLine(n); } }\n", lines);
  };
  return s;
}

Sample zig_sample() {
  Sample s;
  s.language = "zig";
  s.echo = "";  // how a program reads its input changes with each version
  s.exit3 = "const std = @import(\"std\");\npub fn main() void {\n    std.process.exit(3);\n}\n";
  s.crash = "pub fn main() void {\n    @panic(\"boom\");\n}\n";
  s.crash_says = "boom";
  s.broken = "pub fn main() void {\n    _ = missing;\n}\n";
  s.broken_file = "main.zig";
  s.broken_line = 2;
  s.broken_column = 9;
  s.broken_says = "missing";
  s.warned = "";  // it has no warnings
  s.host_file = "pub fn main() void {\n    _ = @embedFile(\"/etc/shadow\");\n}\n";
  s.host_file_says = "/etc/shadow";
  s.endless =
      "fn f(comptime n: u32) u32 {\n    return f(n + 1);\n}\npub fn main() void {\n    _ = "
      "comptime f(0);\n}\n";
  return s;
}

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{c_sample(),          clang_sample(), cpp_sample("cpp"),
                                       cpp_sample("cpp20"), rust_sample(),  go_sample(),
                                       java_sample(),       ocaml_sample(), haskell_sample(),
                                       csharp_sample(),     zig_sample()};
  return all;
}

}  // namespace cove::toolchain
