import Glibc

// On Apple's systems, the pointers of these functions may be nil, so code passes `baseAddress` of a buffer without
// unwrapping it. A buffer without elements has no address, so nil is allowed if the count is 0.
// Swift chooses glibc's functions where no pointer is optional; without the attribute, it could not choose.

/// Copies bytes between buffers that do not overlap.
@_disfavoredOverload
@discardableResult
public func memcpy(
  _ destination: UnsafeMutableRawPointer?, _ source: UnsafeRawPointer?, _ count: Int
) -> UnsafeMutableRawPointer? {
  guard let destination, let source else {
    precondition(count == 0, "memcpy has no pointer for \(count) bytes.")
    return destination
  }
  return Glibc.memcpy(destination, source, count)
}

/// Copies bytes between buffers that may overlap.
@_disfavoredOverload
@discardableResult
public func memmove(
  _ destination: UnsafeMutableRawPointer?, _ source: UnsafeRawPointer?, _ count: Int
) -> UnsafeMutableRawPointer? {
  guard let destination, let source else {
    precondition(count == 0, "memmove has no pointer for \(count) bytes.")
    return destination
  }
  return Glibc.memmove(destination, source, count)
}

/// Sets every byte to the same value.
@_disfavoredOverload
@discardableResult
public func memset(
  _ destination: UnsafeMutableRawPointer?, _ value: Int32, _ count: Int
) -> UnsafeMutableRawPointer? {
  guard let destination else {
    precondition(count == 0, "memset has no pointer for \(count) bytes.")
    return nil
  }
  return Glibc.memset(destination, value, count)
}

/// Compares bytes. The result is 0 if all bytes are equal.
@_disfavoredOverload
@discardableResult
public func memcmp(
  _ first: UnsafeRawPointer?, _ second: UnsafeRawPointer?, _ count: Int
) -> Int32 {
  guard let first, let second else {
    precondition(count == 0, "memcmp has no pointer for \(count) bytes.")
    return 0
  }
  return Glibc.memcmp(first, second, count)
}

/// The number of bytes of each text in `utsname`.
public let _SYS_NAMELEN: Int32 = Int32(MemoryLayout.size(ofValue: utsname().machine))
