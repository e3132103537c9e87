"""Runs commands, and says how long they took and what they held."""

import os
import subprocess
import time
from typing import NamedTuple


class Run(NamedTuple):
    """A command that has ended."""

    exit_code: int
    #: What it wrote into the stream that was piped.
    text: str
    seconds: float
    processor_seconds: float
    #: The most memory that it held, in bytes.
    peak_bytes: int


def measure(command, **streams):
    """Runs a command to its end.

    :param streams: arguments of `Popen`, which pipe either the output or the errors.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, **streams)
    with process.stdout or process.stderr as pipe:
        text = pipe.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(process.returncode, text, seconds, usage.ru_utime + usage.ru_stime,
               usage.ru_maxrss * 1024)
