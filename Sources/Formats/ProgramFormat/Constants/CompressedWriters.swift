import Graph
import ModelFormat
import Operators

extension BlockWriter {
  /// The smallest constant that is kept in few bits; what is smaller saves nothing.
  private static let smallest = 256

  /// A constant as it is stored: `float16`, codes that are scaled or looked up, values among zeros. Nil where
  /// programs know no such storage, or the type is the computed one anyway.
  func compressed(_ constant: Constant, _ stored: StoredValues, _ element: ElementType) throws
    -> MILValue?
  {
    guard constant.count >= Self.smallest else { return nil }
    switch stored.meaning {
    case .plain(let bytes, .float16, _):
      let value = try output.kept(constant, .float16, "") { bytes.withBytes { Array($0) } }
      if element == .float16 {
        return self.stored("const", ["val": value], element, constant.shape)
      }
      try output.require(.iOS16)
      return self.stored(
        "constexpr_cast", ["source_val": value, "output_dtype": .string(element.castName)], element,
        constant.shape)
    case .affine(let codes, let scaled): return try affine(codes, scaled, element)
    case .palette(let codes, let table, let axis):
      return try palette(constant, codes, table, axis, element)
    case .spread(let values, let mask): return try sparse(constant, values, mask, element)
    default: return nil
    }
  }

  private func stored(
    _ constant: Constant, as element: ElementType, _ part: String, shape: Shape? = nil
  ) throws -> Spec.MILSpec.Value {
    try output.kept(constant, element, part, shape: shape) {
      try constant.tensor().packedBytes(of: element)
    }
  }

  /// Eight bits with a scale for all or for each place of one axis; a table, where one zero between two codes is for
  /// all; else blocks, of iOS 18.
  private func affine(
    _ codes: Constant, _ scaled: StoredValues.ScaledCodes, _ element: ElementType
  ) throws -> MILValue? {
    let isNarrowed: Bool = scaled.product == .float32 && element == .float16
    guard let type = codes.stored?.storedElement, let range = type.integerRange,
      type.bitCount <= 8, scaled.product == element || isNarrowed
    else { return nil }
    let shape: Shape = codes.shape
    let scale: Shape = scaled.scale.shape
    let axes: [Int] = scale.dimensions.indices.filter { scale[$0] != 1 }
    let isByChannel: Bool =
      axes.isEmpty || (axes.count == 1 && scale[axes[0]] == shape[axes[0]])
    let zeros: [Float] = try scaled.zero?.floats() ?? []
    let areCodes: Bool = zeros.allSatisfy {
      $0 == $0.rounded() && $0 >= Float(range.lowerBound) && $0 <= Float(range.upperBound)
    }
    if type.bitCount == 8, isByChannel, areCodes, scaled.zero.map({ $0.shape == scale }) ?? true {
      try output.require(.iOS16)
      let count: Shape = axes.isEmpty ? [] : [scale.count]
      let zero: ReferenceTensor =
        try scaled.zero?.tensor().reshaped(to: count) ?? ReferenceTensor(count)
      return stored(
        "constexpr_affine_dequantize",
        [
          "quantized_data": try stored(codes, as: type, "codes"),
          "zero_point": try output.value(zero, type),
          "scale": try output.value(scaled.scale.tensor().reshaped(to: count), element),
          "axis": .numbers(ReferenceTensor([], [Double(axes.first ?? 0)]), .int32),
        ], element, shape)
    }
    if scale.count == 1, zeros.count <= 1, scaled.difference == .float32, isNarrowed || !areCodes {
      let (indices, table) = try scaled.lookedUp(codes, range)
      return try palette(codes, indices, table, shape.rank - 1, element)
    }
    let isSigned: Bool = range.lowerBound < 0
    let written: ElementType =
      type.bitCount <= 4 ? (isSigned ? .int4 : .uint4) : (isSigned ? .int8 : .uint8)
    try output.require(.iOS18)
    let data = try operand(try stored(codes, as: written, "codes"), written, shape)
    let factor = try operand(
      try output.value(scaled.scale.tensor(), element), element, scaled.scale.shape)
    var operands: [String: MILOperand] = ["data": .value(data), "scale": .value(factor)]
    if let zero = scaled.zero {
      // Zeros between two codes are numbers with fractions.
      let type: ElementType = areCodes ? written : .float32
      operands["offset"] = .value(
        try operand(try output.value(try zero.tensor(), type), type, zero.shape))
    }
    return try add(
      "constexpr_blockwise_shift_scale", operands, element, shape.dimensions.map { $0 },
      name: "weights")
  }

  /// A stated operand of an operation of iOS 18.
  private func operand(
    _ value: Spec.MILSpec.Value, _ element: ElementType, _ shape: Shape
  ) throws -> MILValue {
    stored("const", ["val": value], element, shape)
  }

  /// One table for all codes; else a table for each block, of iOS 18.
  private func palette(
    _ constant: Constant, _ codes: Constant, _ table: Constant, _ axis: Int, _ element: ElementType
  ) throws -> MILValue? {
    let entries: Int = table.shape[-2]
    let types: [Int: ElementType] = [
      2: .uint1, 4: .uint2, 8: .uint3, 16: .uint4, 64: .uint6, 256: .uint8,
    ]
    // Tables of 5 and 7 bits are filled up.
    let wanted: Int = [32: 64, 128: 256][entries] ?? entries
    guard let type = types[wanted] else { return nil }
    guard wanted == entries else {
      return try palette(
        constant, codes, try table.filled(to: wanted, along: table.shape.rank - 2), axis, element)
    }
    let isPlain: Bool = table.count == entries && type != .uint3
    if isPlain, output.opset < .iOS18 {
      try output.require(.iOS16)
      let size: Int = type.byteCount(of: codes.count)
      let indices = try output.kept(codes, .uint8, "packed", shape: [size]) {
        try codes.tensor().packedBytes(of: type)
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
    let indices = try operand(try stored(codes, as: type, "codes"), type, codes.shape)
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
        "mask": try output.kept(mask, .uint8, "packed", shape: [size]) {
          try mask.tensor().packedBytes(of: .uint1)
        },
        "shape": .numbers(
          ReferenceTensor([constant.shape.rank], constant.shape.dimensions.map(Double.init)),
          .uint32),
      ], element, constant.shape)
  }
}

extension StoredValues.ScaledCodes {
  /// The same values as places in a table: codes from 0 on, and what each stands for. There is one scale.
  fileprivate func lookedUp(_ codes: Constant, _ range: ClosedRange<Int64>) throws -> (
    codes: Constant, table: Constant
  ) {
    let (scale, zero) = (try scale.floats()[0], try zero?.floats()[0] ?? 0)
    let values: [Float] = range.map { (Float($0) - zero) * scale }
    let ones = [Int](repeating: 1, count: codes.shape.rank)
    let table = Constant(Shape(ones + [values.count, 1]), values)
    let least = Float(range.lowerBound)
    guard least != 0 else { return (codes, table) }
    return (Constant(codes.type) { try codes.floats().map { $0 - least } }, table)
  }
}

extension Constant {
  /// With zeros after the values along an axis.
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
