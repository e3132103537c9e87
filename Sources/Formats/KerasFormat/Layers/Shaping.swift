import Graph
import Operators

extension KerasLayerReader {
  private static let borders = KnownFields(["padding", "data_format", "dim_ordering"])
  private static let crops = KnownFields(["cropping", "data_format", "dim_ordering"])

  /// Layers that reshape, transpose, repeat, pad or crop values.
  static let shaping: [KerasLayerReader] = [
    KerasLayerReader("Flatten", fields: KnownFields(["data_format"])) { context in
      let x = try context.input()
      guard x.rank > 2 else { return x }
      var value = try context.kerasOrdered(x)
      if try KerasSpatial.usesChannelsFirst(context) {
        // Keras flattens in channels-last order, whatever the order of the input.
        value = try context.add(
          TransposeOperator(axes: [0] + Array(2..<x.rank) + [1]), value)
      }
      let made = try context.add(ReshapeStaticOperator(targetShape: [0, -1]), value)
      return KerasTensor(made, rank: 2)
    },
    KerasLayerReader("Reshape", fields: KnownFields(["target_shape"])) { context in
      guard let target = try context.settings.ints("target_shape"),
        target.allSatisfy({ $0 >= -1 && $0 != 0 }), target.filter({ $0 == -1 }).count <= 1
      else { throw context.invalid("'target_shape' is missing, or holds a 0 or more than one -1.") }
      let made = try context.add(
        ReshapeStaticOperator(targetShape: [0] + target), context.kerasOrdered(try context.input()))
      return KerasTensor(made, rank: target.count + 1)
    },
    KerasLayerReader("Permute", fields: KnownFields(["dims"])) { context in
      let x = try context.input()
      let order: [Int] = try context.settings.ints("dims") ?? []
      guard order.sorted() == Array(1..<x.rank) else {
        throw context.invalid("'dims' is \(order), expected each of 1 to \(x.rank - 1) once.")
      }
      let made = try context.add(TransposeOperator(axes: [0] + order), context.kerasOrdered(x))
      return KerasTensor(made, rank: x.rank)
    },
    KerasLayerReader("RepeatVector", fields: KnownFields(["n"])) { context in
      let x = try context.input(ranks: 2...2)
      let count: Int = try context.settings.int("n") ?? 0
      guard (1...1 << 20).contains(count) else {
        throw context.invalid("'n' is \(count), expected 1 or more.")
      }
      let row = try context.add(ExpandDimsOperator(axes: [1]), x.value)
      let made = try context.add(TileOperator(repetitions: [1, count, 1]), row)
      return KerasTensor(made, rank: 3)
    },
    KerasLayerReader("ZeroPadding1D", fields: borders) { try $0.border(axes: 1) },
    KerasLayerReader("ZeroPadding2D", fields: borders) { try $0.border(axes: 2) },
    KerasLayerReader("ZeroPadding3D", fields: borders) { try $0.border(axes: 3) },
    KerasLayerReader("ReflectionPadding2D", fields: borders) {
      try $0.border(axes: 2, mode: .reflection)
    },
    KerasLayerReader("Cropping1D", fields: crops) { try $0.cropped(axes: 1) },
    KerasLayerReader("Cropping2D", fields: crops) { try $0.cropped(axes: 2) },
    KerasLayerReader("Cropping3D", fields: crops) { try $0.cropped(axes: 3) },
  ]
}

extension KerasContext {
  /// Returns how many elements to crop or pad before and after each spatial axis. The setting has one number for all
  /// axes, one number per axis, or two numbers per axis.
  private func amounts(_ name: String, axes: Int) throws -> [(before: Int, after: Int)] {
    let numbers: [Double] = try settings.numbers(name) ?? [1]
    let stated: [Int] = numbers.compactMap { Int(exactly: $0) }
    guard stated.count == numbers.count, stated.allSatisfy({ (0...1 << 20).contains($0) }) else {
      throw invalid(
        "'\(name)' is \(numbers.map { "\($0)" }.joined(separator: ", ")), expected integers of 0 or more."
      )
    }
    switch stated.count {
    case 1: return [(Int, Int)](repeating: (stated[0], stated[0]), count: axes)
    case axes where axes > 1: return stated.map { ($0, $0) }
    case 2 * axes: return (0..<axes).map { (stated[2 * $0], stated[2 * $0 + 1]) }
    default:
      throw invalid("'\(name)' has \(stated.count) numbers, expected 1, \(axes) or \(2 * axes).")
    }
  }

  fileprivate func border(axes: Int, mode: PaddingOperator.Mode = .constant(0)) throws
    -> KerasTensor
  {
    let amounts = try amounts("padding", axes: axes)
    if axes == 2 {
      let spatial = try KerasSpatial(self, axes: 2)
      let edges = EdgeAmounts(
        top: amounts[0].before, bottom: amounts[0].after, left: amounts[1].before,
        right: amounts[1].after)
      return try spatial.made(try add(PaddingOperator(amounts: edges, mode: mode), spatial.value))
    }
    let x = try input(ranks: axes + 2...axes + 2)
    var all = [Int](repeating: 0, count: 2 * x.rank)
    for (axis, amount) in amounts.enumerated() {
      let graphAxis: Int = try graphAxis(ofSpatial: axis, x)
      (all[2 * graphAxis], all[2 * graphAxis + 1]) = amount
    }
    return try same(add(ConstantPadOperator(value: 0, amounts: all), x.value))
  }

  /// Returns the axis of the graph's tensor that corresponds to a spatial axis.
  private func graphAxis(ofSpatial axis: Int, _ x: KerasTensor) throws -> Int {
    try graphAxes([KerasSpatial.usesChannelsFirst(self) ? axis + 2 : axis + 1], x)[0]
  }

  fileprivate func cropped(axes: Int) throws -> KerasTensor {
    let amounts = try amounts("cropping", axes: axes)
    if axes == 2 {
      let spatial = try KerasSpatial(self, axes: 2)
      let edges = EdgeAmounts(
        top: amounts[0].before, bottom: amounts[0].after, left: amounts[1].before,
        right: amounts[1].after)
      return try spatial.made(try add(CropOperator(amounts: edges), spatial.value))
    }
    let x = try input(ranks: axes + 2...axes + 2)
    var slices = [AxisSlice](repeating: AxisSlice(), count: x.rank)
    for (axis, amount) in amounts.enumerated() {
      slices[try graphAxis(ofSpatial: axis, x)] = AxisSlice(
        begin: amount.before, end: amount.after == 0 ? nil : -amount.after)
    }
    return try same(add(SliceStaticOperator(slices: slices), x.value))
  }
}
