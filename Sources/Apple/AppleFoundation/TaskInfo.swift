import Foundation

// Names of Darwin's kernel with which programs measure their memory and their time. On Apple's systems, Foundation brings
// them. The numbers come from `/proc/self/status` and from the monotonic clock.

/// A number of Darwin's kernel.
public typealias integer_t = Int32
/// A number of Darwin's kernel without sign.
public typealias natural_t = UInt32
/// The result of a call of Darwin's kernel.
public typealias kern_return_t = Int32
/// The name of a process or of another object of Darwin's kernel.
public typealias mach_port_t = UInt32
/// A size of memory in bytes.
public typealias mach_vm_size_t = UInt64
/// A number of 32-bit numbers.
public typealias mach_msg_type_number_t = UInt32
/// What is asked of a process.
public typealias task_flavor_t = UInt32

/// The call succeeded.
public let KERN_SUCCESS: kern_return_t = 0
/// An argument was not valid.
public let KERN_INVALID_ARGUMENT: kern_return_t = 4
/// The process itself, the only one that ``task_info(_:_:_:_:)`` knows.
public let mach_task_self_: mach_port_t = 1
/// Asks for ``mach_task_basic_info``.
public let MACH_TASK_BASIC_INFO: Int32 = 20
/// Asks for ``task_vm_info``.
public let TASK_VM_INFO: Int32 = 22

/// The memory of a process in bytes.
public struct mach_task_basic_info: Sendable {
  /// The size of the address space.
  public var virtual_size: mach_vm_size_t = 0
  /// The memory in RAM.
  public var resident_size: mach_vm_size_t = 0
  /// The largest memory in RAM so far.
  public var resident_size_max: mach_vm_size_t = 0

  /// Makes a value with zeros.
  public init() {}
}

/// The memory of a process in bytes, with more detail.
public struct task_vm_info: Sendable {
  /// The size of the address space.
  public var virtual_size: mach_vm_size_t = 0
  /// The memory in RAM.
  public var resident_size: mach_vm_size_t = 0
  /// The largest memory in RAM so far.
  public var resident_size_peak: mach_vm_size_t = 0
  /// The memory in RAM that belongs to no file.
  public var `internal`: mach_vm_size_t = 0
  /// The memory in the swap area.
  public var compressed: mach_vm_size_t = 0
  /// The memory for which the process answers: in RAM without files, and in the swap area.
  public var phys_footprint: mach_vm_size_t = 0

  /// Makes a value with zeros.
  public init() {}
}

/// ``mach_task_basic_info`` under its other name.
public typealias mach_task_basic_info_data_t = mach_task_basic_info
/// ``task_vm_info`` under its other name.
public typealias task_vm_info_data_t = task_vm_info

/// Measures the memory of this process.
///
/// - Parameters:
///   - target: ``mach_task_self_``.
///   - flavor: ``MACH_TASK_BASIC_INFO`` or ``TASK_VM_INFO``.
///   - info: A value of the type that belongs to the flavor.
///   - count: The size of `info` in 32-bit numbers.
/// - Returns: ``KERN_SUCCESS``, or ``KERN_INVALID_ARGUMENT`` for another process or flavor, and for a size that is too
///   small.
public func task_info(
  _ target: mach_port_t, _ flavor: task_flavor_t, _ info: UnsafeMutablePointer<integer_t>?,
  _ count: UnsafeMutablePointer<mach_msg_type_number_t>?
) -> kern_return_t {
  guard target == mach_task_self_, let info, let count else { return KERN_INVALID_ARGUMENT }
  let status = ProcessStatus()
  func store<Info>(_ value: Info) -> kern_return_t {
    let needed = mach_msg_type_number_t(MemoryLayout<Info>.size / MemoryLayout<integer_t>.size)
    guard count.pointee >= needed else { return KERN_INVALID_ARGUMENT }
    // Safe: the caller states that the memory holds at least this many numbers.
    withUnsafeBytes(of: value) { bytes in
      if let start = bytes.baseAddress {
        UnsafeMutableRawPointer(info).copyMemory(from: start, byteCount: bytes.count)
      }
    }
    count.pointee = needed
    return KERN_SUCCESS
  }
  switch Int32(truncatingIfNeeded: flavor) {
  case MACH_TASK_BASIC_INFO:
    var value = mach_task_basic_info()
    value.virtual_size = status["VmSize"]
    value.resident_size = status["VmRSS"]
    value.resident_size_max = status["VmHWM"]
    return store(value)
  case TASK_VM_INFO:
    var value = task_vm_info()
    value.virtual_size = status["VmSize"]
    value.resident_size = status["VmRSS"]
    value.resident_size_peak = status["VmHWM"]
    value.internal = status["RssAnon"]
    value.compressed = status["VmSwap"]
    value.phys_footprint = status["RssAnon"] + status["VmSwap"]
    return store(value)
  default:
    return KERN_INVALID_ARGUMENT
  }
}

/// The sizes in `/proc/self/status`.
private struct ProcessStatus {
  private var sizes: [Substring: UInt64] = [:]

  init() {
    let text: String = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") {
      // Such as “VmRSS:      5120 kB”.
      let parts: [Substring] = line.split { $0 == ":" || $0.isWhitespace }
      guard parts.count == 3, parts[2] == "kB", let size = UInt64(parts[1]) else { continue }
      sizes[parts[0]] = size &* 1024
    }
  }

  /// A size in bytes. 0 if the kernel does not state it.
  subscript(name: Substring) -> UInt64 { sizes[name] ?? 0 }
}

/// The monotonic clock in nanoseconds.
public func mach_absolute_time() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
