import Operators
import Graph

extension AlignedBuffer {
  /// The integers of an array in aligned memory.
  package convenience init(integers values: [Int32]) throws {
    try self.init(byteCount: values.count * 4)
    values.withUnsafeBytes { source in
      // Safe: the buffer was made as large as the array.
      if let base = source.baseAddress { pointer.copyMemory(from: base, byteCount: source.count) }
    }
  }

  /// The memory as integers.
  package var integers: UnsafePointer<Int32> {
    UnsafePointer(pointer.assumingMemoryBound(to: Int32.self))
  }
}
