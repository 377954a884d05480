import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import zonemark


class ImportTest(unittest.TestCase):
    def python(self, code):
        environment = {**os.environ, "PYTHONPATH": str(Path(zonemark.__file__).parent.parent)}
        return json.loads(subprocess.check_output([sys.executable, "-c", f"import json, sys\n{code}"], env=environment))

    def test_modules_come_when_they_are_used(self):
        """Importing the package imports none of its modules, and none of other libraries."""
        loaded = self.python("import zonemark; print(json.dumps([m for m in sys.modules if m.startswith('zonemark') or m == 'subprocess']))")
        self.assertEqual(loaded, ["zonemark"])
        loaded = self.python("import zonemark; zonemark.run, zonemark.Result; print(json.dumps(list(sys.modules)))")
        self.assertFalse({"numpy", "pandas", "pyarrow", "ctypes"} & set(loaded))

    def test_names(self):
        """Every name is there, and none is a module, whatever was imported before. Each import begins without a module of the package."""
        modules = {p.stem for p in Path(zonemark.__file__).parent.glob("[a-z]*.py")} - {"worker", "numba_library"}  # a program; what needs numba
        firsts = ["pass", "from zonemark import *", *(f"import zonemark.{module}" for module in sorted(modules))]
        self.assertGreater(len(firsts), 20)
        found = self.python(f"""
kinds = {{}}
for first in {firsts}:
    for name in [name for name in sys.modules if name.partition(".")[0] == "zonemark"]:
        del sys.modules[name]
    exec(first, {{}})
    import zonemark
    kinds[first] = {{n: type(getattr(zonemark, n)).__name__ for n in zonemark.__all__}}
print(json.dumps(kinds))""")
        self.assertEqual(list(found), firsts)
        for first, kinds in found.items():
            self.assertEqual(set(kinds.values()), {"type", "function"}, first)
            self.assertEqual(list(kinds), sorted(zonemark.__all__), first)
        self.assertTrue({*zonemark.__all__, "__version__"} <= set(dir(zonemark)))

    def test_wrong_name(self):
        with self.assertRaisesRegex(AttributeError, "module 'zonemark' has no attribute 'mesure'"):
            zonemark.mesure  # noqa: B018
