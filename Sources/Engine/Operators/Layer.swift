import Backends
import Graph

/// An operator that still holds its reader, its kernels and its samples.
public protocol Layer: NeuralNetworkLayer, KernelProvider, SampledOperator {}

extension Layer {
  /// No fast candidate: the reference computes.
  public var kernels: [KernelCandidate] { [] }
  /// No cases yet; the conformance suite says so.
  public static var samples: [OperatorSample] { [] }
}

/// An operator that no model holds: passes and gradients make it.
public protocol DerivedOperator: Layer {}

extension DerivedOperator {
  /// Throws: there is no message to decode.
  public init(decoding decoder: LayerDecoder) throws {
    throw decoder.invalid("\(Self.declaration.name) is made by the engine; no model holds it.")
  }
}
