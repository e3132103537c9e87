import Graph

extension PackedWeights {
  /// Returns a packed weight that holds a constant in the given form.
  package func tensor(_ constant: Constant, as form: TensorDescriptor) -> PackedWeight {
    weight("\(form)", of: [constant], byteCount: form.byteCount) { memory in
      if constant.type.element == .float32, form == TensorDescriptor(constant.shape) {
        // Safe: the memory holds as many floats as the shape has elements. The floats are written directly, because a
        // copy in `Double` would need twice the memory that the budget counts.
        return try constant.write(to: memory.assumingMemoryBound(to: Float.self))
      }
      TensorCodec.pack(try constant.tensor(), as: form, into: memory)
    }
  }

  /// Returns the values of constants as `float32`, concatenated.
  package func floats(of constants: [Constant]) -> PackedWeight {
    let count: Int = constants.reduce(0) { $0 + $1.count }
    return weight("float32", of: constants, byteCount: count * 4) { memory in
      var target = memory.assumingMemoryBound(to: Float.self)
      for constant in constants {
        // Safe: the memory has space for the values of all constants.
        try constant.write(to: target)
        target += constant.count
      }
    }
  }
}

extension [Constant] {
  /// Returns the values of all constants, concatenated.
  package func joinedFloats() throws -> [Float] {
    if count == 1 { return try self[0].floats() }
    var result: [Float] = []
    result.reserveCapacity(reduce(0) { $0 + $1.count })
    for constant in self { result += try constant.floats() }
    return result
  }
}
