import Graph
import Operators

/// Operators that gather or scatter elements by index.
enum LiteGatheringReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("GATHER") { operation in
      let rank: Int = try operation.rank(0)
      let axis: Int = try operation.axis(try operation.int(0), rank: rank)
      let batch: Int = try operation.int(1)
      let indices: Int = try operation.rank(1)
      let shared: Int = batch < 0 ? batch + indices : batch
      guard (0...min(axis, indices)).contains(shared) else {
        throw operation.invalid("\(shared) batch axes do not fit axis \(axis).")
      }
      return [
        .written(
          try operation.add(
            GatherOperator(axis: axis, batchAxes: shared), try operation.written(0),
            try operation.written(1)), grid: try operation.value(0).grid)
      ]
    },
    LiteOperatorReader("GATHER_ND") { operation in
      [
        .written(
          try operation.add(
            GatherNDOperator(), try operation.written(0), try operation.written(1)),
          grid: try operation.value(0).grid)
      ]
    },
    // The inputs are the indices of the rows, and the table.
    LiteOperatorReader("EMBEDDING_LOOKUP") { operation in
      [
        .written(
          try operation.add(
            GatherOperator(axis: 0), try operation.written(1), try operation.written(0)),
          grid: try operation.value(1).grid)
      ]
    },
    // If several updates have the same index, the element at that index is their sum.
    LiteOperatorReader("SCATTER_ND") { operation in
      let element = try operation.fileOutput().element.held
      let zeros = try operation.converted(
        try operation.add(
          BroadcastToDynamicOperator(), operation.scalar(0, element), try operation.written(2),
          part: "zeros"), to: element)
      return [
        .written(
          try operation.add(
            ScatterNDOperator(mode: .add),
            [zeros, try operation.written(0), try operation.written(1)], outputs: 1)[0])
      ]
    },
    LiteOperatorReader("ONE_HOT") { operation in
      let size: Int = try operation.integers(1).first ?? 0
      let (on, off) = (try operation.number(2), try operation.number(3))
      guard size >= 0 else {
        throw operation.invalid("the vectors have \(size) elements, expected 0 or more.")
      }
      let rank: Int = try operation.rank(0)
      let axis: Int = try operation.axis(try operation.int(0), rank: rank + 1)
      let held: ElementType = try operation.fileOutput().element.held
      guard held.isInteger else {
        return [
          .written(
            try operation.add(
              OneHotOperator(
                vectorSize: size, axis: axis, onValue: Float(on), offValue: Float(off)),
              try operation.written(0)))
        ]
      }
      // A float32 cannot represent every integer above 2²⁴. So the graph selects between two `int32` constants.
      let marks = try operation.add(
        OneHotOperator(vectorSize: size, axis: axis), try operation.written(0), part: "marks")
      return [
        .written(
          try operation.add(
            WhereBroadcastableOperator(), marks, operation.scalar(on, held),
            operation.scalar(off, held)))
      ]
    },
    LiteOperatorReader("WHERE") { operation in
      guard operation.inputCount == 1 else {
        throw EngineError(.unsupported, "it has three inputs, expected one; use SELECT instead.")
      }
      return [
        .written(
          try operation.converted(
            try operation.add(WhereNonZeroOperator(), try operation.written(0)), to: .int32))
      ]
    },
  ]
}
