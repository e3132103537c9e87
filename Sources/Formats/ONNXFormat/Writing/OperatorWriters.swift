import Graph
import Operators

/// Writes one operator type of the graph as nodes of ONNX.
struct OperatorWriting: Sendable {
  let type: ObjectIdentifier
  /// Adds the nodes and returns the names of the operator's outputs.
  let write: @Sendable (any Operator, NodeContext) throws -> [String]

  /// Makes a writer for an operator type with any number of outputs.
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

  /// Makes a writer for an operator type with one output.
  init<Operation: Operator>(
    _ type: Operation.Type,
    _ write: @escaping @Sendable (Operation, NodeContext) throws -> String
  ) {
    self.init(type, all: { [try write($0, $1)] })
  }
}

/// The writers of all operators, by family.
struct OperatorWriters: Sendable {
  private let writings: [ObjectIdentifier: OperatorWriting]

  init(_ families: [[OperatorWriting]]) {
    writings = Dictionary(
      uniqueKeysWithValues: families.flatMap { $0 }.map { ($0.type, $0) })
  }

  /// The writers of all supported operators.
  static let standard = OperatorWriters([
    PointwiseWriting.all, ConvolutionWriting.all, PoolingWriting.all, NormalizationWriting.all,
    DenseWriting.all, ReductionWriting.all, ShapingWriting.all, RearrangingWriting.all,
    SlicingWriting.all, GatheringWriting.all, PictureWriting.all, RecurrentWriting.all,
    ControlFlowWriting.all, DetectionWriting.all, RegionWriting.all,
  ])

  /// Writes a node and returns the names of its outputs.
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
