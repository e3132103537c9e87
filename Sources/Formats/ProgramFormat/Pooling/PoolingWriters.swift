import Graph
import Operators

extension PoolingOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let name: String
    switch kind {
    case .maximum: name = "max_pool"
    case .average: name = "avg_pool"
    case .l2: name = "l2_pool"
    }
    if isGlobal { return [try global(node)] }
    return try node.onPicture { x in
      var x: MILValue = x
      var inputs: [String: MILOperand] = [
        "kernel_sizes": .ints([kernelHeight, kernelWidth]),
        "strides": .ints([strideHeight, strideWidth]),
      ]
      if kind == .average { inputs["exclude_padding_from_average"] = .bool(excludesPadding) }
      switch padding {
      case .same(let startHeavy): inputs.state(.same(startHeavy: startHeavy))
      case .valid(let top, let bottom, let left, let right):
        inputs.state(.amounts(before: [top, left], after: [bottom, right]))
      case .ceiling(let height, let width):
        inputs["pad_type"] = .string("custom")
        inputs["pad"] = .ints([height, height, width, width])
        inputs["ceil_mode"] = .bool(true)
      case .includeLastPixel(let height, let width):
        return try complete(&x, height, width, inputs, name, node)
      }
      inputs["x"] = .value(x)
      return try node.add(name, inputs, try node.madePicture(x))
    }
  }

  private func global(_ node: ProgramNode) throws -> MILValue {
    let x: MILValue = try node.real(0)
    var extents: [Int?] = x.extents
    (extents[x.rank - 2], extents[x.rank - 1]) = (1, 1)
    let name: String =
      kind == .maximum ? "reduce_max" : kind == .average ? "reduce_mean" : "reduce_l2_norm"
    return try node.add(
      name, ["x": .value(x), "axes": .ints([-2, -1]), "keep_dims": .bool(true)], extents)
  }

  /// Writes pooling by Caffe's rule: every window that begins within the padded image has an output. The writer pads
  /// the rows and columns that the last window lacks. An average counts elements of the declared padding, but not those
  /// that the writer adds.
  private func complete(
    _ x: inout MILValue, _ padHeight: Int, _ padWidth: Int, _ inputs: [String: MILOperand],
    _ name: String, _ node: ProgramNode
  ) throws -> MILValue {
    guard let height = x.extents[2], let width = x.extents[3] else {
      throw node.unsupported(
        "its padding includes the last pixel, which needs a known picture size.")
    }
    let made: [Int?] = try node.madePicture(x)
    guard let madeHeight = made[2], let madeWidth = made[3] else {
      throw node.unsupported("the size of its output is not known.")
    }
    func rest(_ count: Int, _ kernel: Int, _ stride: Int, _ extent: Int, _ pad: Int) -> Int {
      max(0, (count - 1) * stride + kernel - extent - pad)
    }
    let bottom: Int = rest(madeHeight, kernelHeight, strideHeight, height, padHeight)
    let right: Int = rest(madeWidth, kernelWidth, strideWidth, width, padWidth)
    let counts: [Double]? =
      kind == .average && !excludesPadding
      ? try counts(madeHeight, madeWidth, height, width, padHeight, padWidth) : nil
    var inputs: [String: MILOperand] = inputs
    inputs["pad_type"] = .string("custom")
    inputs["pad"] = .ints([padHeight, bottom, padWidth, right])
    if kind == .average { inputs["exclude_padding_from_average"] = .bool(counts == nil) }
    inputs["x"] = .value(x)
    let extents: [Int?] = [x.extents[0], x.extents[1], madeHeight, madeWidth]
    var result: MILValue = try node.add(name, inputs, extents)
    if let counts, Set(counts) != [1] {
      let factors = Constant(
        [1, 1, madeHeight, madeWidth], counts.map { Float($0) })
      result = try node.binary("mul", result, try node.block.real(factors, as: node.real))
    }
    return result
  }

  /// Returns, for each window, the factor by which the window's average must be multiplied. The operation also counts
  /// the padding that the writer adds. So the factor is the area of the kernel divided by the area of the window within
  /// the declared padding.
  private func counts(
    _ rows: Int, _ columns: Int, _ height: Int, _ width: Int, _ padHeight: Int, _ padWidth: Int
  ) throws -> [Double] {
    _ = try Shape.computed([max(rows, 1), max(columns, 1)], "the factors of its averages")
    func lengths(_ count: Int, _ kernel: Int, _ stride: Int, _ extent: Int, _ pad: Int) -> [Int] {
      (0..<count).map { min($0 * stride - pad + kernel, extent + pad) - ($0 * stride - pad) }
    }
    let down = lengths(rows, kernelHeight, strideHeight, height, padHeight)
    let across = lengths(columns, kernelWidth, strideWidth, width, padWidth)
    let area = Double(kernelHeight * kernelWidth)
    return down.flatMap { row in across.map { area / Double(max(1, row * $0)) } }
  }
}

extension Pooling3DOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var inputs: [String: MILOperand] = [
      "x": .value(try node.real(0)), "kernel_sizes": .ints(kernel), "strides": .ints(stride),
    ]
    if !isMaximum { inputs["exclude_padding_from_average"] = .bool(excludesPadding) }
    inputs.state(WindowPadding(padding))
    return try node.only(isMaximum ? "max_pool" : "avg_pool", inputs)
  }
}

extension GlobalPooling3DOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.only(
      isMaximum ? "reduce_max" : "reduce_mean",
      [
        "x": .value(try node.real(0)), "axes": .ints([-3, -2, -1]), "keep_dims": .bool(true),
      ])
  }
}
