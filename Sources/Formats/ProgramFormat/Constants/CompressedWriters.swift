import Graph
import ModelFormat
import Operators

extension BlockWriter {
  /// The smallest number of elements of a constant that the writer stores compressed. Compressing a smaller constant
  /// saves nothing.
  private static let smallest = 256

  /// Writes a constant in its stored form: as `float16`, as integers with scales, as indices into a lookup table, or as
  /// sparse values. Returns nil if the constant is stored in any other form, or if it is too small.
  func compressed(_ constant: Constant, _ stored: StoredValues, _ element: ElementType) throws
    -> MILValue?
  {
    guard constant.count >= Self.smallest else { return nil }
    switch stored.meaning {
    case .plain(let bytes, .float16, _):
      let value = try output.storedOnce(constant, .float16, "") { bytes.withBytes { Array($0) } }
      if element == .float16 {
        return self.stored("const", ["val": value], element, constant.shape)
      }
      try output.require(.iOS16)
      return self.stored(
        "constexpr_cast", ["source_val": value, "output_dtype": .string(element.castName)], element,
        constant.shape)
    case .affine(let integers, let scaled): return try affine(integers, scaled, element)
    case .palette(let integers, let table, let axis):
      return try palette(constant, integers, table, axis, element)
    case .spread(let values, let mask): return try sparse(constant, values, mask, element)
    default: return nil
    }
  }

  private func stored(
    _ constant: Constant, as element: ElementType, _ part: String, shape: Shape? = nil
  ) throws -> Spec.MILSpec.Value {
    try output.storedOnce(constant, element, part, shape: shape) {
      try constant.tensor().packedBytes(of: element)
    }
  }

  /// Writes integers with scales and zero points. 8-bit integers with one scale, or with one scale per index along one
  /// axis, become `constexpr_affine_dequantize`. Other integers with a single scale become indices into a lookup table
  /// in two cases: their type cannot hold the zero point, or `float32` values are narrowed to `float16`. All other
  /// integers are written in blocks. This form needs iOS 18.
  private func affine(
    _ integers: Constant, _ scaled: StoredValues.ScaledIntegers, _ element: ElementType
  ) throws -> MILValue? {
    let isNarrowed: Bool = scaled.product == .float32 && element == .float16
    guard let type = integers.stored?.storedElement, let range = type.integerRange,
      type.bitCount <= 8, scaled.product == element || isNarrowed
    else { return nil }
    let shape: Shape = integers.shape
    let scale: Shape = scaled.scale.shape
    let axes: [Int] = scale.dimensions.indices.filter { scale[$0] != 1 }
    let isByChannel: Bool =
      axes.isEmpty || (axes.count == 1 && scale[axes[0]] == shape[axes[0]])
    let zeros: [Float] = try scaled.zero?.floats() ?? []
    let areIntegers: Bool = zeros.allSatisfy {
      $0 == $0.rounded() && $0 >= Float(range.lowerBound) && $0 <= Float(range.upperBound)
    }
    if type.bitCount == 8, isByChannel, areIntegers, scaled.zero.map({ $0.shape == scale }) ?? true
    {
      try output.require(.iOS16)
      let count: Shape = axes.isEmpty ? [] : [scale.count]
      let zero: ReferenceTensor =
        try scaled.zero?.tensor().reshaped(to: count) ?? ReferenceTensor(count)
      return stored(
        "constexpr_affine_dequantize",
        [
          "quantized_data": try stored(integers, as: type, "integers"),
          "zero_point": try output.value(zero, type),
          "scale": try output.value(scaled.scale.tensor().reshaped(to: count), element),
          "axis": .numbers(ReferenceTensor([], [Double(axes.first ?? 0)]), .int32),
        ], element, shape)
    }
    if scale.count == 1, zeros.count <= 1, scaled.difference == .float32, isNarrowed || !areIntegers
    {
      let (indices, table) = try scaled.lookedUp(integers, range)
      return try palette(integers, indices, table, shape.rank - 1, element)
    }
    let isSigned: Bool = range.lowerBound < 0
    let written: ElementType =
      type.bitCount <= 4 ? (isSigned ? .int4 : .uint4) : (isSigned ? .int8 : .uint8)
    try output.require(.iOS18)
    let data = try operand(try stored(integers, as: written, "integers"), written, shape)
    let factor = try operand(
      try output.value(scaled.scale.tensor(), element), element, scaled.scale.shape)
    var operands: [String: MILOperand] = ["data": .value(data), "scale": .value(factor)]
    if let zero = scaled.zero {
      // A zero point between two integers is written as a floating-point number.
      let type: ElementType = areIntegers ? written : .float32
      operands["offset"] = .value(
        try operand(try output.value(try zero.tensor(), type), type, zero.shape))
    }
    return try add(
      "constexpr_blockwise_shift_scale", operands, element, shape.dimensions.map { $0 },
      name: "weights")
  }

