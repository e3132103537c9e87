import Graph
import Operators

/// Operations that generate tensors: ranges, filled tensors and one-hot vectors.
enum GeneratingReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "fill",
      as: [FillStaticOperator.self, FillDynamicOperator.self, BroadcastToDynamicOperator.self],
      .exact
    ) { operation in
      [.value(try filled(operation, try operation.tensor("shape").id))]
    },
    OperationReader(
      "fill_like", since: .iOS16,
      as: [FillLikeOperator.self, BroadcastToDynamicOperator.self], .exact
    ) { operation in
      let reference = try operation.tensor("ref_tensor")
      return [.value(try filled(operation, operation.extents(of: reference)))]
    },
    OperationReader("range_1d", as: [RangeDynamicOperator.self]) { operation in
      let bounds: [Graph.ValueID] = try ["end", "start", "step"].map { try operation.tensor($0).id }
      let range = operation.add(RangeDynamicOperator(start: 0, step: 1), bounds)
      return [.value(operation.cast(range, to: operation.outputs[0]))]
    },
    OperationReader("one_hot", as: [OneHotOperator.self], .exact) { operation in
      let indices: Graph.ValueID = operation.real(try operation.tensor("indices"))
      let size = try operation.tensor("one_hot_vector_size")
      let isInteger: Bool = operation.outputs[0]?.element.held.isInteger == true
      func marks(_ size: Int?) throws -> OneHotOperator {
        if let size, size < 0 {
          throw operation.invalid("'one_hot_vector_size' is \(size), expected 0 or more.")
        }
        return OneHotOperator(
          vectorSize: size, axis: try operation.int("axis", or: -1),
          onValue: isInteger ? 1 : try operation.float("on_value", or: 1),
          offValue: isInteger ? 0 : try operation.float("off_value", or: 0))
      }
      let made: Graph.ValueID =
        size.constant == nil
        ? operation.add(try marks(nil), indices, operation.real(size))
        : operation.add(try marks(try operation.int("one_hot_vector_size")), indices)
      guard isInteger else { return [.value(made)] }
      // A float32 cannot represent every integer above 2²⁴. So the graph selects between two `int32` constants.
      func number(_ name: String, or standard: Int) throws -> Graph.ValueID {
        let number = Int64(try operation.int(name, or: standard))
        return operation.constant(ReferenceTensor([], integerValues: [number], .int32))
      }
      return [
        .value(
          operation.add(
            WhereBroadcastableOperator(),
            [made, try number("on_value", or: 1), try number("off_value", or: 0)]))
      ]
    },
  ]

  /// Makes a tensor of this shape. All its elements have the value that the operation states.
  private static func filled(_ operation: ProgramOperation, _ shape: Graph.ValueID) throws
    -> Graph.ValueID
  {
    let value: Float = try operation.float("value", or: 0)
    guard operation.outputs[0]?.element.held.isInteger == true else {
      return operation.add(FillDynamicOperator(value: value), shape)
    }
    // A float32 cannot represent every integer above 2²⁴. So the graph broadcasts an `int32` constant.
    let integer: Int = operation.has("value") ? try operation.int("value") : 0
    let number = operation.constant(ReferenceTensor([], integerValues: [Int64(integer)], .int32))
    return operation.add(BroadcastToDynamicOperator(), number, shape)
  }
}
