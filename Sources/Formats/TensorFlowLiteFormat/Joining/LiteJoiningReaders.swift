import Graph
import Operators

/// Operators that concatenate, stack or split tensors.
enum LiteJoiningReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("CONCATENATION", .any) { operation in
      guard operation.inputCount > 0 else { throw operation.invalid("it has no inputs.") }
      let all = Array(0..<operation.inputCount)
      let axis: Int = try operation.axis(try operation.int(0), rank: try operation.rank(0))
      let (values, isPicture) = try operation.aligned(all)
      let grids = try Set(all.map { try operation.value($0).grid })
      let made = try operation.add(
        ConcatNDOperator(axis: isPicture ? LiteValue.pictureAxis[axis] : axis), values, outputs: 1)
      return [
        operation.result(
          made[0], like: isPicture, grid: grids.count == 1 ? grids.first ?? nil : nil
        ).followed(by: try operation.activation(1))
      ]
    },
    LiteOperatorReader("PACK") { operation in
      let values = try (0..<operation.inputCount).map { try operation.written($0) }
      let axis: Int = try operation.axis(try operation.int(1), rank: try operation.rank(0) + 1)
      return [.written(try operation.add(StackOperator(axis: axis), values, outputs: 1)[0])]
    },
    LiteOperatorReader("UNPACK") { operation in
      let (count, rank) = (operation.tensorInFile.outputs.count, try operation.rank(0))
      let axis: Int = try operation.axis(try operation.int(1), rank: rank)
      let parts = try operation.cut(
        try operation.written(0), axis: axis, into: [Int](repeating: 1, count: count))
      return try parts.map {
        .written(
          try operation.add(SqueezeOperator(axes: [axis]), $0, part: "part"),
          grid: try operation.value(0).grid)
      }
    },
    LiteOperatorReader("SPLIT", .any) { operation in
      let (value, count) = (try operation.value(1), operation.tensorInFile.outputs.count)
      let axis: Int = try operation.axis(
        try operation.integers(0).first ?? 0, rank: try operation.rank(1))
      let made = try operation.add(
        SplitNDOperator(axis: operation.held(axis, in: value), parts: .count(count)), [value.id],
        outputs: count)
      return made.map { operation.result($0, like: value.isPicture, grid: value.grid) }
    },
    LiteOperatorReader("SPLIT_V", .any) { operation in
      let value = try operation.value(0)
      let axis: Int = try operation.axis(
        try operation.integers(2).first ?? 0, rank: try operation.rank(0))
      var sizes: [Int] = try operation.integers(1)
      // One size may be −1, which means the rest of the axis.
      if let rest = sizes.firstIndex(of: -1), let extent = try operation.extents(0)?[axis] {
        sizes[rest] = extent - sizes.reduce(1, +)
      }
      guard sizes.count == operation.tensorInFile.outputs.count, sizes.allSatisfy({ $0 >= 0 })
      else {
        throw operation.invalid("the sizes \(sizes) do not fit the outputs.")
      }
      let made = try operation.cut(value.id, axis: operation.held(axis, in: value), into: sizes)
      return made.map { operation.result($0, like: value.isPicture, grid: value.grid) }
    },
  ]
}

extension LiteOperation {
  /// Splits a value along an axis into parts of these sizes.
  func cut(_ value: Graph.ValueID, axis: Int, into sizes: [Int]) throws -> [Graph.ValueID] {
    guard sizes.count > 1 else { return sizes.isEmpty ? [] : [value] }
    return try add(
      SplitNDOperator(axis: axis, parts: .sizes(sizes)), [value], outputs: sizes.count,
      part: "parts")
  }
}
