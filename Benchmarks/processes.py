"""Runs commands, and measures their time and memory."""

import os
import subprocess
import time
from typing import NamedTuple


class Run(NamedTuple):
    """The result of a command that has ended."""

    exit_code: int
    #: What the command wrote to the piped stream.
    text: str
    seconds: float
    processor_seconds: float
    #: The peak memory of the command in bytes.
    peak_bytes: int


def measure(command, **streams):
    """Runs a command and waits until it ends.

    :param streams: the arguments of `Popen` that pipe either standard output or standard error.
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
