import Platform

/// The bytes that this process may still allocate without swapping, as the kernel estimates them: those of the machine,
/// or of the process's control group if that has fewer.
public func os_proc_available_memory() -> Int { SystemMemory().available }
