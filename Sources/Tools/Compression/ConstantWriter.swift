import ModelFormat
import ProgramFormat
import Tensors

/// Writes one constant of an ML Program as operations that decompress it.
struct ConstantWriter {
  /// The name of the constant. The last operation gets this name.
  let name: String
  /// The element type of the constant.
  let type: ElementType
  let shape: [Int]
  let weights: BlobFileWriter
  /// Whether to write the operations of iOS 18, whose operands are inputs. If false, the writer uses the operations of
  /// iOS 16, whose operands are attributes.
  let isNew: Bool
  /// The operations that ``write(_:_:_:bits:)`` has added.
  private(set) var operations: [Spec.MILSpec.Operation] = []
  /// How many bytes the operands of ``operations`` take in the weight file.
  private(set) var byteCount = 0

  init(
    name: String, type: ElementType, shape: [Int], weights: BlobFileWriter, isNew: Bool
  ) {
    self.name = name
    self.type = type
    self.shape = shape
    self.weights = weights
    self.isNew = isNew
  }

  private var output: Spec.MILSpec.ValueType { .tensor(type, shape) }

  /// Compresses the numbers of the constant according to the settings, and adds the operations that decompress them.
  mutating func write(
    _ values: [Float], _ grid: WeightGrid, _ settings: CompressionSettings, bits: Int
  ) throws {
    let mask: [Bool]? = settings.sparsity.map { QuantizedTensor.mask(values, sparsity: $0) }
    guard bits <= 8 else {
      if let mask { return try writeSparse(values, mask) }
      return try writeHalf(values)
    }
    switch settings.mode {
    case .kMeans, .table:
      let sharing: WeightGrid.Sharing =
        settings.groupSize.map { grid.ofGroups(channels: $0) } ?? grid.whole
      let tensor = QuantizedTensor(values, bits: bits, sharing, mask: mask) { kept in
        if case .table(let table) = settings.mode { return table.sorted() }
        return KMeans(kept).table(1 << bits)
      }
      try writePalette(tensor, mask)
    case .linear, .linearSymmetric:
      let isSymmetric: Bool = settings.mode == .linearSymmetric
      let format = LinearScale.IntegerFormat(
        bits: bits, isSymmetric: isSymmetric, hasIntegerZeroPoint: bits == 8 || bits == 4)
      let sharing: WeightGrid.Sharing =
        settings.groupSize.map { grid.ofGroups(inputs: $0) } ?? grid.ofChannels
      if bits == 8 || bits == 4 {
        try writeScaled(QuantizedTensor(values, linear: format, sharing, mask: mask), mask)
      } else {
        // ML Programs have linear quantisation only for 4 and 8 bits. Other widths are written as palettes whose tables
        // have equidistant numbers. Usually, each channel or group has its own table. If these tables, in float16,
        // would take more than an eighth of the bytes that the integers take, the complete tensor has one table.
        let tables: Int = sharing.count << bits
        let isLarge: Bool = tables * 16 > grid.count * bits / 8
        let tensor = QuantizedTensor(
          values, linear: format, isLarge ? grid.whole : sharing, mask: mask)
        try writePalette(QuantizedTensor(tensor, range: format.range), mask)
      }
    }
  }

  // MARK: - Operands

  private mutating func blob(
    _ element: ElementType, _ extents: [Int], count: Int, _ bytes: ByteValues
  ) throws -> Spec.MILSpec.Value {
    guard let kind = element.blobType else {
      throw CompressionError("Weight files have no numbers of type \(element).")
    }
    byteCount += bytes.count
    return .blob(at: try weights.add(kind, count: count, bytes), element, Shape(extents))
  }

  /// Writes numbers of the constant's type to the weight file, and returns the operand that refers to them.
  private mutating func numbers(_ values: [Float], _ extents: [Int]) throws -> Spec.MILSpec.Value {
    try blob(
      type, extents, count: values.count,
      type == .float16 ? ByteValues(float16: values) : FloatValues(values).bytes)
  }

