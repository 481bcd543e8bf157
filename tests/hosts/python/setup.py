"""Brings the component into the package before it is built; an sdist has it already.

The rest is in ``pyproject.toml``. ``RETRYWISE_COMPONENT`` names the component where it is not the one
that `cargo xtask build` made in this repository.
"""

import os
import shutil
import sys
from pathlib import Path

from setuptools import setup

home = Path(__file__).resolve().parent
shipped = home / "src/retrywise/retrywise.component.wasm"
built = home.parents[2] / "js/wasm" / shipped.name if len(home.parents) > 2 else shipped
made = Path(os.environ.get("RETRYWISE_COMPONENT", built))
if made.is_file():
    shutil.copyfile(made, shipped)
elif not shipped.is_file():
    sys.exit(f"there is no component at {made}: `cargo xtask build --only component` makes it")

setup()
