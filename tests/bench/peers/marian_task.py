"""What the peers of opus-mt-probe share: texts of the bench folder, how a program is asked for measurements and timed."""

import json
import os
import sys
import time
from pathlib import Path

THREADS = 2
# These are read when torch and CTranslate2 are imported, after this module.
os.environ.update(OMP_NUM_THREADS=str(THREADS), MKL_NUM_THREADS=str(THREADS), HF_HUB_OFFLINE="1")


def lines(file):
    return Path(file).read_text(encoding="utf-8").splitlines()


def timed(work):
    """Runs it, and gives what it returned with the wall and CPU seconds of this process."""
    start, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}


def batches(items, size):
    return [items[i : i + size] for i in range(0, len(items), size)]


def serve(**handlers):
    """Answers requests {"do": name, …}, one line of JSON each, with a line of JSON until the input ends. So a program loads
    its model once, and several of them can be asked in turn. What the libraries print goes to the standard error."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(handlers[request.pop("do")](**request)), file=answers, flush=True)