  private mutating func integers(_ integers: [Int8], bits: Int, isSigned: Bool, _ extents: [Int])
    throws
    -> Spec.MILSpec.Value
  {
    let types: [Int: ElementType] =
      isSigned
      ? [4: .int4, 8: .int8]
      : [1: .uint1, 2: .uint2, 3: .uint3, 4: .uint4, 6: .uint6, 8: .uint8]
    guard let element = types[bits] else {
      throw CompressionError("ML Programs have no weights of \(bits) bits.")
    }
    return try blob(
      element, extents, count: integers.count,
      ByteValues(QuantizedTensor.packedFromLowBits(integers, bits: bits)))
  }

  /// The constant's extents as an operand for the operations of iOS 16.
  private var extents: Spec.MILSpec.Value {
    .numbers(ReferenceTensor([shape.count], integerValues: shape.map(Int64.init), .uint32), .uint32)
  }

  private mutating func bytes(_ bytes: [UInt8]) throws -> Spec.MILSpec.Value {
    try blob(.uint8, [bytes.count], count: bytes.count, ByteValues(bytes))
  }

  /// Adds an operand as a constant, as the operations of iOS 18 need it. Returns the constant's name.
  private mutating func constant(_ role: String, _ value: Spec.MILSpec.Value) -> String {
    let operand = "\(name)_\(role)"
    operations.append(.constant(named: operand, type: value.type, value))
    return operand
  }

  // MARK: - Compressed forms

  private mutating func writeHalf(_ values: [Float]) throws {
    let half: Spec.MILSpec.Value = try blob(
      .float16, shape, count: values.count, ByteValues(float16: values))
    if isNew {
      let source: String = constant("half", half)
      append("cast", inputs: ["x": source, "dtype": constant("dtype", .string("fp32"))])
    } else {
      append("constexpr_cast", attributes: ["source_val": half, "output_dtype": .string("fp32")])
    }
  }

  private mutating func writePalette(_ tensor: QuantizedTensor, _ mask: [Bool]?) throws {
    guard case .tables(let tables) = tensor.meaning else { return }
    let table: [Float] = tables.flatMap { $0 }
    if let mask {
      let kept: [Int8] = zip(tensor.integers, mask).compactMap { $1 ? $0 : nil }
      let maskName: String = constant("mask", try bits(of: mask))
      let integers: String = constant(
        "indices", try self.integers(kept, bits: tensor.bits, isSigned: false, [kept.count]))
      let palette: String = constant(
        "lut", try numbers(table, tensor.blocks + [1 << tensor.bits, 1]))
      return appendSparse(
        "constexpr_lut_to_sparse",
        ["indices_mask": maskName, "indices_nonzero_data": integers, "lut": palette],
        count: kept.count
      )
    }
    guard isNew else {
      append(
        "constexpr_lut_to_dense",
        attributes: [
          "indices": try bytes(
            QuantizedTensor.packedFromLowBits(tensor.integers, bits: tensor.bits)),
          "lut": try numbers(table, [table.count]),
          "shape": extents,
        ])
      return
    }
    let integers: String = constant(
      "indices", try self.integers(tensor.integers, bits: tensor.bits, isSigned: false, shape))
    let palette: String = constant(
      "lut", try numbers(table, tensor.blocks + [1 << tensor.bits, 1]))
    append("constexpr_lut_to_dense", inputs: ["indices": integers, "lut": palette])
  }