  /// Writes a constant operand of an operation of iOS 18.
  private func operand(
    _ value: Spec.MILSpec.Value, _ element: ElementType, _ shape: Shape
  ) throws -> MILValue {
    stored("const", ["val": value], element, shape)
  }

  /// Writes indices into a lookup table. Three forms need iOS 18: one table per block, tables of vectors, and indices
  /// of 3 bits.
  private func palette(
    _ constant: Constant, _ integers: Constant, _ table: Constant, _ axis: Int,
    _ element: ElementType
  ) throws -> MILValue? {
    let entries: Int = table.shape[-2]
    let types: [Int: ElementType] = [
      2: .uint1, 4: .uint2, 8: .uint3, 16: .uint4, 64: .uint6, 256: .uint8,
    ]
    // Programs have no indices of 5 or 7 bits. So a table of 32 or 128 entries is padded to 64 or 256 entries.
    let wanted: Int = [32: 64, 128: 256][entries] ?? entries
    guard let type = types[wanted] else { return nil }
    guard wanted == entries else {
      return try palette(
        constant, integers, try table.filled(to: wanted, along: table.shape.rank - 2), axis, element
      )
    }
    let isPlain: Bool = table.count == entries && type != .uint3
    if isPlain, output.opset < .iOS18 {
      try output.require(.iOS16)
      let size: Int = type.byteCount(of: integers.count)
      let indices = try output.storedOnce(integers, .uint8, "packed", shape: [size]) {
        try integers.tensor().packedBytes(of: type)
      }
      return stored(
        "constexpr_lut_to_dense",
        [
          "indices": indices,
          "lut": try output.value(table.tensor().reshaped(to: [entries]), element),
          "shape": .numbers(
            ReferenceTensor(
              [constant.shape.rank], constant.shape.dimensions.map(Double.init)), .uint32),
        ], element, constant.shape)
    }
    try output.require(.iOS18)
    let indices = try operand(try stored(integers, as: type, "integers"), type, integers.shape)
    let tables = try operand(try output.value(try table.tensor(), element), element, table.shape)
    var operands: [String: MILOperand] = ["indices": .value(indices), "lut": .value(tables)]
    if table.shape[-1] > 1 { operands["vector_axis"] = .int(axis) }
    return try add(
      "constexpr_lut_to_dense", operands, element, constant.shape.dimensions.map { $0 },
      name: "weights")
  }

  private func sparse(
    _ constant: Constant, _ values: Constant, _ mask: Constant, _ element: ElementType
  ) throws -> MILValue? {
    guard output.opset < .iOS18 else {
      let bits = try operand(try stored(mask, as: .uint1, "mask"), .uint1, mask.shape)
      let kept = try operand(try output.value(values, real: element), element, values.shape)
      return try add(
        "constexpr_sparse_to_dense", ["mask": .value(bits), "nonzero_data": .value(kept)], element,
        constant.shape.dimensions.map { $0 }, name: "weights")
    }
    try output.require(.iOS16)
    let size: Int = ElementType.uint1.byteCount(of: mask.count)
    return stored(
      "constexpr_sparse_to_dense",
      [
        "nonzero_data": try output.value(values, real: element),
        "mask": try output.storedOnce(mask, .uint8, "packed", shape: [size]) {
          try mask.tensor().packedBytes(of: .uint1)
        },
        "shape": .numbers(
          ReferenceTensor([constant.shape.rank], constant.shape.dimensions.map(Double.init)),
          .uint32),
      ], element, constant.shape)
  }
}

extension StoredValues.ScaledIntegers {
  /// Converts integers with one scale to indices into a lookup table. The indices count from 0. Returns the indices and
  /// the table.
  fileprivate func lookedUp(_ integers: Constant, _ range: ClosedRange<Int64>) throws -> (
    integers: Constant, table: Constant
  ) {
    let (scale, zero) = (try scale.floats()[0], try zero?.floats()[0] ?? 0)
    let values: [Float] = range.map { (Float($0) - zero) * scale }
    let ones = [Int](repeating: 1, count: integers.shape.rank)
    let table = Constant(Shape(ones + [values.count, 1]), values)
    let least = Float(range.lowerBound)
    guard least != 0 else { return (integers, table) }
    return (Constant(integers.type) { try integers.floats { $0 - least } }, table)
  }
}

extension Constant {
  /// Appends zeros along an axis until the axis has the extent `extent`.
  fileprivate func filled(to extent: Int, along axis: Int) throws -> Constant {
    var made: Shape = shape
    made[axis] = extent
    let inner: Int = shape.dimensions[(axis + 1)...].product
    let (old, new) = (shape[axis] * inner, extent * inner)
    let source: [Float] = try floats()
    var values = [Float](repeating: 0, count: made.count)
    for index in source.indices { values[index / old * new + index % old] = source[index] }
    return Constant(made, values)
  }
}
