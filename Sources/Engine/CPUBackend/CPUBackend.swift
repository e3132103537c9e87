/// Kernels for this machine's processor: oneDNN's and our own. Here operators conform to ``KernelProvider``.
@_exported import Backends
