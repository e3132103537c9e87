import Graph

/// An operator that the conformance tests try on samples.
public protocol SampledOperator: Operator {
  /// Cases: shapes from real models, odd sizes, bad inputs.
  static var samples: [OperatorSample] { get }
}
