import Foundation

/// Something that a model can compute on.
public enum MLComputeDevice: Sendable, Hashable {
  /// The processor.
  case cpu(MLCPUComputeDevice)
  /// A graphics processor.
  case gpu(MLGPUComputeDevice)
  /// A neural engine.
  case neuralEngine(MLNeuralEngineComputeDevice)

  /// All devices of this machine that models compute on: the processor alone.
  ///
  /// So `.cpuAndGPU`, `.cpuAndNeuralEngine` and `.all` compute there too.
  public static var allComputeDevices: [MLComputeDevice] { [.cpu(MLCPUComputeDevice.shared)] }
}

extension MLComputeDevice: CustomStringConvertible {
  /// The device in words: `the processor (AMD EPYC)`.
  public var description: String {
    switch self {
    case .cpu(let device): device.description
    case .gpu(let device): device.description
    case .neuralEngine(let device): device.description
    }
  }
}

/// What all compute devices are.
public protocol MLComputeDeviceProtocol: NSObjectProtocol {}

/// The processor.
public final class MLCPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  static let shared = MLCPUComputeDevice()

  override private init() {
    super.init()
  }

  /// `the processor`, with its name where the system tells it.
  override public var description: String {
    Self.name.map { "the processor (\($0))" } ?? "the processor"
  }

  /// The processor's name. **Source:** `/proc/cpuinfo`, proc(5).
  private static let name: String? = {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
      return nil
    }
    for line in text.split(separator: "\n") where line.hasPrefix("model name") {
      let parts = line.split(separator: ":", maxSplits: 1)
      let name: String = parts.last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
      if parts.count == 2, !name.isEmpty { return name }
    }
    return nil
  }()
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
