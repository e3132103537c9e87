import Foundation

/// The settings for loading a model.
///
/// A model copies its configuration when it is loaded. Later changes of the configuration have no effect on the model.
open class MLModelConfiguration: NSObject {
  /// The devices on which the model may run.
  public var computeUnits: MLComputeUnits = .all

  /// The name that tools show for the model; nil for the file name.
  public var modelDisplayName: String?

  /// The function to load from a model with several functions; nil for its default function.
  public var functionName: String?

  /// Hints about how the model will be used.
  public var optimizationHints = MLOptimizationHints()

  /// The values of parameters that replace the values in the model; nil for none.
  public var parameters: [MLParameterKey: Any]?

  /// Whether an ML Program may compute with bfloat16 although it declares a higher precision. If true, the program uses
  /// bfloat16 where this type is faster on this machine and the compute units allow it. Sums stay float32.
  public var allowLowPrecisionAccumulationOnGPU: Bool = false

  /// Has no effect.
  public var preferredMetalDevice: (any MTLDevice)?

  /// Whether a model takes inputs of every size that its network can compute. If false, the model takes only the sizes
  /// in its description.
  ///
  /// Not in Apple's framework, which refuses sizes that the description does not contain. With this setting, a fully
  /// convolutional network can paint a photo at the photo's full size. A prediction still throws if the network cannot
  /// compute the size of its inputs.
  public var allowsAnyInputSize: Bool = false

  /// The number of threads for a prediction; nil for one per core. Not in Apple's framework.
  public var threadCount: Int?

  /// The memory limit of a prediction in bytes; nil for all free memory. A prediction that needs more memory throws
  /// before it starts. Not in Apple's framework.
  public var memoryLimit: Int?

  /// Whether the engine times kernels once on this machine to choose the fastest kernel. If false, the engine chooses
  /// kernels in a fixed order. The environment variable `ATELIER_TUNING=off` turns timing off, too. Not in Apple's
  /// framework.
  public var measuresKernels: Bool = true
  /// The expected number of predictions; nil if it is unknown. The engine then times kernels when it is asked for a
  /// third prediction of the same input sizes. With a number, it times them first, for at most half the time that these
  /// predictions take. If the number is 1, the engine packs the weights layer by layer, which needs less memory. A
  /// second prediction then packs the weights again. Not in Apple's framework.
  public var expectedPredictions: Int?

  /// Whether linear layers quantise their inputs to int8 while the model runs (dynamic quantisation). Linear layers are
  /// inner products, matrix products with a constant matrix, and 1 × 1 convolutions.
  ///
  /// Each row of an input gets its own scale: its largest absolute value, divided by 127. Integer weights of 8 or 4 bits
  /// stay as they are; other weights are quantised to int8, with one scale per output. Products are exact integers.
  /// Predictions are faster and less precise: see `Documentation/Quantized.md`. Not in Apple's framework.
  public var usesDynamicQuantization: Bool = false

  /// Whether an ML Program returns float32 arrays for outputs that it declares as float16. The elements are float16
  /// values. For languages that would convert the arrays themselves.
  package var widensFloat16Outputs: Bool = false

  /// The seed of the random order in which each layer tries its kernels; nil for the usual order. Tests set the seed to
  /// run kernels that layers do not reach in the usual order.
  package var kernelSeed: UInt64?

  /// A closure that gets the identifier of an encrypted model's key and returns the key; nil if no model is encrypted.
  /// If the closure throws, loading fails with the code `modelDecryptionKeyFetch`. Not in Apple's framework, which asks
  /// Apple's servers for keys.
  public var decryptionKey: (@Sendable (_ identifier: String) throws -> MLModelDecryptionKey)?

  /// Makes the default configuration.
  override public init() {
    super.init()
  }

  /// Returns a configuration with the same settings.
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
    copy.usesDynamicQuantization = usesDynamicQuantization
    copy.widensFloat16Outputs = widensFloat16Outputs
    copy.kernelSeed = kernelSeed
    copy.decryptionKey = decryptionKey
    return copy
  }
}
