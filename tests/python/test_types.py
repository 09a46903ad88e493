"""The package's annotations hold: mypy, strict."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import TREE


class Types(unittest.TestCase):
    def test_annotations(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("no mypy")
        package = TREE / "src" / "python"
        with tempfile.TemporaryDirectory() as cache:
            run = subprocess.run([sys.executable, "-m", "mypy", "--config-file", package / "pyproject.toml",
                                  "--cache-dir", cache, "libtmap"], cwd=package, text=True,
                                 capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertTrue((pathlib.Path(package) / "libtmap" / "py.typed").exists())
