"""Runs the unittest programs named and prints TAP, as tests/run reads it."""

import importlib
import os
import pathlib
import site
import sys
import unittest


class Tap(unittest.TestResult):
    count = 0

    def line(self, text, test):
        self.count += 1
        print(text.format(n=self.count, name=test._testMethodName.removeprefix("test_")), flush=True)

    def addSuccess(self, test):
        self.line("ok {n} - {name}", test)

    def addSkip(self, test, reason):
        self.line("ok {n} # SKIP {name}: " + reason, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line("not ok {n} - {name}", test)
        print("".join("# " + line + "\n" for line in self.failures[-1][1].splitlines()))

    def addError(self, test, err):
        super().addError(test, err)
        self.count += 1
        print(f"not ok {self.count} - {test.id()}")
        print("".join("# " + line + "\n" for line in self.errors[-1][1].splitlines()))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.count += 1
            print(f"not ok {self.count} - {subtest.id()}")
            lines = (self.failures + self.errors)[-1][1].splitlines()
            print("".join("# " + line + "\n" for line in lines))


if os.environ.get("WHEELS"):  # another environment's packages: numpy, torch, triton, ...
    site.addsitedir(os.environ["WHEELS"])
sys.path.insert(0, str(pathlib.Path(__file__).parent))
if __name__ == "__main__":  # a process that a test starts imports this too
    result = Tap()
    for name in sys.argv[1:]:
        unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name)).run(result)
    print(f"1..{result.count}")
    sys.exit(not result.wasSuccessful())
