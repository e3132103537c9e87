import ModelFormat
import ProgramFormat
import Tensors

/// Writes one constant of a program as operations that widen it.
struct ConstantWriter {
  /// The constant's name, which the last operation takes.
  let name: String
  /// The type of its numbers.
  let type: ElementType
  let shape: [Int]
  let weights: BlobFileWriter
  /// Whether the forms of iOS 18 are taken, whose operands are inputs.
  let isNew: Bool
  /// The operations so far.
  private(set) var operations: [Spec.MILSpec.Operation] = []
  /// How many bytes the operands take in the weight file.
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

  /// Writes numbers as the settings ask for.
  mutating func write(
    _ values: [Float], _ grid: WeightGrid, _ settings: CompressionSettings, bits: Int
  ) throws {
    let mask: [Bool]? = settings.sparsity.map { CodedTensor.mask(values, sparsity: $0) }
    guard bits <= 8 else {
      if let mask { return try writeSparse(values, mask) }
      return try writeHalf(values)
    }
    switch settings.mode {
    case .kMeans, .table:
      let sharing: WeightGrid.Sharing =
        settings.groupSize.map { grid.ofGroups(channels: $0) } ?? grid.whole
      let tensor = CodedTensor(values, bits: bits, sharing, mask: mask) { kept in
        if case .table(let table) = settings.mode { return table.sorted() }
        return KMeans(kept).table(1 << bits)
      }
      try writePalette(tensor, mask)
    case .linear, .linearSymmetric:
      let isSymmetric: Bool = settings.mode == .linearSymmetric
      let codes = LinearScale.Codes(
        bits: bits, isSymmetric: isSymmetric, hasWholeZero: bits == 8 || bits == 4)
      let sharing: WeightGrid.Sharing =
        settings.groupSize.map { grid.ofGroups(inputs: $0) } ?? grid.ofChannels
      if bits == 8 || bits == 4 {
        try writeScaled(CodedTensor(values, linear: codes, sharing, mask: mask), mask)
      } else {
        // Codes of these widths exist in palettes alone: tables whose numbers stand at even distances, one for all
        // channels where many would be no smaller than the codes.
        let tables: Int = sharing.count << bits
        let isLarge: Bool = tables * 16 > grid.count * bits / 8
        let tensor = CodedTensor(
          values, linear: codes, isLarge ? grid.whole : sharing, mask: mask)
        try writePalette(CodedTensor(tensor, range: codes.range), mask)
      }
    }
  }

  // MARK: - Operands

  private mutating func blob(
    _ element: ElementType, _ extents: [Int], count: Int, _ bytes: ByteValues
  ) throws -> Spec.MILSpec.Value {
    guard let kind = element.blobType else {
      throw CompressionError("Weight files hold no numbers of type \(element).")
    }
    byteCount += bytes.count
    return .blob(at: try weights.add(kind, count: count, bytes), element, Shape(extents))
  }

  /// Numbers of the constant's own type.
  private mutating func numbers(_ values: [Float], _ extents: [Int]) throws -> Spec.MILSpec.Value {
    try blob(
      type, extents, count: values.count,
      type == .float16 ? ByteValues(float16: values) : FloatValues(values).bytes)
  }

