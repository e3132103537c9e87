import Graph

/// An operator with samples for the conformance tests.
public protocol SampledOperator: Operator {
  /// The samples. They have shapes from real models, odd sizes and invalid inputs.
  static var samples: [OperatorSample] { get }
}
