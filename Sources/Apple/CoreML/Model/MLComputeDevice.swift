import Foundation

/// A device on which models can run.
public enum MLComputeDevice: Sendable, Hashable {
  /// The processor.
  case cpu(MLCPUComputeDevice)
  /// A graphics processor.
  case gpu(MLGPUComputeDevice)
  /// A neural engine.
  case neuralEngine(MLNeuralEngineComputeDevice)

  /// The devices of this machine on which models run: the processor only.
  ///
  /// `.cpuAndGPU`, `.cpuAndNeuralEngine` and `.all` therefore compute on the processor, too.
  public static var allComputeDevices: [MLComputeDevice] { [.cpu(MLCPUComputeDevice.shared)] }
}

extension MLComputeDevice: CustomStringConvertible {
  /// The device as text, such as `the processor (AMD EPYC)`.
  public var description: String {
    switch self {
    case .cpu(let device): device.description
    case .gpu(let device): device.description
    case .neuralEngine(let device): device.description
    }
  }
}

/// The interface of all compute devices.
public protocol MLComputeDeviceProtocol: NSObjectProtocol {}

/// The processor.
public final class MLCPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  static let shared = MLCPUComputeDevice()

  override private init() {
    super.init()
  }

  /// The words `the processor`, with the processor's name if the system reports the name.
  override public var description: String {
    Self.name.map { "the processor (\($0))" } ?? "the processor"
  }

  /// The processor's name; nil if the system does not report it. **Source:** `/proc/cpuinfo`, proc(5).
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

/// A graphics processor. This framework does not support graphics processors yet.
public final class MLGPUComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  override private init() {
    super.init()
  }

  /// The Metal device; always nil.
  public var metalDevice: (any MTLDevice)! { nil }
}

/// A neural engine. Linux machines have no neural engine.
public final class MLNeuralEngineComputeDevice: NSObject, MLComputeDeviceProtocol, Sendable {
  override private init() {
    super.init()
  }

  /// The number of the neural engine's cores, always 0.
  public var totalCoreCount: Int { 0 }
}
