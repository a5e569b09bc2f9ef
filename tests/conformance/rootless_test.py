#!/usr/bin/python3
"""The container backend for an ordinary user: Podman without root. Needs root to make the user's place: a mount and
a pid namespace in which the user has an account and a range of subordinate ids, gone with all that is in it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import shell_image

COVE = os.environ["COVE_COMMAND"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
IMAGE = "localhost/cove-test/sh"

AS_ROOT = r"""
set -e
mount -t proc proc /proc
mount --make-rshared /
# What scripts/engine says about crun holds for the user's podman as well.
if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
for file in passwd group subuid subgid; do
  cp /etc/$file "$1/$file"
done
echo "cove-test:x:1999:1999::/nonexistent:/bin/sh" >>"$1/passwd"
echo "cove-test:x:1999:" >>"$1/group"
echo "cove-test:400000:65536" | tee "$1/subuid" >"$1/subgid"
for file in passwd group subuid subgid; do mount --bind "$1/$file" /etc/$file; done
export COVE_PLACE=$1
exec "$2/scripts/as-ordinary-user" sh -c "$3"
"""

AS_USER = r"""
set -e
mkdir -m 700 "$HOME/run"
export XDG_RUNTIME_DIR=$HOME/run CONTAINERS_CONF=$HOME/containers.conf CONTAINERS_STORAGE_CONF=$HOME/storage.conf
printf '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nlock_type = "file"\n' >$CONTAINERS_CONF
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/root"\nrunroot = "%s/run/root"\n' "$HOME" "$HOME" >$CONTAINERS_STORAGE_CONF
cd "$HOME"
podman import - """ + IMAGE + r""" <"$COVE_PLACE/image.tar" >import.log 2>&1 || { tail -3 import.log >&2; exit 1; }
cove() {
  code=0
  said=$("$COVE_COMMAND" run --backend container --engine podman --image """ + IMAGE + r""" -l sh --json "$@") || code=$?
  printf '{"code": %s, "said": %s}\n' "$code" "${said:-null}"
}
echo "["
cove -c 'while read -r line; do echo "$line"; done </proc/self/uid_map; echo kept >out; echo err >&2'
echo ,
cove --timeout 2s -c 'while :; do :; done'
echo ,
cove --explain -c 'echo ran'
echo ,
cove --memory 64m -c 'echo ran'
echo "]"
podman ps --all --quiet >&2
ls /tmp | grep '^cove-container' >&2 || true
"""


@unittest.skipUnless(os.geteuid() == 0, "needs root to make a place for the user")
@unittest.skipUnless(shutil.which("podman") and shutil.which("newuidmap"), "podman or uidmap is not installed")
class Rootless(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="cove-rootless.") as place:
            os.chmod(place, 0o755)
            pathlib.Path(place, "image.tar").write_bytes(shell_image.archive())
            cls.done = subprocess.run(
                ["unshare", "--mount", "--propagation", "slave", "--pid", "--fork", "--kill-child",
                 "bash", "-c", AS_ROOT, "bash", place, str(SOURCE), AS_USER],
                capture_output=True, text=True, timeout=240, check=False)
        assert cls.done.returncode == 0, cls.done.stderr[-2000:]
        answers = json.loads(cls.done.stdout)
        cls.plain, cls.late, cls.explained, cls.limited = (answer["said"] for answer in answers)
        cls.refused = answers[-1]["code"] == 125

    def test_a_program_runs_as_nobody_that_the_host_knows(self):
        self.assertEqual([self.plain["status"], self.plain["isolation"], self.plain["stderr"]],
                         ["success", "container", "err\n"])
        inside, outside, _ = self.plain["stdout"].splitlines()[0].split()
        self.assertEqual([inside, outside], ["0", "1999"], "root of the container is the user")
        self.assertEqual([file["name"] for file in self.plain["output_files"]], ["out"])

    def test_a_timeout_ends_it(self):
        self.assertEqual([self.late["status"], self.late["killed"]], ["timeout", True])

    def test_what_it_cannot_limit_it_says_and_refuses(self):
        if "limits.memory" in self.explained["unenforced_defaults"]:  # control groups of version 1 are root's
            self.assertTrue(self.refused)
            self.assertIn("memory", json.dumps(self.limited) + self.done.stderr)
        else:
            self.assertEqual(self.limited["stdout"], "ran\n")

    def test_nothing_is_left(self):
        listed = [line for line in self.done.stderr.splitlines() if len(line) == 12 or line.startswith("cove-container")]
        self.assertEqual(listed, [], self.done.stderr)


if __name__ == "__main__":
    unittest.main()
