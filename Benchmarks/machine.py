"""The processor that runs the benchmarks, and the instruction sets that may be used."""

import os
import platform

#: Kinds of processors, the most capable first: the name, the flag of /proc/cpuinfo, Atelier's name
#: (ATELIER_MAX_ISA), oneDNN's (ONEDNN_MAX_CPU_ISA, which PyTorch and OpenVINO read as well) and
#: PyTorch's own.
KINDS = [
    ("AMX", "amx_bf16", "amx", "ALL", "avx512"),
    ("AVX512-BF16", "avx512_bf16", "avx512_bf16", "AVX512_CORE_BF16", "avx512"),
    ("AVX-512", "avx512dq", "avx512", "AVX512_CORE_VNNI", "avx512"),
    ("AVX2", "avx2", "avx2", "AVX2", "avx2"),
    ("plain", None, "plain", "SSE41", "default"),
]


class Machine:
    """This machine. If `limit` names an instruction set, no runtime uses a more capable one."""

    def __init__(self, limit, threads):
        flags, self.name = set(), platform.processor() or platform.machine()
        try:
            with open("/proc/cpuinfo") as file:
                for line in file:
                    key, _, value = line.partition(":")
                    if key.strip() == "flags":
                        flags = set(value.split())
                    elif key.strip() == "model name":
                        self.name = value.strip()
                    elif key.strip() in ("cpu family", "model", "stepping"):
                        setattr(self, key.strip().split()[-1], value.strip())
        except OSError:
            pass
        version = "/".join(getattr(self, word, "?") for word in ("family", "model", "stepping"))
        self.name += f" (family/model/stepping {version})"
        has = [kind for kind in KINDS if kind[1] is None or kind[1] in flags]
        if limit:
            names = [kind[2] for kind in KINDS]
            if limit not in names:
                raise SystemExit(
                    f"--isa {limit}: there is no such set. Take one of {', '.join(names)}.")
            has = [kind for kind in has if names.index(kind[2]) >= names.index(limit)]
        self.kind, _, ours, onednn, torch = has[0]
        self.is_limited = limit is not None
        self.threads = threads or len(os.sched_getaffinity(0))
        self.has_bfloat16 = self.kind in ("AMX", "AVX512-BF16")
        self.sets = [kind[0] for kind in has]
        #: The system's load average over the last minute.
        self.load = os.getloadavg()[0]
        #: The environment variables for the timed processes, with the numbers of threads and the instruction set.
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(self.threads))
        if self.is_limited:
            self.environment.update(
                ATELIER_MAX_ISA=ours, ONEDNN_MAX_CPU_ISA=onednn, DNNL_MAX_CPU_ISA=onednn,
                ATEN_CPU_CAPABILITY=torch)
            if torch != "default":
                self.environment["MKL_ENABLE_INSTRUCTIONS"] = torch.upper()
