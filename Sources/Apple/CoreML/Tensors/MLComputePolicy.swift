/// The devices that may compute tensors.
///
/// This framework has one device, the processor. With every policy, the processor computes the tensors.
public struct MLComputePolicy: Sendable, Hashable, CustomStringConvertible {
  /// The units that the policy allows.
  let computeUnits: MLComputeUnits

  /// Makes a policy that allows the given units.
  public init(_ computeUnits: MLComputeUnits) { self.computeUnits = computeUnits }

  /// A policy that allows the processor only.
  public static var cpuOnly: MLComputePolicy { MLComputePolicy(.cpuOnly) }
  /// A policy that allows the processor and a graphics processor.
  public static var cpuAndGPU: MLComputePolicy { MLComputePolicy(.cpuAndGPU) }

  /// The names of the allowed units.
  public var description: String { "MLComputePolicy(\(computeUnits))" }
}

/// Calls the closure. The policy has no effect: the processor computes all tensors.
public func withMLTensorComputePolicy<Result>(
  _ computePolicy: MLComputePolicy, _ body: () throws -> Result
) rethrows -> Result {
  try body()
}

/// Calls the closure. The policy has no effect: the processor computes all tensors.
public func withMLTensorComputePolicy<R>(
  _ computePolicy: MLComputePolicy, _ body: () async throws -> R
) async rethrows -> R {
  try await body()
}
