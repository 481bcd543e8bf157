#!/usr/bin/env python3
"""Writes the vector files beside this folder that come from tables; `--check` only compares.

Nothing here calls the core: what a vector expects comes from the documents or from `model.py`.
"""

import importlib
import json
import pathlib
import sys

FILES = [p.stem for p in sorted(pathlib.Path(__file__).parent.glob("*.py")) if p.stem not in ("make", "model", "lines")]


def main():
    home = pathlib.Path(__file__).resolve().parent.parent
    stale, total = [], 0
    for name in FILES:
        traces = list(importlib.import_module(name).all_traces())
        text = "".join(json.dumps(trace, ensure_ascii=False) + "\n" for trace in traces)
        path = home / f"{name}.jsonl"
        total += len(traces)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    print(f"{total} vectors in {len(FILES)} files" + (f"; stale: {', '.join(stale)}" if stale else ""))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
