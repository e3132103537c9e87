import Foundation

/// Something that a model can compute on.
public enum MLComputeDevice: Sendable, Hashable {
  /// The processor.
  case cpu(MLCPUComputeDevice)
  /// A graphics processor.
  case gpu(MLGPUComputeDevice)
  /// A neural engine.
  case neuralEngine(MLNeuralEngineComputeDevice)

  /// All devices of this machine that models compute on.
  public static var allComputeDevices: [MLComputeDevice] { [.cpu(MLCPUComputeDevice.shared)] }
}

/// What all compute devices are.
public protocol MLComputeDeviceProtocol: NSObjectProtocol {}

/// The processor.
public final class MLCPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  static let shared = MLCPUComputeDevice()

  override private init() {
    super.init()
  }
}

/// A graphics processor. There is none here yet.
public final class MLGPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  override private init() {
    super.init()
  }

  /// The device; there is none here yet.
  public var metalDevice: (any MTLDevice)! { nil }
}

/// A neural engine. There is none here.
public final class MLNeuralEngineComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  override private init() {
    super.init()
  }

  /// The number of its cores.
  public var totalCoreCount: Int { 0 }
}
