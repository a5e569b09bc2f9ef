#!/usr/bin/python3
"""`cove image` and `cove run --backend image:NAME`, as a user types them."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from image_store import COVE, NAME, cove, store_with_python

BACKEND = f"image:{NAME}"


def run(code, *words, exit_code=0, **options):
    done = cove("run", "--backend", BACKEND, "-l", "python", "-c", code, *words, code=exit_code,
                **options)
    return done.stdout.decode()


def run_json(code, *words, exit_code=0):
    return json.loads(run(code, "--json", *words, exit_code=exit_code))


class Images(unittest.TestCase):
    def test_list_and_show(self):
        listed = json.loads(cove("image", "list", "--json").stdout)["images"]
        self.assertEqual([image["names"] for image in listed], [[NAME]])
        self.assertEqual(len(listed[0]["layers"]), 3)
        shown = json.loads(cove("image", "show", NAME, "--json").stdout)
        self.assertEqual(shown["env_ignored"], ["LD_PRELOAD"])
        self.assertEqual(shown["languages"]["python"], "/usr/bin/python3")
        self.assertNotIn("perl", shown["languages"])
        self.assertEqual((shown["skipped"], shown["stripped"]), (1, 1))
        text = cove("image", "show", NAME).stdout.decode()
        for word in ("sha256:", "IMAGE_SAYS=hello", "/opt", "python (/usr/bin/python3)"):
            self.assertIn(word, text)

    def test_unknown_image(self):
        done = cove("run", "--backend", "image:nothing", "-c", "1", code=125)
        self.assertIn(b"there is no image", done.stderr)
        self.assertIn(NAME.encode(), done.stderr)
        done = cove("run", "--backend", "images", "-c", "1", code=125)
        self.assertIn(b"image:NAME", done.stderr)

    def test_import_from_stdin_and_remove(self):
        archive = pathlib.Path(os.environ["COVE_IMAGE_DIR"]).parent / "python.tar"
        with open(archive, "rb") as file:
            cove("image", "import", "-", "--name", "second", stdin=file)
        cove("image", "rm", "second")
        self.assertEqual(run("print(1)"), "1\n")

    def test_compiles_with_what_the_image_has(self):
        with tempfile.TemporaryDirectory() as directory:
            profile = pathlib.Path(directory) / "toy.toml"
            profile.write_text("""
name = "toy"
extension = "toy"
interpreters = ["sh"]
[compile]
run = ["/bin/sh", "{build}/main"]
[[compile.step]]
name = "build"
diagnostics = "clang-text"
args = ["-c", "{ echo 'echo built in $IMAGE_SAYS'; cat main.toy; } > cove-build/main"]
""")
            words = ["run", "--backend", BACKEND, "--profile", str(profile), "-c", "echo ran", "--json"]
            for cached in (False, True):
                result = json.loads(cove(*words).stdout)
                self.assertEqual(result["stdout"], "built in hello\nran\n")
                self.assertEqual(result["compile"]["cached"], cached)
                self.assertEqual(result["backend"], BACKEND)
        done = cove("run", "--backend", BACKEND, "-l", "c", "-c", "int main() {}", code=125)
        self.assertIn(b"c is not usable in this image: looked for gcc", done.stderr)

    def test_a_second_name_is_the_one_that_is_told(self):
        archive = pathlib.Path(os.environ["COVE_IMAGE_DIR"]).parent / "python.tar"
        for name in ("second", "third:1"):
            done = cove("image", "import", str(archive), "--name", name)
            self.assertIn(f"cove run --backend image:{name}".encode(), done.stdout)
        done = cove("image", "rm", "second", "nothing", "third:1", code=125)
        self.assertIn(b"there is no image", done.stderr)
        self.assertNotIn(b"third", cove("image", "list").stdout)
        for name in ("second", "third:1"):
            cove("image", "import", str(archive), "--name", name)
        done = cove("image", "rm", "--json", "second", "third:1")
        self.assertEqual(json.loads(done.stdout), {"removed": ["second", "third:1"]})

    def test_options_are_named_as_they_are_typed(self):
        with tempfile.TemporaryDirectory() as place:
            done = cove("image", "import", place, "--rootfs", "--name", "x", code=125)
            self.assertIn(b"is a directory", done.stderr)
            self.assertIn(b"tar -C", done.stderr)
            done = cove("image", "import", place, code=125)
            self.assertIn(b"(--rootfs)", done.stderr)
            archive = pathlib.Path(os.environ["COVE_IMAGE_DIR"]).parent / "python.tar"
            elsewhere = {**os.environ, "COVE_IMAGE_DIR": place + "/images"}
            done = cove("image", "import", str(archive), "--max-files", "3", code=125, env=elsewhere)
            self.assertIn(b"(--max-size, --max-files)", done.stderr)
        done = cove("image", "import", "-", "--rootfs", code=125, input=b"x")
        self.assertIn(b"--name: must be given", done.stderr)

    def test_import_of_rubbish(self):
        done = cove("image", "import", "-", "--name", "x", code=125, input=b"rubbish" * 1000)
        self.assertIn(b"tar", done.stderr)
        done = cove("image", "import", "-", "--rootfs", "--name", NAME, code=125, input=b"")
        self.assertIn(b"there is no file in it", done.stderr)
        self.assertEqual(run("print(1)"), "1\n")  # the image of that name is still there
        done = cove("image", "import", "/nonexistent", code=125)
        self.assertIn(b"/nonexistent", done.stderr)
        self.assertEqual(os.listdir(os.environ["COVE_IMAGE_DIR"] + "/tmp"), [])

    def test_removing_while_a_program_runs(self):
        sleeper = subprocess.Popen([COVE, "run", "--backend", BACKEND, "-l", "python", "-c",
                                    "print('up', flush=True); input()", "--stdin", "-"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        sleeper.stdin.write(b"x\n")
        sleeper.stdin.close()
        sleeper.stdout.read()
        self.assertEqual(sleeper.wait(), 0)
        sleeper.stdout.close()
        busy = subprocess.Popen([COVE, "run", "--backend", BACKEND, "-l", "python", "-c",
                                 "import time; print('up', flush=True); time.sleep(20)"],
                                stdout=subprocess.PIPE)
        self.assertEqual(busy.stdout.read(3), b"up\n")
        done = cove("image", "rm", NAME, code=125)
        self.assertIn(b"in use", done.stderr)
        busy.terminate()
        busy.wait()
        busy.stdout.close()


class Runs(unittest.TestCase):
    def test_result(self):
        result = run_json("print(6 * 7)")
        self.assertEqual(result["stdout"], "42\n")
        self.assertEqual(result["backend"], BACKEND)
        self.assertEqual(result["isolation"], "namespaces")

    def test_the_image_is_the_root(self):
        code = """
