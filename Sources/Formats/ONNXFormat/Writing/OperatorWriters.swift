import Graph
import Operators

/// How one of our operators becomes nodes of ONNX.
struct OperatorWriting: Sendable {
  let type: ObjectIdentifier
  /// Adds the nodes and gives the names of the outputs.
  let write: @Sendable (any Operator, NodeContext) throws -> [String]

  /// A writing of an operator with any number of outputs.
  init<Operation: Operator>(
    _ type: Operation.Type,
    all write: @escaping @Sendable (Operation, NodeContext) throws -> [String]
  ) {
    self.type = ObjectIdentifier(type)
    self.write = { operation, context in
      guard let own = operation as? Operation else { return [] }
      return try write(own, context)
    }
  }

  /// A writing of an operator with one output.
  init<Operation: Operator>(
    _ type: Operation.Type,
    _ write: @escaping @Sendable (Operation, NodeContext) throws -> String
  ) {
    self.init(type, all: { [try write($0, $1)] })
  }
}

/// All operators that are written, by families.
struct OperatorWriters: Sendable {
  private let writings: [ObjectIdentifier: OperatorWriting]

  init(_ families: [[OperatorWriting]]) {
    writings = Dictionary(
      uniqueKeysWithValues: families.flatMap { $0 }.map { ($0.type, $0) })
  }

  /// The table.
  static let standard = OperatorWriters([
    PointwiseWriting.all, ConvolutionWriting.all, PoolingWriting.all, NormalizationWriting.all,
    DenseWriting.all, ReductionWriting.all, ShapingWriting.all, RearrangingWriting.all,
    SlicingWriting.all, GatheringWriting.all, PictureWriting.all, RecurrentWriting.all,
    ControlFlowWriting.all, DetectionWriting.all, RegionWriting.all,
  ])

  /// Writes a node.
  func write(_ context: NodeContext) throws -> [String] {
    let operation: any Operator = context.node.operation
    guard let writing = writings[ObjectIdentifier(Swift.type(of: operation))] else {
      throw context.unsupported(
        operation is CustomLayer
          ? "custom layers cannot be written as ONNX; keep the model in Core ML's format."
          : "no node of ONNX computes this.")
    }
    return try writing.write(operation, context)
  }
}
