#: [files]
#: "tool.py" = "import sys\nprint(__name__, __file__, sys.argv, __spec__)\n"
import runpy

runpy.run_path("/workspace/tool.py", run_name="__main__")
runpy.run_module("tool", run_name="chosen", alter_sys=True)
