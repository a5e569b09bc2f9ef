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

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{c_sample(),          clang_sample(), cpp_sample("cpp"),
                                       cpp_sample("cpp20"), rust_sample(),  go_sample(),
                                       java_sample()};
  return all;
}

}  // namespace cove::toolchain
