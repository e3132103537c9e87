import Graph
import Operators

extension KerasLayerReader {
  /// Layers that merge several tensors into one.
  static let merging: [KerasLayerReader] = [
    KerasLayerReader("Add", fields: KnownFields()) { try $0.combined(.add) },
    KerasLayerReader("Multiply", fields: KnownFields()) { try $0.combined(.multiply) },
    KerasLayerReader("Maximum", fields: KnownFields()) { try $0.combined(.maximum) },
    KerasLayerReader("Minimum", fields: KnownFields()) { try $0.combined(.minimum) },
    KerasLayerReader("Subtract", fields: KnownFields()) { try $0.combined(.subtract) },
    KerasLayerReader("Average", fields: KnownFields()) { try $0.average() },
    KerasLayerReader("Concatenate", fields: KnownFields(["axis"])) {
      try $0.joined(axis: try $0.settings.int("axis") ?? -1)
    },
    KerasLayerReader("Dot", fields: KnownFields(["axes", "dot_axes", "normalize"])) {
      try $0.dot()
    },
    KerasLayerReader(
      "Merge",
      fields: KnownFields(
        ["mode", "concat_axis", "dot_axes"],
        harmless: [
          "mode_type", "output_shape", "output_shape_type", "output_mask", "output_mask_type",
          "arguments",
        ])
    ) { context in
      let mode: String = try context.settings.text("mode") ?? "sum"
      switch mode {
      case "sum": return try context.combined(.add)
      case "mul": return try context.combined(.multiply)
      case "max": return try context.combined(.maximum)
      case "ave": return try context.average()
      case "concat": return try context.joined(axis: try context.settings.int("concat_axis") ?? -1)
      case "dot": return try context.dot()
      default: throw context.unsupported("'mode' is '\(mode)', which is not supported.")
      }
    },
  ]
}

extension KerasContext {
  fileprivate func combined(_ function: BinaryFunction) throws -> KerasTensor {
    let (values, rank, isFirst) = try aligned()
    guard values.count >= 2, function != .subtract || values.count == 2 else {
      throw invalid("the layer has \(values.count) inputs, expected 2 or more.")
    }
    let shapes: [[Int?]?] = values.map { builder.extents(of: $0) }
    let made: Graph.ValueID
    if function == .add, values.count == 2, shapes[0] == shapes[1] {
      made = try add(AddOperator(inputCount: 2), values)
    } else {
      made = try values.dropFirst().reduce(values[0]) {
        try add(BinaryFunctionOperator(function), $0, $1)
      }
    }
    return KerasTensor(made, rank: rank, isChannelFirst: isFirst)
  }

  fileprivate func average() throws -> KerasTensor {
    let sum: KerasTensor = try combined(.add)
    return KerasTensor(
      try number(.divide, sum.value, Double(inputs.count)), rank: sum.rank,
      isChannelFirst: sum.isChannelFirst)
  }

  func joined(axis: Int) throws -> KerasTensor {
    let (values, rank, isFirst) = try aligned()
    guard let value = values.first else { throw invalid("the layer has no inputs.") }
    let result = KerasTensor(value, rank: rank, isChannelFirst: isFirst)
    let graphAxis: Int = try graphAxes([axis], result)[0]
    let made =
      values.count == 1
      ? value
      : try add(
        rank == 4 && graphAxis == 1 ? ConcatOperator() : ConcatNDOperator(axis: graphAxis), values)
    return KerasTensor(made, rank: rank, isChannelFirst: isFirst)
  }

  /// Computes the dot product of two tensors along one axis of each tensor.
  fileprivate func dot() throws -> KerasTensor {
    guard inputs.count == 2 else {
      throw invalid("the layer has \(inputs.count) inputs, expected 2.")
    }
    let stated: [Int] = try settings.ints("axes", "dot_axes") ?? [-1]
    let axes: [Int] = zip([0, 1], stated.count == 1 ? [stated[0], stated[0]] : stated).map {
      $1 < 0 ? $1 + inputs[$0].rank : $1
    }
    guard axes.count == 2, inputs.allSatisfy({ (2...3).contains($0.rank) }),
      zip(axes, inputs).allSatisfy({ $0 > 0 && $0 < $1.rank })
    else {
      throw unsupported(
        "it contracts the axes \(stated) of tensors of rank \(inputs.map(\.rank)), which is not supported."
      )
    }
    var values: [Graph.ValueID] = try inputs.map(kerasOrdered)
    if try settings.bool("normalize", or: false) {
      values = try zip(values, axes).map { value, axis in
        let sum = try add(ReduceAxesOperator(.sumOfSquares, axes: [axis], keepsAxes: true), value)
        let least = try add(UnaryOperator(.threshold(alpha: 1e-12)), sum)
        let factor = try add(UnaryOperator(.reciprocalSquareRoot(epsilon: 0)), least)
        return try add(BinaryFunctionOperator(.multiply), value, factor)
      }
    }
    // For a matrix multiplication, a vector on the left becomes a row [N, 1, K]. A vector on the right becomes a column
    // [N, K, 1].
    if inputs[0].rank == 2 { values[0] = try add(ExpandDimsOperator(axes: [1]), values[0]) }
    if inputs[1].rank == 2 { values[1] = try add(ExpandDimsOperator(axes: [2]), values[1]) }
    let product = BatchedMatMulOperator(
      transposesLeft: inputs[0].rank == 3 && axes[0] == 1,
      transposesRight: inputs[1].rank == 3 && axes[1] == 2)
    var made = try add(product, values)
    guard inputs.contains(where: { $0.rank == 2 }) else { return KerasTensor(made, rank: 3) }
    made = try add(SqueezeOperator(axes: [inputs[1].rank == 2 ? 2 : 1]), made)
    return KerasTensor(made, rank: 2)
  }
}
