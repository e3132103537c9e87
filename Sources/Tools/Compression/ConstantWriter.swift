import ModelFormat

/// Writes one constant of a program as operations that widen it.
struct ConstantWriter {
  /// The constant's name, which the last operation takes.
  let name: String
  /// The type of its numbers.
  let type: Spec.MILSpec.DataType
  let shape: [Int]
  let weights: BlobFileWriter
  /// Whether the forms of iOS 18 are taken, whose operands are inputs.
  let isNew: Bool
  /// The operations so far.
  private(set) var operations: [Spec.MILSpec.Operation] = []
  /// How many bytes the operands take in the weight file.
  private(set) var byteCount = 0

  init(
    name: String, type: Spec.MILSpec.DataType, shape: [Int], weights: BlobFileWriter, isNew: Bool
  ) {
    self.name = name
    self.type = type
    self.shape = shape
    self.weights = weights
    self.isNew = isNew
  }

  private var output: Spec.MILSpec.ValueType { Spec.MILSpec.ValueType(type, shape) }

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
    _ data: BlobFile.DataType, _ value: Spec.MILSpec.DataType, _ extents: [Int], count: Int,
    _ bytes: ByteValues
  ) throws -> Spec.MILSpec.Value {
    byteCount += bytes.count
    return Spec.MILSpec.Value(
      value, extents, at: try weights.add(data, count: count, bytes))
  }

  /// Numbers of the constant's own type.
  private mutating func numbers(_ values: [Float], _ extents: [Int]) throws -> Spec.MILSpec.Value {
    type == .float16
      ? try blob(.float16, .float16, extents, count: values.count, values.halfBytes)
      : try blob(.float32, .float32, extents, count: values.count, FloatValues(values).bytes)
  }

  private mutating func codes(_ codes: [Int8], bits: Int, isSigned: Bool, _ extents: [Int]) throws
    -> Spec.MILSpec.Value
  {
    let types: [Int: (BlobFile.DataType, Spec.MILSpec.DataType)] = [
      1: (.uint1, .uint1), 2: (.uint2, .uint2), 3: (.uint3, .uint3), 4: (.uint4, .uint4),
      6: (.uint6, .uint6), 8: (.uint8, .uint8),
    ]
    let signed: [Int: (BlobFile.DataType, Spec.MILSpec.DataType)] = [
      4: (.int4, .int4), 8: (.int8, .int8),
    ]
    guard let (data, value) = isSigned ? signed[bits] : types[bits] else {
      throw CompressionError("ML Programs have no weights of \(bits) bits.")
    }
    return try blob(
      data, value, extents, count: codes.count,
      ByteValues(CodedTensor.packedFromLowBits(codes, bits: bits)))
  }

  private mutating func bytes(_ bytes: [UInt8]) throws -> Spec.MILSpec.Value {
    try blob(.uint8, .uint8, [bytes.count], count: bytes.count, ByteValues(bytes))
  }

  /// Makes an operand a constant of its own, as operations of iOS 18 read it; its name.
  private mutating func constant(_ role: String, _ value: Spec.MILSpec.Value) -> String {
    let operand = "\(name)_\(role)"
    operations.append(.constant(operand, value))
    return operand
  }

  // MARK: - Forms

  private mutating func writeHalf(_ values: [Float]) throws {
    let half: Spec.MILSpec.Value = try blob(
      .float16, .float16, shape, count: values.count, values.halfBytes)
    if isNew {
      let source: String = constant("half", half)
      operations.append(
        Spec.MILSpec.Operation(
          "cast", name: name, output: output,
          inputs: ["x": source, "dtype": constant("dtype", Spec.MILSpec.Value("fp32"))]))
    } else {
      operations.append(
        Spec.MILSpec.Operation(
          "constexpr_cast", name: name, output: output,
          attributes: ["source_val": half, "output_dtype": Spec.MILSpec.Value("fp32")]))
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
      let sparse = "\(name)_sparse"
      var operation = Spec.MILSpec.Operation(
        "constexpr_lut_to_sparse", name: sparse,
        output: Spec.MILSpec.ValueType(.uint1, shape),
        inputs: ["indices_mask": place, "indices_nonzero_data": codes, "lut": palette])
      operation.outputs[0].name = "\(sparse)_mask"
      operation.outputs.append(
        .making {
          $0.name = "\(sparse)_data"
          $0.type = Spec.MILSpec.ValueType(type, [kept.count])
        })
      operations.append(operation)
      return spread("\(sparse)_data", "\(sparse)_mask")
    }
    guard isNew else {
      operations.append(
        Spec.MILSpec.Operation(
          "constexpr_lut_to_dense", name: name, output: output,
          attributes: [
            "indices": try bytes(CodedTensor.packedFromLowBits(tensor.codes, bits: tensor.bits)),
            "lut": try numbers(table, [table.count]),
            "shape": Spec.MILSpec.Value(extents: shape),
          ]))
      return
    }
    let codes: String = constant(
      "indices", try self.codes(tensor.codes, bits: tensor.bits, isSigned: false, shape))
    let palette: String = constant(
      "lut", try numbers(table, tensor.blocks + [1 << tensor.bits, 1]))
    operations.append(
      Spec.MILSpec.Operation(
        "constexpr_lut_to_dense", name: name, output: output,
        inputs: ["indices": codes, "lut": palette]))
  }

  private mutating func writeScaled(_ tensor: CodedTensor, _ mask: [Bool]?) throws {
    guard case .linear(let scales) = tensor.meaning else { return }
    let zeros: [Int8] = scales.map { Int8(truncatingIfNeeded: Int($0.zero)) }
    let factors: [Float] = scales.map(\.scale)
    guard isNew else {
      operations.append(
        Spec.MILSpec.Operation(
          "constexpr_affine_dequantize", name: name, output: output,
          attributes: [
            "quantized_data": try codes(
              tensor.codes, bits: tensor.bits, isSigned: tensor.isSigned, shape),
            "scale": try numbers(factors, [factors.count]),
            "zero_point": try codes(
              zeros, bits: tensor.bits, isSigned: tensor.isSigned, [zeros.count]),
            "axis": Spec.MILSpec.Value(tensor.blocks.firstIndex { $0 > 1 } ?? 0),
          ]))
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
      operations.append(
        Spec.MILSpec.Operation(
          "constexpr_blockwise_shift_scale", name: name, output: output, inputs: inputs))
      return
    }
    let kept: [Int8] = zip(tensor.codes, mask).compactMap { $1 ? $0 : nil }
    inputs["data_mask"] = constant("mask", try bits(of: mask))
    inputs["nonzero_data"] = constant(
      "data", try codes(kept, bits: tensor.bits, isSigned: tensor.isSigned, [kept.count]))
    let sparse = "\(name)_sparse"
    var operation = Spec.MILSpec.Operation(
      "constexpr_sparse_blockwise_shift_scale", name: sparse,
      output: Spec.MILSpec.ValueType(.uint1, shape), inputs: inputs)
    operation.outputs[0].name = "\(sparse)_mask"
    operation.outputs.append(
      .making {
        $0.name = "\(sparse)_data"
        $0.type = Spec.MILSpec.ValueType(type, [kept.count])
      })
    operations.append(operation)
    spread("\(sparse)_data", "\(sparse)_mask")
  }

  private mutating func writeSparse(_ values: [Float], _ mask: [Bool]) throws {
    let kept: [Float] = zip(values, mask).compactMap { $1 ? $0 : nil }
    let data: Spec.MILSpec.Value = try numbers(kept, [kept.count])
    guard isNew else {
      operations.append(
        Spec.MILSpec.Operation(
          "constexpr_sparse_to_dense", name: name, output: output,
          attributes: [
            "nonzero_data": data,
            "mask": try bytes(
              CodedTensor.packedFromLowBits(mask.map { $0 ? 1 : 0 }, bits: 1)),
            "shape": Spec.MILSpec.Value(extents: shape),
          ]))
      return
    }
    let source: String = constant("data", data)
    spread(source, constant("mask", try bits(of: mask)))
  }

  private mutating func bits(of mask: [Bool]) throws -> Spec.MILSpec.Value {
    try codes(mask.map { $0 ? 1 : 0 }, bits: 1, isSigned: false, shape)
  }

  private mutating func spread(_ data: String, _ mask: String) {
    operations.append(
      Spec.MILSpec.Operation(
        "constexpr_sparse_to_dense", name: name, output: output,
        inputs: ["nonzero_data": data, "mask": mask]))
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
