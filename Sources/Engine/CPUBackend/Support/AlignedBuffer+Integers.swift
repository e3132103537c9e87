import Operators
import Graph

extension AlignedBuffer {
  /// Copies the integers of an array to aligned memory.
  package convenience init(integers values: [Int32]) throws {
    try self.init(byteCount: values.count * 4)
    values.withUnsafeBytes { source in
      // Safe: the buffer has the array's size.
      if let base = source.baseAddress { pointer.copyMemory(from: base, byteCount: source.count) }
    }
  }

  /// The memory as integers.
  package var integers: UnsafePointer<Int32> {
    UnsafePointer(pointer.assumingMemoryBound(to: Int32.self))
  }
}
