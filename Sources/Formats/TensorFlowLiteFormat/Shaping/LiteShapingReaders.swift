import Graph
import Operators

/// Operators that reshape a tensor, or return a shape as a tensor.
enum LiteShapingReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("RESHAPE") { operation in
      let grid = try operation.value(0).grid
      if operation.has(1), try operation.knownIntegers(1) == nil {
        return [
          .written(
            try operation.add(
              ReshapeDynamicOperator(), try operation.written(0), try operation.written(1)),
            grid: grid)
        ]
      }
      var target: [Int] =
        operation.has(1)
        ? try operation.integers(1)
        : try operation.tensorInFile.options?.ints(0) ?? operation.fileOutput().shape
      guard target.allSatisfy({ (-1...1 << 31).contains($0) }) else {
        throw operation.invalid("the shape \(target) is not valid.")
      }
      // Files of versions before 1.9 write the shape of a scalar as [0].
      if target == [0] { target = [] }
      return [.written(try operation.reshaped(try operation.written(0), target), grid: grid)]
    },
    LiteOperatorReader("SQUEEZE") { operation in
      let axes: [Int] = try operation.tensorInFile.options?.ints(0) ?? []
      return [
        .written(
          try operation.add(
            SqueezeOperator(axes: axes.isEmpty ? nil : axes), try operation.written(0)),
          grid: try operation.value(0).grid)
      ]
    },
    LiteOperatorReader("EXPAND_DIMS") { operation in
      let axis: Int = try operation.integers(1).first ?? 0
      let rank: Int = try operation.rank(0)
      return [
        .written(
          try operation.add(
            ExpandDimsOperator(axes: [try operation.axis(axis, rank: rank + 1)]),
            try operation.written(0)), grid: try operation.value(0).grid)
      ]
    },
    LiteOperatorReader("SHAPE", .any) { operation in
      let value = try operation.value(0)
      let shape = try operation.converted(
        try operation.add(GetShapeOperator(), value.id, part: "extents"), to: .int32)
      guard value.isPicture else { return [.written(shape)] }
      return [
        .written(
          try operation.add(
            GatherOperator(axis: 0), shape, operation.list(LiteValue.writtenAxes)))
      ]
    },
    LiteOperatorReader("RANK", .any) { operation in
      [.written(operation.scalar(Double(try operation.rank(0)), .int32))]
    },
    LiteOperatorReader("FILL") { operation in
      let element = try operation.fileOutput().element.held
      // The model may compute the number at run time. So the graph broadcasts the number to the shape.
      let number = try operation.written(1)
      return [
        .written(
          try operation.converted(
            try operation.add(BroadcastToDynamicOperator(), number, try operation.written(0)),
            to: element), grid: try operation.value(1).grid)
      ]
    },
    LiteOperatorReader("RANGE") { operation in
      let bounds = try (0..<3).map { try operation.written($0) }
      return [
        .written(
          try operation.add(
            RangeDynamicOperator(start: 0, step: 1), [bounds[1], bounds[0], bounds[2]], outputs: 1)[
              0])
      ]
    },
    LiteOperatorReader("BROADCAST_TO") { operation in
      let grid = try operation.value(0).grid
      let source = try operation.written(0)
      if let shape = try operation.knownIntegers(1) {
        guard shape.allSatisfy({ (0...1 << 31).contains($0) }) else {
          throw operation.invalid(
            "the shape \(shape) is not valid, expected extents from 0 on that memory can hold.")
        }
        return [
          .written(
            try operation.add(BroadcastToStaticOperator(targetShape: shape), source), grid: grid)
        ]
      }
      return [
        .written(
          try operation.add(BroadcastToDynamicOperator(), source, try operation.written(1)),
          grid: grid)
      ]
    },
    LiteOperatorReader("BROADCAST_ARGS") { operation in
      guard
        let shape = Shape.broadcast(
          Shape(try operation.integers(0)), Shape(try operation.integers(1)))
      else { throw operation.invalid("the two shapes cannot be broadcast together.") }
      return [.written(operation.list(shape.dimensions))]
    },
  ]
}

extension LiteOperation {
  /// Reshapes a value.
  func reshaped(_ value: Graph.ValueID, _ target: [Int]) throws -> Graph.ValueID {
    let extents: [Int?]? = context.builder.extents(of: value)
    if extents == target.map({ $0 }) { return value }
    // In this format, a 0 means an axis without elements. In the graph's operator for static shapes, a 0 means an
    // unchanged extent.
    guard !target.contains(0) else {
      return try add(ReshapeDynamicOperator(), value, list(target))
    }
    return try add(ReshapeStaticOperator(targetShape: target), value)
  }
}
