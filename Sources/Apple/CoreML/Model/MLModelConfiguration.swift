import Foundation

/// How a model is loaded.
///
/// A model takes a copy when it is loaded: later changes do not reach it.
open class MLModelConfiguration: NSObject {
  /// Where the model may compute.
  public var computeUnits: MLComputeUnits = .all

  /// The name shown for the model in tools; nil for the file's.
  public var modelDisplayName: String?

  /// The function of a model with several; nil for its default one.
  public var functionName: String?

  /// What the model should be prepared for.
  public var optimizationHints = MLOptimizationHints()

  /// Values of parameters in place of the model's own.
  public var parameters: [MLParameterKey: Any]?

  /// Lets ML Programs, which write their precision down, compute with bfloat16 where the processor is faster with
  /// it and the compute units allow it. Sums stay float32.
  public var allowLowPrecisionAccumulationOnGPU: Bool = false

  /// Has no effect.
  public var preferredMetalDevice: (any MTLDevice)?

  /// Lets a model compute inputs of every size that its network can, not only those that its
  /// description declares.
  ///
  /// Not in Apple's framework, which refuses them. A fully convolutional network paints a photo at
  /// its own size this way. Inputs that the network cannot compute still throw.
  public var allowsAnyInputSize: Bool = false

  /// The number of threads that a prediction uses; nil for one a core. Not in Apple's framework.
  public var threadCount: Int?

  /// The most memory that a prediction may take, in bytes; nil for what the machine has free. One
  /// that needs more throws before it starts. Not in Apple's framework.
  public var memoryLimit: Int?

  /// Whether kernels are chosen by their times on this machine, which are measured once and remembered, where the
  /// environment's `ATELIER_TUNING` is not `off`; false for a fixed order. Not in Apple's framework.
  public var measuresKernels: Bool = true
  /// How many predictions are to come, where that is known; nil for many. Kernels are timed for at most half as long
  /// as so many predictions take. For a single one weights are packed layer by layer, in less memory; another one
  /// packs them again. Not in Apple's API.
  public var expectedPredictions: Int?

  /// Tries each layer's kernels in an order drawn from this seed: for tests, so that every kernel comes to run.
  package var kernelSeed: UInt64?

  /// Gives the key of an encrypted model, by the key's identifier, when one is loaded; nil where there
  /// are no encrypted models. What it throws ends the loading with the code `modelDecryptionKeyFetch`.
  /// Not in Apple's framework, which asks Apple's servers.
  public var decryptionKey: (@Sendable (_ identifier: String) throws -> MLModelDecryptionKey)?

  /// Makes the default configuration.
  override public init() {
    super.init()
  }

  /// A configuration with the same settings.
  override open func copy() -> Any { duplicate() }

  func duplicate() -> MLModelConfiguration {
    let copy = MLModelConfiguration()
    copy.computeUnits = computeUnits
    copy.modelDisplayName = modelDisplayName
    copy.functionName = functionName
    copy.optimizationHints = optimizationHints
    copy.parameters = parameters
    copy.allowLowPrecisionAccumulationOnGPU = allowLowPrecisionAccumulationOnGPU
    copy.preferredMetalDevice = preferredMetalDevice
    copy.allowsAnyInputSize = allowsAnyInputSize
    copy.threadCount = threadCount
    copy.memoryLimit = memoryLimit
    copy.measuresKernels = measuresKernels
    copy.expectedPredictions = expectedPredictions
    copy.kernelSeed = kernelSeed
    copy.decryptionKey = decryptionKey
    return copy
  }
}