  private mutating func writeScaled(_ tensor: QuantizedTensor, _ mask: [Bool]?) throws {
    guard case .linear(let scales) = tensor.meaning else { return }
    let zeros: [Int8] = scales.map { Int8(truncatingIfNeeded: Int($0.zero)) }
    let factors: [Float] = scales.map(\.scale)
    guard isNew else {
      append(
        "constexpr_affine_dequantize",
        attributes: [
          "quantized_data": try integers(
            tensor.integers, bits: tensor.bits, isSigned: tensor.isSigned, shape),
          "scale": try numbers(factors, [factors.count]),
          "zero_point": try integers(
            zeros, bits: tensor.bits, isSigned: tensor.isSigned, [zeros.count]),
          "axis": .numbers(
            ReferenceTensor(
              [], integerValues: [Int64(tensor.blocks.firstIndex { $0 > 1 } ?? 0)], .int32),
            .int32),
        ])
      return
    }
    var inputs: [String: String] = [
      "scale": constant("scale", try numbers(factors, tensor.blocks))
    ]
    if !tensor.isSigned {
      inputs["offset"] = constant(
        "offset", try integers(zeros, bits: tensor.bits, isSigned: false, tensor.blocks))
    }
    guard let mask else {
      inputs["data"] = constant(
        "data", try integers(tensor.integers, bits: tensor.bits, isSigned: tensor.isSigned, shape))
      append("constexpr_blockwise_shift_scale", inputs: inputs)
      return
    }
    let kept: [Int8] = zip(tensor.integers, mask).compactMap { $1 ? $0 : nil }
    inputs["data_mask"] = constant("mask", try bits(of: mask))
    inputs["nonzero_data"] = constant(
      "data", try integers(kept, bits: tensor.bits, isSigned: tensor.isSigned, [kept.count]))
    appendSparse("constexpr_sparse_blockwise_shift_scale", inputs, count: kept.count)
  }

  private mutating func writeSparse(_ values: [Float], _ mask: [Bool]) throws {
    let kept: [Float] = zip(values, mask).compactMap { $1 ? $0 : nil }
    let data: Spec.MILSpec.Value = try numbers(kept, [kept.count])
    guard isNew else {
      append(
        "constexpr_sparse_to_dense",
        attributes: [
          "nonzero_data": data,
          "mask": try bytes(
            QuantizedTensor.packedFromLowBits(mask.map { $0 ? 1 : 0 }, bits: 1)),
          "shape": extents,
        ])
      return
    }
    let source: String = constant("data", data)
    spread(source, constant("mask", try bits(of: mask)))
  }

  private mutating func bits(of mask: [Bool]) throws -> Spec.MILSpec.Value {
    try integers(mask.map { $0 ? 1 : 0 }, bits: 1, isSigned: false, shape)
  }

  /// Adds the operation that computes the constant.
  private mutating func append(
    _ kind: String, inputs: [String: String] = [:], attributes: [String: Spec.MILSpec.Value] = [:]
  ) {
    operations.append(
      .making(
        kind, named: name, inputs: inputs, attributes: attributes, outputs: [(name, output)]))
  }

  /// Adds two operations. The first decompresses a mask, and also decompresses the numbers at the positions where the
  /// mask is 1. The second makes a dense tensor of the mask and these numbers.
  private mutating func appendSparse(_ kind: String, _ inputs: [String: String], count: Int) {
    let sparse = "\(name)_sparse"
    let (mask, data) = ("\(sparse)_mask", "\(sparse)_data")
    operations.append(
      .making(
        kind, named: sparse, inputs: inputs,
        outputs: [(mask, .tensor(.uint1, shape)), (data, .tensor(type, [count]))]))
    spread(data, mask)
  }

  private mutating func spread(_ data: String, _ mask: String) {
    append("constexpr_sparse_to_dense", inputs: ["nonzero_data": data, "mask": mask])
  }
}

extension QuantizedTensor {
  /// Converts linear quantisation to palettes. The table of each block contains the numbers that the block's integers
  /// stand for.
  init(_ linear: QuantizedTensor, range: ClosedRange<Float>) {
    (bits, blocks) = (linear.bits, linear.blocks)
    isSigned = false
    let least = Int8(range.lowerBound)
    integers = linear.integers.map { $0 &- least }
    guard case .linear(let scales) = linear.meaning else {
      meaning = linear.meaning
      return
    }
    meaning = .tables(
      scales.map { scale in
        (0..<1 << linear.bits).map { scale.value(range.lowerBound + Float($0)) }
      })
  }
}
