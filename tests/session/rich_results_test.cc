// Values and displays in the forms that people want to see.
#include "base/base64.h"
#include "session_fixture.h"

namespace cove::session_tests {
namespace {

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";

struct Recorder : CellSink {
  std::string out;
  std::vector<RichData> shown;
  void on_stdout(std::string_view bytes) override { out += bytes; }
  void on_stderr(std::string_view) override {}
  void on_display(const RichData& data) override { shown.push_back(data); }
};

TEST_F(Sessions, ValuesComeInTheFormsThatTheyOffer) {
  const auto id = open().id;
  run(id,
      "class Rich:\n"
      "    def __repr__(self): return 'plain'\n"
      "    def _repr_html_(self): return '<b>html</b>'\n"
      "    def _repr_svg_(self): return '<svg/>'\n"
      "    def _repr_png_(self): return b'\\x89PNG'\n"
      "    def _repr_json_(self): return {'a': [1, 2]}\n"
      "class Bundle:\n"
      "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
      "        return {'text/plain': 'P', 'text/markdown': '*m*'}, {}\n");
  const auto rich = run(id, "Rich()");
  ASSERT_TRUE(rich.value) << describe(rich);
  EXPECT_EQ(form(*rich.value, "text/plain"), "plain");
  EXPECT_EQ(form(*rich.value, "text/html"), "<b>html</b>");
  EXPECT_EQ(form(*rich.value, "image/svg+xml"), "<svg/>");
  EXPECT_EQ(form(*rich.value, "image/png"), base64_encode("\x89PNG"));
  EXPECT_EQ(form(*rich.value, "application/json"), R"({"a": [1, 2]})");
  const auto bundle = run(id, "Bundle()");
  EXPECT_EQ(form(*bundle.value, "text/markdown"), "*m*");
  EXPECT_EQ(form(*bundle.value, "text/plain"), "P");
}

TEST_F(Sessions, DisplaysStreamInOrder) {
  const auto id = open().id;
  Recorder sink;
  const auto result = service_->execute(
      id, {.code = "print('a')\nfor i in range(3): display(i)\nprint('b')", .timeout = {}}, {},
      &sink);
  ASSERT_TRUE(result);
  EXPECT_EQ(sink.out, "a\nb\n");
  ASSERT_EQ(sink.shown.size(), 3U);
  EXPECT_EQ(form(sink.shown[2], "text/plain"), "2");
  EXPECT_EQ(result->displays, sink.shown);
}

TEST_F(Sessions, ValuesThatFailToShowThemselvesAreNoFailure) {
  const auto id = open().id;
  run(id,
      "class Bad:\n    def __repr__(self): raise ValueError('no')\n"
      "    def _repr_html_(self): raise ValueError('no html')");
  const auto bad = run(id, "Bad()");
  EXPECT_EQ(bad.status, ExecutionStatus::Success) << describe(bad);
  EXPECT_NE(form(*bad.value, "text/plain").find("repr() failed"), std::string::npos);
  EXPECT_NE(bad.stderr_data.find("no html"), std::string::npos);
  const auto large = run(id, "'x' * 50_000_000");
  EXPECT_LT(form(*large.value, "text/plain").size(), 2U << 20U);
  const auto odd = run(id, "display({'image/png': b'1' * 20_000_000}, raw=True)\n'\\ud800'");
  EXPECT_EQ(odd.status, ExecutionStatus::Success) << describe(odd);
  EXPECT_NE(odd.stderr_data.find("too large"), std::string::npos) << describe(odd);
}

TEST_F(Sessions, MatplotlibFiguresAppearByThemselves) {
  const auto id = open().id;
  if (value(id, "import importlib.util as u\nu.find_spec('matplotlib') is not None") != "True") {
    GTEST_SKIP() << "python3-matplotlib is not installed";
  }
  EXPECT_EQ(value(id, "import sys\n'matplotlib' in sys.modules"), "False");
  const auto plotted = run(id, "import matplotlib.pyplot as plt\nplt.plot([1, 2, 4])\nNone",
                           std::chrono::seconds(30));
  ASSERT_EQ(plotted.displays.size(), 1U) << describe(plotted);
  const auto png = base64_decode(form(plotted.displays[0], "image/png"));
  ASSERT_TRUE(png);
  EXPECT_TRUE(png->starts_with(kPng));
  EXPECT_EQ(run(id, "1").displays.size(), 0U);
  const auto shown = run(id, "plt.plot([3]); plt.show(); print('after')");
  EXPECT_EQ(shown.displays.size(), 1U) << describe(shown);
  EXPECT_EQ(shown.stderr_data, "");
  const auto figure = run(id, "from matplotlib.figure import Figure\nFigure()");
  EXPECT_FALSE(form(*figure.value, "image/png").empty()) << describe(figure);
}

TEST_F(Sessions, PandasTablesComeAsHtml) {
  const auto id = open().id;
  if (value(id, "import importlib.util as u\nu.find_spec('pandas') is not None") != "True") {
    GTEST_SKIP() << "python3-pandas is not installed";
  }
  const auto table =
      run(id, "import pandas\npandas.DataFrame({'a': [1, 2]})", std::chrono::seconds(30));
  ASSERT_TRUE(table.value) << describe(table);
  EXPECT_NE(form(*table.value, "text/html").find("<table"), std::string::npos);
  EXPECT_NE(form(*table.value, "text/plain").find('a'), std::string::npos);
}

}  // namespace
}  // namespace cove::session_tests
