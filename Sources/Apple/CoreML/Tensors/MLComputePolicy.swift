/// Where tensors are to be computed.
///
/// There is one device here, the processor, so that every policy computes on it.
public struct MLComputePolicy: Sendable, Hashable, CustomStringConvertible {
  /// The units that may be used.
  let computeUnits: MLComputeUnits

  /// A policy that allows units.
  public init(_ computeUnits: MLComputeUnits) { self.computeUnits = computeUnits }

  /// The processor alone.
  public static var cpuOnly: MLComputePolicy { MLComputePolicy(.cpuOnly) }
  /// The processor, and a graphics processor where there is one.
  public static var cpuAndGPU: MLComputePolicy { MLComputePolicy(.cpuAndGPU) }

  /// The units by their name.
  public var description: String { "MLComputePolicy(\(computeUnits))" }
}

/// Calls the closure. All tensors are computed on the processor, whatever the policy allows beside it.
public func withMLTensorComputePolicy<Result>(
  _ computePolicy: MLComputePolicy, _ body: () throws -> Result
) rethrows -> Result {
  try body()
}

/// Calls the closure. All tensors are computed on the processor, whatever the policy allows beside it.
public func withMLTensorComputePolicy<R>(
  _ computePolicy: MLComputePolicy, _ body: () async throws -> R
) async rethrows -> R {
  try await body()
}
