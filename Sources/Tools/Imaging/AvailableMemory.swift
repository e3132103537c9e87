import Platform

/// Checks whether enough memory for pixels is free, before a caller allocates it.
enum AvailableMemory {
  /// Throws if `bytes` is more than the free memory. Small amounts, below ``SystemMemory/smallByteCount``, are not
  /// checked.
  ///
  /// - Parameters:
  ///   - limit: How many bytes count as free. If nil, the machine's free memory counts.
  ///   - thing: The beginning of the error sentence: the object that needs the memory.
  static func require(
    _ bytes: Int, of limit: Int? = nil, for thing: @autoclosure () -> String
  ) throws {
    guard bytes >= SystemMemory.smallByteCount else { return }
    let free: Int = limit ?? SystemMemory().available
    guard bytes > free else { return }
    throw ImagingError(
      code: .outOfMemory,
      message: "\(thing()) needs \(gigabytes(bytes)) of memory, but only \(gigabytes(free)) is"
        + " free. Use a smaller picture.")
  }

  private static func gigabytes(_ bytes: Int) -> String {
    let hundredths: Int = bytes / 10_000_000 + (bytes % 10_000_000 >= 5_000_000 ? 1 : 0)
    let fraction: Int = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) GB"
  }
}

extension Picture {
  /// Checks, before the caller allocates memory for pixels, that `bytes` bytes are free. Throws if fewer are free.
  public static func requireMemory(
    _ bytes: Int, for thing: @autoclosure () -> String
  ) throws {
    try AvailableMemory.require(bytes, for: thing())
  }
}
