extension Constant {
  /// Returns the transposed matrix. Its elements are computed only when a kernel copies the matrix into the kernel's
  /// own layout.
  package func transposedMatrix() -> Constant {
    let (rows, columns) = (shape[0], shape[1])
    return Constant([columns, rows], recipe: "transposed", of: [self]) { [self] in
      let values: [Float] = try floats()
      return [Float](unsafeUninitializedCapacity: values.count) { target, initialized in
        for row in 0..<rows {
          for column in 0..<columns {
            target[column * rows + row] = values[row * columns + column]
          }
        }
        initialized = values.count
      }
    }
  }

  /// Returns the values in row-major order, each changed by the closure. Modules that the compiler does not optimise
  /// (`modulesWithoutLoops` in Package.swift) call this function instead of `map`.
  package func floats(each change: (Float) -> Float) throws -> [Float] { try floats().map(change) }

  /// Returns the values in row-major order in the form of a weight file, as `float32` or else as `float16`.
  package func realBytes(of element: ElementType) throws -> [UInt8] {
    try withFloats { values in
      if element == .float32 { return Array(UnsafeRawBufferPointer(values)) }
      return [UInt8](unsafeUninitializedCapacity: 2 * values.count) { bytes, initialized in
        let target = UnsafeMutableRawBufferPointer(bytes)
        for (index, value) in values.enumerated() {
          target.storeBytes(of: Float16(value), toByteOffset: 2 * index, as: Float16.self)
        }
        initialized = 2 * values.count
      }
    }
  }
}
