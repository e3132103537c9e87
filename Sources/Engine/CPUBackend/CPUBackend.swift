/// Kernels for this machine's processor: oneDNN's and our own. An operator has them by conforming to
/// ``KernelProvider`` here.
@_exported import Backends