import os
print(sorted(os.listdir('/')))
print(open('/opt/only-in-the-image').read().strip(), os.path.exists('/etc/hidden-later'))
print(os.path.exists('/usr/bin/perl'), os.path.exists('/opt/null'))
print(os.environ.get('IMAGE_SAYS'), 'LD_PRELOAD' in os.environ, os.getcwd())
print(oct(os.stat('/usr/setuid-tool').st_mode & 0o7777))
"""
        self.assertEqual(run(code).splitlines(), [
            "['bin', 'code', 'dev', 'etc', 'lib', 'lib64', 'opt', 'proc', 'run', 'srv', 'tmp', "
            "'usr', 'workspace']",
            "from the image False", "False False", "hello False /workspace", "0o755"])

    def test_nothing_of_the_host_is_there(self):
        secret = pathlib.Path(os.environ["COVE_IMAGE_DIR"]).parent / "secret"
        secret.write_text("host")
        code = f"""
import os
for path in ({str(secret)!r}, {os.environ["COVE_IMAGE_DIR"]!r}, '/home', '/root', '/var', '/etc/shadow', '/sys'):
    print(path, os.path.exists(path))
"""
        for line in run(code).splitlines():
            self.assertTrue(line.endswith("False"), line)

    def test_the_root_is_read_only(self):
        code = """
import errno
for path in ('/x', '/usr/x', '/opt/only-in-the-image', '/etc/passwd', '/srv/x', '/run/x'):
    try:
        open(path, 'a')
        print(path, 'opened')
    except OSError as error:
        print(path, errno.errorcode[error.errno])
"""
        for line in run(code).splitlines():
            self.assertIn(line.split()[1], ("EROFS", "EACCES"), line)

    def test_accounts_files_and_shell(self):
        code = "import pwd, os; print(pwd.getpwuid(os.getuid()).pw_name); open('out.txt', 'w').write('1')"
        result = run_json(code)
        self.assertEqual(result["stdout"], "nobody\n")
        self.assertEqual([file["name"] for file in result["output_files"]], ["out.txt"])
        done = cove("run", "--backend", BACKEND, "-l", "sh", "-c", "echo $IMAGE_SAYS")
        self.assertEqual(done.stdout, b"hello\n")

    def test_input_harness(self):
        result = run_json("def run(input):\n    return input * 2\n", "--input", "21")
        self.assertEqual(result["output"], 42)

    def test_a_language_that_the_image_has_not(self):
        done = cove("run", "--backend", BACKEND, "-l", "perl", "-c", "print 1", code=125)
        self.assertIn(b"not usable in this image", done.stderr)

    def test_limits_and_timeout(self):
        run("while True: pass", "--timeout", "300ms", exit_code=124)
        # Without a control group the allocation fails, and the program sees that.
        run("x = bytearray(400 << 20)", "--memory", "64m", exit_code=(137, 1))

    def test_the_level_is_namespaces(self):
        result = run_json("print(1)", "--isolation", "namespaces")
        self.assertEqual((result["stdout"], result["isolation"]), ("1\n", "namespaces"))
        done = cove("run", "--backend", BACKEND, "--isolation", "landlock", "-c", "1", code=125)
        self.assertIn(b"needs isolation namespaces", done.stderr)

    def test_explain(self):
        done = cove("run", "--backend", BACKEND, "-l", "python", "-c", "1", "--explain")
        self.assertIn(b"/usr", done.stdout)


def main():
    with store_with_python():
        program = unittest.main(exit=False, verbosity=2)
        return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