  private mutating func codes(_ codes: [Int8], bits: Int, isSigned: Bool, _ extents: [Int]) throws
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
      element, extents, count: codes.count,
      ByteValues(CodedTensor.packedFromLowBits(codes, bits: bits)))
  }

  /// The extents, as the operations of iOS 16 state them.
  private var extents: Spec.MILSpec.Value {
    .numbers(ReferenceTensor([shape.count], wholes: shape.map(Int64.init), .uint32), .uint32)
  }

  private mutating func bytes(_ bytes: [UInt8]) throws -> Spec.MILSpec.Value {
    try blob(.uint8, [bytes.count], count: bytes.count, ByteValues(bytes))
  }

  /// Makes an operand a constant of its own, as operations of iOS 18 read it; its name.
  private mutating func constant(_ role: String, _ value: Spec.MILSpec.Value) -> String {
    let operand = "\(name)_\(role)"
    operations.append(.constant(named: operand, type: value.type, value))
    return operand
  }

  // MARK: - Forms

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

  private mutating func writePalette(_ tensor: CodedTensor, _ mask: [Bool]?) throws {
    guard case .tables(let tables) = tensor.meaning else { return }
    let table: [Float] = tables.flatMap { $0 }
    if let mask {
      let kept: [Int8] = zip(tensor.codes, mask).compactMap { $1 ? $0 : nil }
      let place: String = constant("mask", try bits(of: mask))
      let codes: String = constant(
        "indices", try self.codes(kept, bits: tensor.bits, isSigned: false, [kept.count]))
      let palette: String = constant(
        "lut", try numbers(table, tensor.blocks + [1 << tensor.bits, 1]))
      return appendSparse(
        "constexpr_lut_to_sparse",
        ["indices_mask": place, "indices_nonzero_data": codes, "lut": palette], count: kept.count)
    }
    guard isNew else {
      append(
        "constexpr_lut_to_dense",
        attributes: [
          "indices": try bytes(CodedTensor.packedFromLowBits(tensor.codes, bits: tensor.bits)),
          "lut": try numbers(table, [table.count]),
          "shape": extents,
        ])
      return
    }
    let codes: String = constant(
      "indices", try self.codes(tensor.codes, bits: tensor.bits, isSigned: false, shape))
    let palette: String = constant(
      "lut", try numbers(table, tensor.blocks + [1 << tensor.bits, 1]))
    append("constexpr_lut_to_dense", inputs: ["indices": codes, "lut": palette])
  }

  private mutating func writeScaled(_ tensor: CodedTensor, _ mask: [Bool]?) throws {
    guard case .linear(let scales) = tensor.meaning else { return }
    let zeros: [Int8] = scales.map { Int8(truncatingIfNeeded: Int($0.zero)) }
    let factors: [Float] = scales.map(\.scale)
    guard isNew else {
      append(
        "constexpr_affine_dequantize",
        attributes: [
          "quantized_data": try codes(
            tensor.codes, bits: tensor.bits, isSigned: tensor.isSigned, shape),
          "scale": try numbers(factors, [factors.count]),
          "zero_point": try codes(
            zeros, bits: tensor.bits, isSigned: tensor.isSigned, [zeros.count]),
          "axis": .numbers(
            ReferenceTensor([], wholes: [Int64(tensor.blocks.firstIndex { $0 > 1 } ?? 0)], .int32),
            .int32),
        ])
      return
    }
    var inputs: [String: String] = [
      "scale": constant("scale", try numbers(factors, tensor.blocks))
    ]
    if !tensor.isSigned {
      inputs["offset"] = constant(
        "offset", try codes(zeros, bits: tensor.bits, isSigned: false, tensor.blocks))
    }
    guard let mask else {
      inputs["data"] = constant(
        "data", try codes(tensor.codes, bits: tensor.bits, isSigned: tensor.isSigned, shape))
      append("constexpr_blockwise_shift_scale", inputs: inputs)
      return
    }
    let kept: [Int8] = zip(tensor.codes, mask).compactMap { $1 ? $0 : nil }
    inputs["data_mask"] = constant("mask", try bits(of: mask))
    inputs["nonzero_data"] = constant(
      "data", try codes(kept, bits: tensor.bits, isSigned: tensor.isSigned, [kept.count]))
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
            CodedTensor.packedFromLowBits(mask.map { $0 ? 1 : 0 }, bits: 1)),
          "shape": extents,
        ])
      return
    }
    let source: String = constant("data", data)
    spread(source, constant("mask", try bits(of: mask)))
  }

  private mutating func bits(of mask: [Bool]) throws -> Spec.MILSpec.Value {
    try codes(mask.map { $0 ? 1 : 0 }, bits: 1, isSigned: false, shape)
  }

  /// Adds the operation that makes the constant.
  private mutating func append(
    _ kind: String, inputs: [String: String] = [:], attributes: [String: Spec.MILSpec.Value] = [:]
  ) {
    operations.append(
      .making(
        kind, named: name, inputs: inputs, attributes: attributes, outputs: [(name, output)]))
  }

  /// Adds an operation that makes a mask and the numbers where it is 1, and one that spreads them.
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

extension CodedTensor {
  /// Linear codes as palettes: a table per block with the numbers of all codes.
  init(_ linear: CodedTensor, range: ClosedRange<Float>) {
    (bits, blocks) = (linear.bits, linear.blocks)
    isSigned = false
    let least = Int8(range.lowerBound)
    codes = linear.codes.map { $0 &- least }
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
